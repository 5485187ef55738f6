"""The world of a recipe, which the lab drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.files import target_of
from fieldcraft.commands.recipe.read import read_recipe
from fieldcraft.commands.recipe.recipe_parts import Picture, Recipe
from fieldcraft.commands.recipe.world import World
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.values.operand import Operand
from fieldcraft.view.palettes import parse_color
from fieldcraft_lab.apply import apply
from fieldcraft_lab.live import LayerWorld
from fieldcraft_lab.orders import Order, Paint
from fieldcraft_lab.team_maps import OWNER, owner_map, share_tables


class LiveRecipe(LayerWorld):
    """The world of a recipe. `written` are the texts of its file: as it was read, and as written
    since.
    """

    kind = "recipe"

    def __init__(self, recipe: Recipe, overrides: tuple[str, ...] = ()) -> None:
        super().__init__(World(recipe), recipe.title)
        self.recipe = recipe
        self.overrides = overrides
        self.written = [recipe.document.text]
        self.step_seconds = self.world.step
        self.end = self.world.steps
        self._maps: tuple[World, dict[str, Operand]] | None = None

    @property
    def imap(self) -> InfluenceMap:
        """The influence map of the recipe."""
        found: InfluenceMap = self.world.imap
        return found

    @property
    def maps(self) -> Mapping[str, Operand]:
        """The layers, and maps that follow from them."""
        if self._maps is None or self._maps[0] is not self.world:
            maps: dict[str, Operand] = dict(self.imap.layers)
            if self.world.teams is not None:
                maps[OWNER] = owner_map(self.world.teams, self.world.owner)
            self._maps = (self.world, maps | self.world.maps)
        return self._maps[1]

    def step(self) -> None:
        """Take one step, also after the recipe's end."""
        self.world.tick()

    def apply(self, order: Order) -> None:
        """Apply an order; the recipe no longer moves a source that is moved or removed."""
        apply(order, self.imap, release=self.world.release)
        if isinstance(order, Paint):
            self.world.walls_changed()

    def name_of(self, layer: str, source: int) -> str | None:
        """Return the name of a source in the recipe."""
        part = self.world.part_of(layer, source)
        if part is None:
            return None
        name = self.recipe.document.value((*part.keys, "name"))
        if isinstance(name, str):
            return name
        return None

    def limits(self) -> dict[str, list[float]]:
        """Return the limits of colors that the recipe's outputs set."""
        found: dict[str, list[float]] = {}
        for output in self.recipe.outputs:
            if not isinstance(output, Picture):
                continue
            given = output.limits
            for name in output.layers:
                if isinstance(given, dict):
                    limits = given.get(name)
                else:
                    limits = given
                if limits is not None:
                    found.setdefault(name, [float(part) for part in limits])
        return found

    def teams(self) -> list[tuple[str, str]]:
        """Return the teams of the recipe."""
        teams = self.recipe.teams
        if teams is None:
            return []
        return [
            (name, "#{:02x}{:02x}{:02x}".format(*parse_color(color)))
            for name, color in zip(teams.names, teams.colors, strict=True)
        ]

    def kinds(self) -> dict[str, list[tuple[str, str]]]:
        """Return the teams as the kinds of the map of owners."""
        teams = self.teams()
        if teams:
            return {OWNER: teams}
        return {}

    def tables(self, *, light: bool = False) -> dict[str, NDArray[np.uint8]]:
        """Return the color tables of the shares of teams."""
        return share_tables(self.teams(), light=light)

    def front_lines(self) -> list[NDArray[np.float64]] | None:
        """Return the lines between the ground of hostile teams."""
        if self.world.teams is None:
            return None
        lines: list[NDArray[np.float64]] = self.world.front_lines()
        return lines

    def origin(self) -> dict[str, Any]:
        """Return the recipe's text, its path, and its overrides."""
        document = self.recipe.document
        data = None
        if document.data is not None:
            data = str(document.data)
        return {
            "text": document.text,
            "path": str(document.file.resolve()),
            "overrides": tuple(self.overrides),
            "data": data,
        }

    @classmethod
    def from_origin(cls, origin: dict[str, Any]) -> LiveRecipe:
        """Return the world of an origin; maps and recordings are read from the recipe's paths."""
        overrides = tuple(origin["overrides"])
        path = target_of("path", origin["path"])
        data = origin["data"]
        if data is not None:
            data = target_of("data", data)
        return cls(read_recipe(path, overrides, data=data, text=origin["text"]), overrides)
