"""The pictures of a running recipe."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.layer import TrailLayer
from fieldcraft.recipe.parts import OutputPart, maps_of_teams
from fieldcraft.recipe.world import World
from fieldcraft.space import Grid, grid_of
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
    frame_shares,
    frame_teams,
    sheet,
    tinted,
)
from fieldcraft.view.frame import Team, mark_sources
from fieldcraft.view.legends import Legend
from fieldcraft.view.pages import floor_cuts
from fieldcraft.view.palettes import Color, parse_color
from fieldcraft.view.placement import Subject
from fieldcraft.view.text import measure

__all__ = ["SIZES", "Painter", "Panel", "Panels", "caption_of", "clock", "limits_of"]

Table = NDArray[np.uint8]

SIZES = {"still": 960, "film": 640}
_OPACITY = {"owner": 0.6, "share": 0.8}
_OTHERS = "#9aa0ac"
_FADING = "Recorded strengths halve every {seconds} s until the next sample."


class Panel(NamedTuple):
    """One drawn map, uint8 of shape (H, W, 4), with its title and its legend."""

    drawn: NDArray[np.uint8]
    title: str
    legend: Legend


class Panels:
    """Draws the maps of an output of one world, at most `size` pixels along a side unless the
    recipe says otherwise.

    Several layers are drawn together in one hue each, or, where one may have negative values or the
    recipe says `together = false`, side by side. Those with the same colors share one legend.
    """

    def __init__(
        self, world: World, output: OutputPart, limits: dict[str, tuple[float, float]], size: int
    ) -> None:
        self.world, self.look, self.names, self.limits = world, output.look, output.layers, limits
        self._space = world.imap.space
        self._fronts = world.front_lines() if self.look.front_lines else []
        colors = self.look.colors
        self._colors: dict[str, Any] = (
            colors if isinstance(colors, dict) else dict(zip(output.layers, colors, strict=True))
        )
        self._place: dict[str, Any] = {"size": self.look.size or size, "crop": self.look.crop}
        if self.look.scale:
            self._place["scale"] = self.look.scale
        teams = world.recipe.teams
        self._teams = dict(zip(teams.names, teams.colors, strict=True)) if teams else {}

    def draw(self) -> tuple[list[Panel], bool]:
        """The maps of this moment, and whether the first legend is that of all."""
        if len(self.names) > 1 and isinstance(self._space, Grid) and self._is_together():
            return [self._together()], True
        cuts = [None] if self.look.floors is None else floor_cuts(self._space, self.look.floors)
        panels = []
        for name in self.names:
            legend = self._legend(name)
            for heights in cuts:
                floor = "" if heights is None else f"z {heights[0]:.4g} to {heights[1]:.4g}"
                title = ", ".join(filter(None, (name if len(self.names) > 1 else "", floor)))
                panels.append(Panel(self._map(name, legend, heights), title, legend))
        if not self._is_alike():
            return panels, False
        beyond = [self._beyond(name) for name in self.names]
        shared = ScaleLegend(
            self._scale(self.names[0]),
            self.names[0] if len(self.names) == 1 else "",
            beyond=(any(below for below, _ in beyond), any(above for _, above in beyond)),
        )
        return [panel._replace(legend=shared) for panel in panels], True

    def _is_together(self) -> bool:
        if not set(self.names) <= set(self.world.imap.layers):
            return bool(self.look.together)
        lows = [(self.limits[name][0], self.world.strongest(name)[0]) for name in self.names]
        return self.look.together is not False and min(map(min, lows)) >= 0

    def _is_alike(self) -> bool:
        """Whether all maps have the same colors for the same values."""
        return (
            all(name in self.world.maps for name in self.names)
            and len({self.limits[name] for name in self.names}) == 1
            and (len(self.names) == 1 or all(self._table(name) is None for name in self.names))
        )

    def _together(self) -> Panel:
        hues = [self._colors.get(name, self._teams.get(name)) for name in self.names]
        low, high = zip(*(self.limits[name] for name in self.names), strict=True)
        teams = [
            (self.world.maps[name], hue, name) for name, hue in zip(self.names, hues, strict=True)
        ]
        drawn = frame_teams(
            teams,
            limits=(min(low), max(high)),
            threshold=self.look.threshold,
            space=self._space,
            sources=False,
            **self._place,
        )
        colors = [team.color for team in Team.all_of(teams)]
        self._finish(drawn, None, dict(zip(self.names, colors, strict=True)))
        return Panel(drawn, "", TeamLegend(self.names, colors))

    def _map(
        self, name: str, legend: Legend, heights: tuple[float, float] | None
    ) -> NDArray[np.uint8]:
        world, is_layer = self.world, name in self.world.imap
        if name in world.maps:
            assert isinstance(legend, ScaleLegend)
            drawn = frame(
                world.maps[name],
                colors=legend.colors,
                space=self._space,
                heights=heights,
                sources=False,
                **self._place,
            )
        else:
            colors = [*self._teams.values()]
            options = {"space": self._space, "opacity": _OPACITY[name], **self._place}
            if name == "owner":
                drawn = frame_owners(self._on_map(world.owner()), colors, **options)
            else:
                shares = [world.maps[f"share {team}"].values for team in self._teams]
                drawn = frame_shares([self._on_map(each) for each in shares], colors, **options)
        layer = world.imap[name] if is_layer else None
        if isinstance(layer, TrailLayer) and self.look.arrows and world.holds_vectors(name):
            high = self.limits[name][1]
            threshold = max(self.look.threshold, high / 50)
            place = Placement(self._space, **self._place)
            ground = grid_of(layer.space, "A picture with arrows")
            draw_arrows(drawn, place, ground, layer.vectors, limit=high, threshold=threshold)
        marked: dict[str, Color | None] = {name: self._teams.get(name)}
        self._finish(drawn, heights, marked if is_layer else {**self._teams})
        return drawn

    def _finish(
        self,
        drawn: NDArray[np.uint8],
        heights: tuple[float, float] | None,
        layers: dict[str, Color | None],
    ) -> None:
        """Draw the front lines, and what acts on some layers in their colors."""
        place = Placement(self._space, heights=heights, **self._place)
        if self._fronts:
            draw_lines(drawn, place, self._fronts)
        groups = []
        for name, color in layers.items() if self.look.sources else ():
            if name in self.world.imap:
                places, strengths = self.world.actors_on(name)
                if not isinstance(self._space, Grid):
                    cells = np.atleast_1d(self._space.cell_at(places, outside="clamp"))
                    places = self._space.position_of(cells)
                groups.append((places, strengths, None if color is None else parse_color(color)))
        mark_sources(drawn, place, groups)

    def _legend(self, name: str) -> Legend:
        if name not in self.world.maps:
            colors = [*self._teams.values()]
            return TeamLegend([*self._teams], colors, opacity=_OPACITY[name])
        percent = name.startswith("share ") and name not in self.world.imap
        return ScaleLegend(self._scale(name), beyond=self._beyond(name), percent=percent)

    def _on_map(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the teams' cells at the cells of the map, which may be finer."""
        own = self.world.imap[next(iter(self._teams))].space
        return Subject(values, own, None, "").on(self._space)

    def _scale(self, name: str) -> ColorScale:
        return ColorScale(*self.limits[name], self.look.threshold, self._table(name))

    def _beyond(self, name: str) -> tuple[bool, bool]:
        values, scale = self.world.maps[name].values, self._scale(name)
        low, high = np.float32(scale.low), np.float32(scale.high)
        return bool((values < low).any()), bool((values > high).any())

    def _table(self, name: str) -> Table | None:
        """The colors of a map: those of the recipe, of its team, or (None) the usual ones."""
        given = self._colors.get(name)
        if given is not None:
            return between(*given) if isinstance(given, list) else tinted(given)
        if name in self._teams:
            return tinted(self._teams[name])
        what, _, team = name.partition(" ")
        color = self._teams.get(team)
        is_of_team = name in maps_of_teams(tuple(self._teams)) and name not in self.world.imap
        if color is None or not is_of_team or what == "vulnerability":
            return None
        if what == "share":
            return tinted(color)
        others = [other for each, other in self._teams.items() if each != team]
        return between(others[0] if len(others) == 1 else _OTHERS, color)


