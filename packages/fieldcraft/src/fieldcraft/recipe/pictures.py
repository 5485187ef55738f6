"""The pictures of a running recipe."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.layer import TrailLayer
from fieldcraft.recipe.legends import caption_of, clock, limits_of
from fieldcraft.recipe.parts import OutputPart, maps_of_teams
from fieldcraft.recipe.world import World
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
    frame_shares,
    frame_teams,
    sheet,
    tinted,
)
from fieldcraft.view.frame import Team, mark_sources, marker_size
from fieldcraft.view.legends import Legend
from fieldcraft.view.overlays import draw_markers
from fieldcraft.view.placement import Subject
from fieldcraft.view.text import measure

__all__ = ["SIZES", "Painter", "Panels", "panels"]

_OPACITY = {"owner": 0.6, "share": 0.8}
_OTHERS = "#9aa0ac"
SIZES = {"still": 960, "film": 640}


@dataclass(frozen=True)
class Panels:
    """The drawn maps of one moment, uint8 of shape (H, W, 4) each, with their titles, and one
    legend for all or one for each.
    """

    frames: list[NDArray[np.uint8]]
    titles: list[str]
    legend: Legend | list[Legend]


def panels(
    world: World, output: OutputPart, limits: dict[str, tuple[float, float]], size: int
) -> Panels:
    """The maps of this moment, at most `size` pixels along a side unless the recipe says otherwise.

    One map has a colour bar beside it. Several layers are drawn together in one hue each, or, where
    one may have negative values or the recipe says `together = false`, side by side with one colour
    bar. Where maps side by side mean different things, each has its own bar below.
    """
    return _Drawing(world, output, limits, size).panels()


@dataclass(frozen=True)
class _Actors:
    positions: NDArray[np.float64]
    strengths: NDArray[np.float64]


@dataclass(frozen=True)
class _Acted:
    space: Space
    values: NDArray[np.float32]
    sources: _Actors


class _Drawing:
    """One output at one moment."""

    def __init__(
        self, world: World, output: OutputPart, limits: dict[str, tuple[float, float]], size: int
    ) -> None:
        self.world, self.output, self.limits = world, output, limits
        self.look = output.look
        colors = self.look.colors
        self.colors: dict[str, Any] = (
            colors if isinstance(colors, dict) else dict(zip(output.layers, colors, strict=True))
        )
        self.threshold = self.look.threshold
        self.place: dict[str, Any] = {"size": self.look.size or size, "crop": self.look.crop}
        if self.look.scale:
            self.place["scale"] = self.look.scale
        self.fronts = world.front_lines() if self.look.front_lines else []

    def panels(self) -> Panels:
        if isinstance(self.world.imap.space, Grid):
            return self._on_squares()
        return self._from_above()

    def _on_squares(self) -> Panels:
        names = self.output.layers
        if len(names) > 1 and self._is_together():
            return self._together()
        tables = {name: self._table(name) for name in names}
        alike = len({self.limits[name] for name in names}) == 1 and (
            len(names) == 1 or not any(t is not None for t in tables.values())
        )
        if alike and all(name in self.world.maps for name in names):
            return self._alike(tables[names[0]])
        titles = list(names) if len(names) > 1 else [""]
        drawn = [self._with_legend(name, tables[name]) for name in names]
        return Panels([shown for shown, _ in drawn], titles, [legend for _, legend in drawn])

    def _from_above(self) -> Panels:
        """Each map seen from above, or floor by floor."""
        names, cuts = self.output.layers, self._cuts()
        tables = [self._table(name) for name in names]
        scales = [
            ColorScale(*self.limits[name], self.threshold, table)
            for name, table in zip(names, tables, strict=True)
        ]
        alike = len({self.limits[name] for name in names}) == 1 and (
            len(names) == 1 or all(table is None for table in tables)
        )
        marked = self.look.sources
        frames: list[NDArray[np.uint8]] = []
        titles: list[str] = []
        legends: list[Legend] = []
        for name, scale in zip(names, scales, strict=True):
            for heights in cuts:
                shown = (
                    self._with_actors(name)
                    if marked and name in self.world.imap
                    else self.world.maps[name]
                )
                place = {key: value for key, value in self.place.items() if key != "crop"}
                frames.append(frame(shown, heights=heights, colors=scale, sources=marked, **place))
                legends.append(ScaleLegend(scale, beyond=self._beyond(name, scale)))
                floor = "" if heights is None else f"z {heights[0]:.4g} to {heights[1]:.4g}"
                titles.append(
                    ", ".join(part for part in (name if len(names) > 1 else "", floor) if part)
                )
        beyond = [self._beyond(name, scales[0]) for name in names]
        legend = ScaleLegend(
            scales[0],
            names[0] if len(names) == 1 else "",
            beyond=(any(b for b, _ in beyond), any(a for _, a in beyond)),
        )
        return Panels(frames, titles, legend if alike else legends)

    def _with_actors(self, name: str) -> Any:
        """A layer on a graph, with all that acts on it in place of its sources."""
        layer = self.world.imap[name]
        places, strengths = self.world.actors_on(name)
        cells = np.asarray(layer.space.cell_at(places, outside="clamp"), dtype=np.int64).reshape(-1)
        positions = layer.space.position_of(cells)
        return _Acted(layer.space, layer.values, _Actors(positions, strengths))

    def _cuts(self) -> list[tuple[float, float] | None]:
        """The heights between which to draw; all of them as None."""
        floors = self.look.floors
        graph = self.world.imap.space
        if floors is None:
            return [None]
        heights = graph.positions[:, 2]
        cuts = (
            np.array(floors)
            if isinstance(floors, list)
            else np.linspace(float(heights.min()), float(heights.max()), floors + 1)
        )
        cuts[-1] = np.nextafter(cuts[-1], np.inf)
        return list(itertools.pairwise(cuts.tolist()))

    def _is_together(self) -> bool:
        names = self.output.layers
        layers = [name for name in names if name in self.world.imap]
        if len(layers) < len(names):
            return bool(self.look.together)
        lowest = min(min(self.limits[name][0], self.world.strongest(name)[0]) for name in names)
        return self.look.together is not False and lowest >= 0

    def _together(self) -> Panels:
        names = self.output.layers
        hues = [self.colors.get(name, self._team_color(name)) for name in names]
        limits = (
            min(self.limits[name][0] for name in names),
            max(self.limits[name][1] for name in names),
        )
        teams = [(self.world.maps[name], hue, name) for name, hue in zip(names, hues, strict=True)]
        marked = self.look.sources
        drawn = frame_teams(
            teams,
            limits=limits,
            threshold=self.threshold,
            space=self._space,
            sources=False,
            **self.place,
        )
        if marked:
            for team, name in zip(Team.all_of(teams), names, strict=True):
                self._mark_actors(drawn, name, team.color)
        self._finish(
            drawn,
            [
                team
                for team, name in zip(Team.all_of(teams), names, strict=True)
                if name in self.world.imap
            ]
            if marked
            else [],
        )
        colors = [team.color for team in Team.all_of(teams)]
        return Panels([drawn], [""], TeamLegend(names, colors))

    def _alike(self, table: NDArray[np.uint8] | None) -> Panels:
        names = self.output.layers
        scale = ColorScale(*self.limits[names[0]], self.threshold, table)
        beyond = [self._beyond(name, scale) for name in names]
        legend = ScaleLegend(
            scale,
            names[0] if len(names) == 1 else "",
            beyond=(any(b for b, _ in beyond), any(a for _, a in beyond)),
        )
        return Panels(
            [self._map(name, scale) for name in names],
            list(names) if len(names) > 1 else [""],
            legend,
        )

    def _with_legend(
        self, name: str, table: NDArray[np.uint8] | None
    ) -> tuple[NDArray[np.uint8], Legend]:
        teams = self.world.recipe.teams
        if name in self.world.maps:
            scale = ColorScale(*self.limits[name], self.threshold, table)
            percent = name.startswith("share ") and name not in self.world.imap
            legend = ScaleLegend(scale, beyond=self._beyond(name, scale), percent=percent)
            return self._map(name, scale), legend
        assert teams is not None
        options: dict[str, Any] = {"space": self._space, **self.place}
        options["opacity"] = _OPACITY[name]
        if name == "owner":
            owner = self._on_map(self.world.owner().astype(np.float32)).astype(np.int32)
            drawn = frame_owners(owner, teams.colors, **options)
        else:
            shares = [self._on_map(self.world.maps[f"share {team}"].values) for team in teams.names]
            drawn = frame_shares(shares, teams.colors, **options)
        self._finish(drawn, self._marked_teams())
        return drawn, TeamLegend(teams.names, teams.colors, opacity=_OPACITY[name])

    def _map(self, name: str, scale: ColorScale) -> NDArray[np.uint8]:
        is_layer = name in self.world.imap
        marked = self.look.sources
        teams = self.world.recipe.teams
        own = teams is not None and name in teams.names
        drawn = frame(
            self.world.maps[name],
            colors=scale,
            space=self._space,
            sources=marked and is_layer and not own,
            **self.place,
        )
        layer = self.world.imap[name] if is_layer else None
        if isinstance(layer, TrailLayer) and self.look.arrows and self.world.holds_vectors(name):
            ground = grid_of(layer.space, "A picture with arrows")
            place = Placement(self._space, **self.place)
            draw_arrows(
                drawn,
                place,
                ground,
                layer.vectors,
                limit=scale.high,
                threshold=max(scale.threshold or 0.0, scale.high / 50),
            )
        if marked and is_layer:
            self._mark_actors(drawn, name, None)
        self._finish(
            drawn, [team for team in self._marked_teams() if not is_layer or team.label == name]
        )
        return drawn

    def _mark_actors(
        self, drawn: NDArray[np.uint8], name: str, color: tuple[int, int, int] | None
    ) -> None:
        """Marks what acts on a layer without being its live source."""
        if name in self.world.imap and not self.world.has_sources(name):
            places, strengths = self.world.actors_on(name)
            if len(places):
                pixels = Placement(self._space, **self.place).pixel_of(places)
                draw_markers(drawn, pixels, strengths, marker_size(drawn, len(places)), color)

    def _finish(self, drawn: NDArray[np.uint8], marked: list[Team]) -> None:
        """The front lines, and the sources on top of them."""
        place = Placement(self._space, **self.place)
        if self.fronts:
            draw_lines(drawn, place, self.fronts)
        if marked:
            mark_sources(drawn, place, marked)

    def _on_map(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Values of the teams' cells at the cells of the map, which may be finer."""
        assert self.world.teams is not None
        own = grid_of(self.world.teams[self.world.teams.names[0]].space, "A recipe")
        return Subject(values, own, None, "").on(self._space)

    @property
    def _space(self) -> Grid:
        return grid_of(self.world.imap.space, "A recipe")

    def _marked_teams(self) -> list[Team]:
        teams = self.world.recipe.teams
        if teams is None or not self.look.sources:
            return []
        return Team.all_of(
            [
                (self.world.imap[name], color, name)
                for name, color in zip(teams.names, teams.colors, strict=True)
            ]
        )

    def _beyond(self, name: str, scale: ColorScale) -> tuple[bool, bool]:
        values = self.world.maps[name].values
        return bool((values < np.float32(scale.low)).any()), bool(
            (values > np.float32(scale.high)).any()
        )

    def _team_color(self, name: str) -> str | None:
        teams = self.world.recipe.teams
        return dict(zip(teams.names, teams.colors, strict=True)).get(name) if teams else None

    def _table(self, name: str) -> NDArray[np.uint8] | None:
        """The colours of a map: those of the recipe, of its team, or (None) the usual ones."""
        colors, teams = self.colors, self.world.recipe.teams
        if name in colors:
            return (
                between(*colors[name]) if isinstance(colors[name], list) else tinted(colors[name])
            )
        if name in self.world.imap or teams is None or name not in self.world.maps:
            return None if (own := self._team_color(name)) is None else tinted(own)
        what, _, team = name.partition(" ")
        color = self._team_color(team)
        if color is None or name not in maps_of_teams(teams.names) or what == "vulnerability":
            return None
        if what == "share":
            return tinted(color)
        other = teams.colors[1 - teams.names.index(team)] if len(teams.names) == 2 else _OTHERS
        return between(other, color)


