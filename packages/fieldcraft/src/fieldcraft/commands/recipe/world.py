"""The running world of a recipe: its map, its layers and everything that acts on them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError
from fieldcraft.commands.recipe.actors import Actor, Deposit, Scripted, check_places, recordings
from fieldcraft.commands.recipe.loading import load_space, load_timeline
from fieldcraft.commands.recipe.recipe_parts import (
    LayerPart,
    Picture,
    Recipe,
    RecipeFile,
    SourcePart,
    TeamsPart,
    maps_of_teams,
)
from fieldcraft.layers import RadialLayer, SourceLayer
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.teams.teams import Teams, add_teams
from fieldcraft.space import grid_of
from fieldcraft.values.formula import formula
from fieldcraft.values.operand import Operand

MAX_STEPS = 2**31 - 1


class World:
    """The influence map of a recipe and its clock.

    Building it reads the map and the recordings and checks every position; problems raise
    `BadRecipe`, all at once. `imap` is the influence map, `maps` are its layers and all that
    follows from them by name, `teams` the teams if there are any.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        problems = recipe.document
        space = load_space(recipe.map, problems)
        timelines = [(part, load_timeline(part, problems)) for part in recipe.timelines]
        if space is not None:
            self.imap = InfluenceMap(space)
            self.teams: Teams | None = None
            self.maps: dict[str, Operand] = {}
            self._add_maps(problems)
        problems.raise_all()
        self.step = recipe.step
        self.steps = math.floor(recipe.run.seconds / self.step + 1e-9)
        self._parts = {part.name: part for part in recipe.acting}
        ends = {name: (self.imap[name], part) for name, part in self._parts.items()}
        self._scripted = [Scripted(part, *ends[part.layer]) for part in recipe.sources]
        deposits = [Deposit(part, *ends[part.layer]) for part in recipe.deposits]
        players = [(part, found.play(faint=part.faint)) for part, found in timelines if found]
        self._recorded = recordings(ends, players, problems)
        self._actors: list[Actor] = [*self._scripted, *self._recorded, *deposits]
        for source in self._scripted:
            source.check(self.step, recipe.run.seconds, problems)
        for deposit in deposits:
            place = np.array([deposit.part.position])
            check_places(deposit.layer.space, place, deposit.part, "position", problems)
        self._check_map(problems)
        problems.raise_all()
        self.updates = dict.fromkeys(self.imap.layers, 0)
        self._done = 0
        try:
            self._act(live=True)
            self._act(live=False)
            self._show(self._parts)
        except FieldcraftError as error:
            problems.report(("layers",), str(error))
            problems.raise_all()

    @property
    def seconds(self) -> float:
        """The world's time."""
        return self._done * self.step

    def go_to(self, seconds: float) -> None:
        """Go on to the last step at or before `seconds`; never back."""
        target = min(math.floor(seconds / self.step + 1e-9), self.steps)
        while self._done < target:
            self.tick()

    def tick(self) -> None:
        """Go on by one step, beyond the recipe's end, too."""
        self._done += 1
        self._act(live=True)  # before the update, so that a layer shows its sources where they are
        report = self.imap.advance(self.step, max_steps=MAX_STEPS)
        for name, count in report.steps.items():
            self.updates[name] += count
        self._act(live=False)
        self._show(name for name, count in report.steps.items() if count)

    def release(self, layer: str, source: int) -> None:
        """Stop moving a source: it stays, also when its time is over."""
        for actor in self._scripted_on(layer):
            actor.release(source)

    def walls_changed(self) -> None:
        """Move all actors in walls to the nearest open cell: paths were checked before."""
        for actor in self._actors:
            actor.policies = actor.policies._replace(on_wall="nearest")

    def part_of(self, layer: str, source: int) -> SourcePart | None:
        """Return the part of the recipe that a source came from, also after its release; None for
        others.
        """
        found = (actor.part for actor in self._scripted_on(layer) if actor.source == source)
        return next(found, None)

    def _scripted_on(self, layer: str) -> list[Scripted]:
        return [actor for actor in self._scripted if actor.layer is self.imap[layer]]

    def _act(self, live: bool) -> None:
        """Move the live sources to this moment, or let all others act."""
        now = self._done * self.step
        passed = self.step if self._done else 0.0
        for actor in self._actors:
            if (actor.layer_part.is_live and not isinstance(actor, Deposit)) == live:
                actor.act(now, passed)

    def _show(self, updated: Iterable[str]) -> None:
        """Let layers that hold nothing of their own show what acts on them now."""
        for name in updated:
            layer = self.imap[name]
            if isinstance(layer, RadialLayer):
                layer.settle()
            elif self._parts[name].is_cleared:
                layer.write(np.zeros(layer.space.shape, dtype=np.float32))
                for actor in self._actors:
                    if actor.layer is layer:
                        actor.stamp()

    def _check_map(self, problems: RecipeFile) -> None:
        """Report places in other dimensions, and pictures of grids on graphs."""
        space = self.imap.space
        for part in self.recipe.timelines if space.dimensions == 3 else ():
            problems.report_in(
                part.keys,
                "",
                "Recordings have (x, y). This map has (x, y, z). Take a map in two dimensions.",
            )
        for output in self.recipe.outputs:
            if not isinstance(output, Picture):
                continue
            if output.floors is not None and space.dimensions != 3:
                problems.report_in(
                    output.keys,
                    "floors",
                    "floors are those of a 3D graph. The map is flat. Leave it out.",
                )
            for key in ("crop", "front_lines", "together") if space.sight_grid is not space else ():
                if getattr(output, key):
                    problems.report_in(
                        output.keys,
                        key,
                        f"{key} is for pictures of square cells. The map has none. Leave it out.",
                    )

    def _add_maps(self, problems: RecipeFile) -> None:
        """Create the layers, the teams and the formulas."""
        for part in self.recipe.layers:
            options = _grid_options(part)
            try:
                if part.is_cleared:
                    self.imap.add_layer(part.name, values=self._empty(part), **options)
                else:
                    self.imap.add_layer(part.name, part.propagation, **options)
            except FieldcraftError as error:
                problems.report_error((*part.keys, ""), error)
        teams = self.recipe.teams
        if teams is not None:
            try:
                self.teams = add_teams(
                    self.imap,
                    teams.names,
                    teams.layer.propagation,
                    hostile=teams.hostile,
                    **_grid_options(teams.layer),
                )
            except FieldcraftError as error:
                problems.report_error(("teams", "hostile" if teams.hostile else ""), error)
        self.maps.update(self.imap.layers)
        if self.teams is not None and teams is not None:
            for name in maps_of_teams(teams.names):
                self.maps[name] = _map_of(self.teams, name)
        for formula_part in self.recipe.formulas:
            try:
                self.maps[formula_part.name] = formula(formula_part.text, self.maps)
            except FieldcraftError as error:
                problems.report_error((*formula_part.keys, ""), error)

    def _empty(self, part: LayerPart) -> NDArray[np.float32]:
        """Return the empty array of a layer of stamps."""
        space = self.imap.space
        if part.cell_size is not None:
            space = grid_of(space, "cell_size").coarser(part.cell_size)
        return np.zeros(space.shape, dtype=np.float32)

    def owner(self) -> NDArray[np.int32]:
        """Return the number of each cell's team, -1 for none."""
        part, teams = self._of_teams
        return teams.owner(margin=part.margin)

    @property
    def _of_teams(self) -> tuple[TeamsPart, Teams]:
        part = self.recipe.teams
        teams = self.teams
        assert part is not None and teams is not None
        return part, teams

    def front_lines(self) -> list[NDArray[np.float64]]:
        """Return the lines between the ground of hostile teams, shape (N, 2) each."""
        return [line.points for line in self._of_teams[1].front_lines()]

    def holdings(self, what: str) -> list[float]:
        """Return the share of the open ground of each team, 0 to 1, and last the share of no team.

        "share": the mean of the team's share over the open cells. "owned": the part of them that it
        owns.
        """
        _, teams = self._of_teams
        is_open = ~teams[teams.names[0]].space.walls
        if what == "owned":
            owner = self.owner()[is_open]
            sums = [float(np.count_nonzero(owner == number)) for number in range(len(teams.names))]
        else:
            shares = (self.maps[f"share {name}"].values[is_open] for name in teams.names)
            sums = [float(share.sum(dtype=np.float64)) for share in shares]
        found = [each / max(int(np.count_nonzero(is_open)), 1) for each in sums]
        return [round(part, 6) for part in (*found, max(1.0 - sum(found), 0.0))]

    def strongest(self, name: str) -> tuple[float, float]:
        """Return the lowest and the highest value, 0 included, that the recipe's sources, deposits
        and recordings bring into a layer.
        """
        recipe = self.recipe
        strengths = [0.0, *(part.strength for part in recipe.sources if part.layer == name)]
        amounts = (part.amount for part in recipe.deposits if part.layer == name)
        strengths += [amount for amount in amounts if not isinstance(amount, tuple)]
        for recorded in self._recorded:
            if recorded.layer.name == name:
                strengths += recorded.range()
        span = (min(strengths), max(strengths))
        return self._parts[name].propagation._value_range(*span) or span

    def actors_on(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where everything is that acts on a layer now, (N, 2) or (N, 3), and how strong,
        (N,).
        """
        layer = self.imap[name]
        if isinstance(layer, SourceLayer):
            return layer.sources.positions, layer.sources.strengths.astype(np.float64)
        found = [actor.shown() for actor in self._actors if actor.layer is layer]
        shown = [each for each in found if len(each[0])]
        if not shown:
            return np.zeros((0, layer.space.dimensions)), np.zeros(0)
        places, strengths = zip(*shown, strict=True)
        return np.concatenate(places), np.concatenate(strengths)

    def part(self, name: str) -> LayerPart | None:
        """Return the part of the recipe that a layer came from; None for other maps."""
        return self._parts.get(name)


def _map_of(teams: Teams, name: str) -> Operand:
    """Return the map that follows from teams by its name in a recipe: "tension", "share red"."""
    what, _, team = name.partition(" ")
    if what == "tension":
        return teams.tension()
    if what == "contested":
        return teams.contested()
    if what == "influence":
        return teams.influence(team)
    if what == "share":
        return teams.share(team)
    if team:
        return teams.vulnerability(team)
    return teams.vulnerability()


def _grid_options(part: LayerPart) -> dict[str, Any]:
    return {
        "every": part.every,
        "cell_size": part.cell_size,
        "walls": None if part.walls else False,
    }


def played(recipe: Recipe, seconds: float | None = None) -> InfluenceMap:
    """Return the influence map of a recipe after some seconds. Nothing is written to files.

    Parameters
    ----------
    recipe : Recipe
        From `read_recipe`.
    seconds : float, optional
        At most the seconds of the recipe's run; by default its end.

    Raises
    ------
    BadRecipe
        For a map or a recording that can't be read.
    InvalidValue
        For arguments of other kinds.

    Examples
    --------
    >>> from fieldcraft import recipe
    >>> from fieldcraft.commands.shipped_recipes import SHIPPED
    >>> imap = recipe.played(recipe.read_recipe(SHIPPED / "decay.toml"), 1.0)
    >>> round(float(imap["low decay"].values.max()), 2)
    5.0
    """
    rule = "A world follows a recipe"
    remedy = "Pass what fieldcraft.commands.recipe.read_recipe() returns"
    checks.instance(recipe, Recipe, rule, remedy)
    if seconds is None:
        until = recipe.run.seconds
    else:
        until = checks.not_negative("seconds", seconds)
    world = World(recipe)
    world.go_to(min(until, recipe.run.seconds))
    return world.imap
