"""The pictures of a running recipe."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fieldcraft.commands.recipe.recipe_parts import Picture, maps_of_teams
from fieldcraft.commands.recipe.world import World
from fieldcraft.layers import TrailLayer
from fieldcraft.space import Grid, Space, grid_of
from fieldcraft.view import (
    ColorScale,
    Placement,
    ScaleLegend,
    TeamLegend,
    between,
    draw_arrows,
    draw_lines,
    frame,
    frame_owners,
    frame_teams,
    page,
    tinted,
)
from fieldcraft.view.drawing.letters import measure
from fieldcraft.view.frame import Team, mark_sources
from fieldcraft.view.own_scales import share_table
from fieldcraft.view.pages.legends import Legend
from fieldcraft.view.palettes import Color, Table, parse_color
from fieldcraft.view.pixels.pixel_plan import RGBA
from fieldcraft.view.pixels.placement import resampled

STILL_SIZE = 960
FILM_SIZE = 640
_OWNERS_OPACITY = 0.6
_OTHERS = "#9aa0ac"

Limits = dict[str, tuple[float, float]]
"""The values at the ends of the colors of each map."""


class Panel(NamedTuple):
    """One drawn map, uint8 of shape (H, W, 4), with its title and its legend."""

    drawn: RGBA
    title: str
    legend: Legend


class Panels:
    """Draws the maps of a picture of one world, at most `size` pixels along a side unless the
    recipe says otherwise.

    Several layers are drawn together in one hue each, or, where one may have negative values or the
    recipe says `together = false`, side by side. Those with the same colors share one legend.
    """

    def __init__(self, world: World, output: Picture, limits: Limits, size: int) -> None:
        self.world = world
        self.output = output
        self.names = output.layers
        self.titles = dict(zip(output.layers, output.titles or output.layers, strict=True))
        self.limits = limits
        self._space = world.imap.space
        self._fronts: list[Any] = []
        if output.front_lines:
            self._fronts = world.front_lines()
        self._teams: dict[str, Any] = {}
        teams = world.recipe.teams
        if teams:
            self._teams = dict(zip(teams.names, teams.colors, strict=True))
        self._colors = {**self._teams, **dict(zip(output.layers, output.colors, strict=False))}
        self._size = output.size or size

    def draw(self) -> tuple[list[Panel], bool]:
        """Return the maps of this moment, and whether the first legend is that of all."""
        if len(self.names) > 1 and isinstance(self._space, Grid) and self._is_together():
            return [self._draw_together()], True
        floors = self.output.floors
        cuts = [None] if floors is None else _floor_cuts(self._space, floors)
        panels = []
        for name in self.names:
            legend = self._legend(name)
            for heights in cuts:
                floor = "" if heights is None else f"z {heights[0]:.4g} to {heights[1]:.4g}"
                title = ", ".join(filter(None, (self._title(name), floor)))
                panels.append(Panel(self._draw_map(name, legend, heights), title, legend))
        if not self._is_alike():
            return panels, False
        beyond = [self._beyond(name) for name in self.names]
        shared = ScaleLegend(
            self._scale(self.names[0]),
            self.names[0] if len(self.names) == 1 else "",
            beyond=(any(below for below, _ in beyond), any(above for _, above in beyond)),
        )
        return [panel._replace(legend=shared) for panel in panels], True

    def _title(self, name: str) -> str:
        """Return the title of a map; one map alone has only the title that the recipe gives it."""
        if len(self.names) > 1 or self.output.titles:
            return self.titles[name]
        return ""

    def _is_together(self) -> bool:
        if not set(self.names) <= set(self.world.imap.layers):
            return bool(self.output.together)
        lows = [(self.limits[name][0], self.world.strongest(name)[0]) for name in self.names]
        return self.output.together is not False and min(map(min, lows)) >= 0

    def _is_alike(self) -> bool:
        """Return whether all maps have the same colors for the same values."""
        return (
            all(name in self.world.maps for name in self.names)
            and len({self.limits[name] for name in self.names}) == 1
            and (len(self.names) == 1 or all(self._table(name) is None for name in self.names))
        )

    def _draw_together(self) -> Panel:
        low, high = zip(*(self.limits[name] for name in self.names), strict=True)
        teams = [(self.world.maps[name], self._colors.get(name), name) for name in self.names]
        drawn = frame_teams(
            teams,
            limits=(min(low), max(high)),
            threshold=self.output.threshold,
            space=self._space,
            sources=False,
            size=self._size,
            crop=self.output.crop,
        )
        colors = [team.color for team in Team.all_of(teams)]
        self._finish(drawn, None, dict(zip(self.names, colors, strict=True)))
        return Panel(drawn, "", TeamLegend([*self.titles.values()], colors))

    def _draw_map(self, name: str, legend: Legend, heights: tuple[float, float] | None) -> RGBA:
        world = self.world
        space = self._space
        crop = self.output.crop
        marked: dict[str, Color | None] = {**self._teams}
        if isinstance(legend, TeamLegend):
            # The teams may have coarser cells than the map.
            own = world.imap[next(iter(self._teams))].space
            owners = resampled(world.owner(), own, space)
            drawn = frame_owners(
                owners,
                legend.colors,
                space=space,
                size=self._size,
                crop=crop,
                opacity=_OWNERS_OPACITY,
            )
        else:
            drawn = frame(
                world.maps[name],
                colors=self._scale(name),
                space=space,
                heights=heights,
                sources=False,
                size=self._size,
                crop=crop,
            )
        if name in world.imap:
            part = world.part(name)
            layer = world.imap[name]
            marked = {name: self._teams.get(name)}
            if part and part.vector and isinstance(layer, TrailLayer):
                place = Placement(space, size=self._size, crop=crop)
                high = self.limits[name][1]
                threshold = max(self.output.threshold, high / 50)
                ground = grid_of(layer.space, "A picture with arrows")
                draw_arrows(drawn, place, ground, layer.vectors, limit=high, threshold=threshold)
        self._finish(drawn, heights, marked)
        return drawn

    def _finish(
        self, drawn: RGBA, heights: tuple[float, float] | None, layers: dict[str, Color | None]
    ) -> None:
        """Draw the front lines, and what acts on some layers in their colors."""
        place = Placement(self._space, heights=heights, size=self._size, crop=self.output.crop)
        if self._fronts:
            draw_lines(drawn, place, self._fronts)
        groups = []
        if not self.output.sources:
            layers = {}
        for name, color in layers.items():
            places, strengths = self.world.actors_on(name)
            if not isinstance(self._space, Grid):
                cells = np.atleast_1d(self._space.cell_at(places, outside="clamp"))
                places = self._space.position_of(cells)
            groups.append((places, strengths, None if color is None else parse_color(color)))
        mark_sources(drawn, place, groups, is_opaque=True)

    def _legend(self, name: str) -> Legend:
        if name not in self.world.maps:
            return TeamLegend([*self._teams], [*self._teams.values()], opacity=_OWNERS_OPACITY)
        percent = self._is_share(name)
        return ScaleLegend(self._scale(name), beyond=self._beyond(name), percent=percent)

    def _scale(self, name: str) -> ColorScale:
        threshold: float | None = self.output.threshold
        if threshold == 0 and self._is_share(name) and name not in self._colors:
            threshold = None  # ground that is all of others
        return ColorScale(*self.limits[name], threshold, self._table(name))

    def _is_share(self, name: str) -> bool:
        return name.startswith("share ") and name not in self.world.imap

    def _beyond(self, name: str) -> tuple[bool, bool]:
        """Return whether a map has values below and above its limits."""
        values = self.world.maps[name].values
        scale = self._scale(name)
        is_below = bool((values < np.float32(scale.low)).any())
        is_above = bool((values > np.float32(scale.high)).any())
        return is_below, is_above

    def _table(self, name: str) -> Table | None:
        """Return the colors of a map: of the recipe, of its team, or (None) the default."""
        if name in self._colors:
            return tinted(self._colors[name])
        what, _, team = name.partition(" ")
        is_of_team = name in maps_of_teams(tuple(self._teams)) and name not in self.world.imap
        if not is_of_team or team not in self._teams or what == "vulnerability":
            return None
        if what == "share":
            return share_table([*self._teams], [*self._teams.values()], team, light=False)
        others = [other for each, other in self._teams.items() if each != team]
        other = _OTHERS
        if len(others) == 1:
            other = others[0]
        return between(other, self._teams[team])


class Painter:
    """Draws one picture of one world, or of several side by side, moment by moment.

    All its pictures have the same size, and the same colors for the same values. `names` are the
    titles of the worlds, `size` the pixels along a side of each map at most.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        output: Picture,
        *,
        size: int,
        names: Sequence[str] = ("",),
    ) -> None:
        self.worlds = worlds
        self.output = output
        self.size = size
        self.names = names
        self.limits = limits_of(worlds, output)
        self._shape: tuple[int, int] | None = None

    def draw(self) -> RGBA:
        """Return the whole picture of this moment."""
        seconds = self.worlds[0].recipe.run.seconds
        if self._shape is None:
            # A title can be wider than the maps, and some digits are wider than others.
            widest = max("0123456789", key=measure)
            self._shape = self._page(re.sub(r"\d", widest, clock(seconds, seconds))).shape[:2]
        drawn = self._page(clock(self.worlds[0].seconds, seconds))
        missing = [
            (0, max(0, most - now)) for most, now in zip(self._shape, drawn.shape[:2], strict=True)
        ]
        padded = np.pad(drawn, (*missing, (0, 0)), mode="edge")
        return padded[: self._shape[0], : self._shape[1]]

    def _page(self, moment: str) -> RGBA:
        panels: list[Panel] = []
        for world, name in zip(self.worlds, self.names, strict=True):
            shown, is_one_legend = Panels(world, self.output, self.limits, self.size).draw()
            panels += [
                panel._replace(title=", ".join(filter(None, (name, panel.title))))
                for panel in shown
            ]
        recipe = self.worlds[0].recipe
        titles = [panel.title for panel in panels]
        columns = self.output.columns
        if len(self.worlds) > 1 and len(shown) > 1:
            columns = len(shown)  # each world has a row of its own
        return page(
            [panel.drawn for panel in panels],
            titles if any(titles) else None,
            columns=columns,
            legend=shown[-1].legend if is_one_legend else [panel.legend for panel in panels],
            title=(self.output.title or recipe.title)
            + (f", {moment}" if recipe.run.seconds else ""),
            caption=self.output.caption.strip(),
        )