class Painter:
    """Draws one output of one world, or of several side by side, moment by moment.

    All its pictures have the same size, and the same colours for the same values. `names` are the
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
        recipe = self.worlds[0].recipe
        whole = recipe.run.seconds
        if self._shape is None:
            # A title can be wider than the maps, and some digits are wider than others.
            widest = max("0123456789", key=measure)
            self._shape = self._page(re.sub(r"\d", widest, clock(whole, whole))).shape[:2]
        page = self._page(clock(self.worlds[0].seconds, whole))
        missing = [
            max(0, most - now) for most, now in zip(self._shape, page.shape[:2], strict=True)
        ]
        padded = np.pad(page, ((0, missing[0]), (0, missing[1]), (0, 0)), mode="edge")
        return padded[: self._shape[0], : self._shape[1]]

    def _page(self, moment: str) -> NDArray[np.uint8]:
        frames: list[NDArray[np.uint8]] = []
        titles: list[str] = []
        below: list[Legend] = []
        for world, name in zip(self.worlds, self.names, strict=True):
            shown = panels(world, self.output, self.limits, self.size)
            frames += shown.frames
            below += shown.legend if isinstance(shown.legend, list) else []
            titles += [", ".join(part for part in (name, title) if part) for title in shown.titles]
        recipe = self.worlds[0].recipe
        title = self.output.look.title or recipe.title
        if recipe.run.seconds:
            title += f", {moment}"
        names = titles if any(titles) else None
        columns = self.columns or self.output.look.columns
        if len(self.worlds) > 1 and len(shown.frames) > 1:
            # Each world has a row of its own, unless several are to stand beside each other.
            columns = len(shown.frames) * (self.columns or 1)
        return sheet(
            frames,
            names,
            columns=columns,
            legend=below or shown.legend,
            title=title,
            caption=self.caption,
        )