class Painter:
    """Draws one output of one world, or of several side by side, moment by moment.

    All its pictures have the same size, and the same colors for the same values. `names` are the
    titles of the worlds, `size` the pixels along a side of each map at most, `columns` how many
    worlds stand beside each other.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        output: OutputPart,
        *,
        size: int,
        names: Sequence[str] = ("",),
        columns: int | None = None,
    ) -> None:
        self.worlds, self.output, self.size = worlds, output, size
        self.names, self.columns = names, columns
        self.limits = limits_of(worlds, output)
        self.caption = caption_of(worlds, output)
        self._shape: tuple[int, int] | None = None

    def draw(self) -> NDArray[np.uint8]:
        """The whole picture of this moment: uint8 of shape (H, W, 4)."""
        seconds = self.worlds[0].recipe.run.seconds
        if self._shape is None:
            # A title can be wider than the maps, and some digits are wider than others.
            widest = max("0123456789", key=measure)
            self._shape = self._page(re.sub(r"\d", widest, clock(seconds, seconds))).shape[:2]
        page = self._page(clock(self.worlds[0].seconds, seconds))
        missing = [
            (0, max(0, most - now)) for most, now in zip(self._shape, page.shape[:2], strict=True)
        ]
        padded = np.pad(page, (*missing, (0, 0)), mode="edge")
        return padded[: self._shape[0], : self._shape[1]]

    def _page(self, moment: str) -> NDArray[np.uint8]:
        panels: list[Panel] = []
        for world, name in zip(self.worlds, self.names, strict=True):
            shown, is_one_legend = Panels(world, self.output, self.limits, self.size).draw()
            panels += [
                panel._replace(title=", ".join(filter(None, (name, panel.title))))
                for panel in shown
            ]
        recipe, titles = self.worlds[0].recipe, [panel.title for panel in panels]
        columns = self.columns or self.output.look.columns
        if len(self.worlds) > 1 and len(shown) > 1:
            # Each world has a row of its own, unless several are to stand beside each other.
            columns = len(shown) * (self.columns or 1)
        return sheet(
            [panel.drawn for panel in panels],
            titles if any(titles) else None,
            columns=columns,
            legend=shown[-1].legend if is_one_legend else [panel.legend for panel in panels],
            title=(self.output.look.title or recipe.title)
            + (f", {moment}" if recipe.run.seconds else ""),
            caption=self.caption,
        )


def clock(seconds: float, longest: float) -> str:
    """A moment as people read it: 12.4 s, or 3:05 where the longest is two minutes or more."""
    if longest < 120:
        return f"{seconds:.1f} s"
    rounded = math.floor(seconds + 1e-6)
    return f"{rounded // 60}:{rounded % 60:02d}"


def caption_of(worlds: Sequence[World], output: OutputPart) -> str:
    """The caption of an output, with what a viewer must know of recordings whose old positions
    fade.
    """
    half_lives = set[float]().union(*(world.fading(output.layers) for world in worlds))
    if not half_lives:
        return output.look.caption.strip()
    numbers = [f"{seconds:g}" for seconds in sorted(half_lives)]
    several = f"{numbers[0]} to {numbers[-1]}"
    if len(numbers) < 6:
        several = " or ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1])))
    return f"{output.look.caption} {_FADING.format(seconds=several)}".strip()


def limits_of(worlds: Sequence[World], output: OutputPart) -> dict[str, tuple[float, float]]:
    """The values at the ends of the colors of each map shown.

    They are the recipe's `limits`, or all that anything brings into the layers shown, 0 included;
    what follows from teams has the range of the teams' sources, on both sides where it is signed.
    Layers that fade and those of stamps have ranges of their own.
    """
    given = output.look.limits or {}
    if not isinstance(given, dict):
        return dict.fromkeys(output.layers, given)
    world = worlds[0]
    shown = [name for name in output.layers if name not in given]
    trails = [name for name in shown if world.is_trail(name)]
    if trails:
        raise InvalidValue(
            "A picture of a trail has limits, so that its colors keep their meaning",
            got=f"{trails[0]!r} without any",
            remedy=f"Write [[outputs]] with limits = {{ {trails[0]} = [0, 1] }}, say",
        )
    live = [name for name in shown if name in world.imap and world.has_sources(name)]
    return {
        **given,
        **{name: _range(worlds, name, live if name in live else [name]) for name in shown},
    }


def _range(worlds: Sequence[World], name: str, layers: Sequence[str]) -> tuple[float, float]:
    what, is_layer = name.split(" ")[0], name in worlds[0].imap
    if not is_layer and what in ("share", "owner"):
        return (0.0, 1.0)
    teams = worlds[0].recipe.teams
    sources = layers if is_layer else teams.names if teams else ()
    ranges = [world.strongest(each) for world in worlds for each in sources]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    if not low < high:
        return (0.0, 1.0)
    return (-high, high) if what == "influence" and not is_layer else (low, high)