def _floor_cuts(space: Space, floors: int | list[float]) -> list[tuple[float, float]]:
    """Return the heights from which and up to which each floor of a 3D graph is drawn."""
    if isinstance(floors, int):
        heights = space.positions[:, 2]
        cuts = np.linspace(float(heights.min()), float(heights.max()), floors + 1)
    else:
        cuts = np.array(floors)
    cuts[-1] = np.nextafter(cuts[-1], np.inf)
    return list(pairwise(cuts.tolist()))


def clock(seconds: float, longest: float) -> str:
    """Return a moment as text: 12.4 s, or 3:05 where the longest is two minutes or more."""
    if longest < 120:
        return f"{seconds:.1f} s"
    rounded = math.floor(seconds + 1e-6)
    return f"{rounded // 60}:{rounded % 60:02d}"


def limits_of(worlds: Sequence[World], output: Picture) -> Limits:
    """Return the values at the ends of the colors of each map shown.

    They are the recipe's `limits`, or all that anything brings into the layers shown, 0 included;
    what follows from teams has the range of the teams' sources, on both sides where it is signed.
    """
    given = output.limits or {}
    if not isinstance(given, dict):
        return dict.fromkeys(output.layers, given)
    parts = {name: worlds[0].part(name) for name in output.layers if name not in given}
    live = [name for name, part in parts.items() if part and part.is_live]
    ranges = {name: _range(worlds, name, live if name in live else [name]) for name in parts}
    return {**given, **ranges}


def _range(worlds: Sequence[World], name: str, layers: Sequence[str]) -> tuple[float, float]:
    what = name.split(" ")[0]
    is_layer = name in worlds[0].imap
    if not is_layer and what in ("share", "owner"):
        return (0.0, 1.0)
    teams = worlds[0].recipe.teams
    if is_layer:
        sources = layers
    elif teams:
        sources = teams.names
    else:
        sources = ()
    ranges = [world.strongest(each) for world in worlds for each in sources]
    low = min(low for low, _ in ranges)
    high = max(high for _, high in ranges)
    if not low < high:
        return (0.0, 1.0)
    if what == "influence" and not is_layer:
        return (-high, high)
    return (low, high)
