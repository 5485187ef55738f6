"""A recipe come alive: its map, its layers, and everything that acts on them, moved on by one clock."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.compose import formula
from fieldcraft.compose.teams import Teams, add_teams
from fieldcraft.errors import FieldcraftError
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import Layer
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation import Radial, Spread
from fieldcraft.recipe.document import dotted
from fieldcraft.recipe.loading import ground_of, load_space, load_timeline
from fieldcraft.recipe.parse_layers import indented, maps_of_teams
from fieldcraft.recipe.parts import DepositPart, LayerPart, Recipe, SourcePart, TimelinePart
from fieldcraft.recipe.section import Problems
from fieldcraft.sources.playback import Playback
from fieldcraft.space import Grid, grid_of

__all__ = ["World"]

MAX_STEPS = 2**31 - 1


class World:
    """The influence map of a recipe and its clock.

    Building it reads the map and the recordings and checks every position beforehand; what is wrong raises `BadRecipe`
    with all problems at once. `go_to(seconds)` moves on. `imap` is the influence map, `maps` are its layers and all that follows from
    them by name, `teams` the teams if there are any, `ground` the colours of the ground if it has its own.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        problems = Problems(recipe.document)
        space = load_space(recipe.map, problems)
        timelines = [(part, load_timeline(part, problems)) for part in recipe.timelines]
        if space is not None:
            self.imap = InfluenceMap(space)
            self.ground = ground_of(recipe.map, space)
            self.teams: Teams | None = None
            self.maps: dict[str, Operand] = {}
            self._add_layers(problems)
            self._add_formulas(problems)
        problems.raise_all()
        self.step = recipe.step
        self.steps = math.floor(recipe.run.seconds / self.step + 1e-9)
        self._scripted = [_Scripted(part, self.imap[part.layer]) for part in recipe.sources]
        self._deposits = [_Deposit(part, self.imap[part.layer]) for part in recipe.deposits]
        players = [(part, timeline.play(faint=part.faint)) for part, timeline in timelines if timeline is not None]
        self._recorded = _by_layer(self.imap, players, problems)
        for scripted in self._scripted:
            scripted.check(self.step, recipe.run.seconds, problems)
        for deposit in self._deposits:
            _check_places(deposit.layer, np.array([deposit.part.position]), deposit.part, "position", problems)
        for output in recipe.outputs:
            for name, point in output.points.items():
                if not _on_map(grid_of(self.imap.space, "A recipe"), np.array([point]))[0]:
                    problems.add(
                        (*output.keys, "points", name), f"{dotted(output.keys)}: A point lies on the map. Got {list(point)}. Move it."
                    )
        problems.raise_all()
        self.updates = dict.fromkeys(self.imap.layers, 0)
        self._done = 0
        self._act()
        for layer in self.imap.layers.values():
            if recipe.run.settle or isinstance(layer.propagation, Radial):
                layer.settle()

    @property
    def seconds(self) -> float:
        """The world's time."""
        return self._done * self.step

    def go_to(self, seconds: float) -> None:
        """Moves on to the last step at or before `seconds`; never goes back."""
        target = min(math.floor(seconds / self.step + 1e-9), self.steps)
        while self._done < target:
            report = self.imap.advance(self.step, max_steps=MAX_STEPS)
            for name, count in report.steps.items():
                self.updates[name] += count
            self._done += 1
            self._act()
            for name, layer in self.imap.layers.items():
                # A radial layer shows its sources where they are now; waves that spread take their time.
                if report.steps[name] and isinstance(layer.propagation, Radial):
                    layer.settle()

    def _act(self) -> None:
        now = self._done * self.step
        for scripted in self._scripted:
            scripted.act(now)
        for recorded in self._recorded:
            recorded.act(now)
        for deposit in self._deposits:
            deposit.act(now)

    def _add_layers(self, problems: Problems) -> None:
        teams = self.recipe.teams
        for part in self.recipe.layers:
            try:
                self.imap.add_layer(part.name, _propagation(part), **_grid_options(part))
            except FieldcraftError as error:
                problems.add(part.keys, f"layers.{part.name}: {error}")
        if teams is not None:
            try:
                propagation = _propagation(teams.layer)
                self.teams = add_teams(self.imap, teams.names, propagation, hostile=teams.hostile, **_grid_options(teams.layer))
            except FieldcraftError as error:
                problems.add(("teams",), f"teams: {error}")
        self.maps.update(self.imap.layers)
        if self.teams is not None and teams is not None:
            for name in maps_of_teams(teams.names):
                self.maps[name] = _map_of(self.teams, name, teams.stake)

    def _add_formulas(self, problems: Problems) -> None:
        for part in self.recipe.formulas:
            try:
                self.maps[part.name] = formula(part.text, self.maps)
            except FieldcraftError as error:
                problems.add(part.keys, f"maps.{part.name}: {indented(error)}")

    def owner(self) -> NDArray[np.int32]:
        """The number of the team that owns each cell of the teams' layers, -1 for nobody, shape (height, width)."""
        part, teams = self.recipe.teams, self.teams
        assert part is not None
        assert teams is not None
        return teams.owner(by=part.owner_by, margin=part.margin)

    def front_lines(self) -> list[NDArray[np.float64]]:
        """The lines between the ground of teams that are hostile to each other, in world units, shape (N, 2) each."""
        part, teams = self.recipe.teams, self.teams
        assert part is not None
        assert teams is not None
        return [line.points for line in teams.front_lines(by=part.owner_by)]

    def holdings(self, what: str) -> list[float]:
        """How much of the open ground each team holds, 0 to 1, and last how much nobody does.

        "share": the mean of the team's share over the open cells. "owned": the part of them that it owns.
        """
        assert self.teams is not None
        names = self.teams.names
        is_open = ~self.teams[names[0]].space.walls
        cells = max(int(np.count_nonzero(is_open)), 1)
        if what == "owned":
            owner = self.owner()[is_open]
            found = [int(np.count_nonzero(owner == number)) / cells for number in range(len(names))]
        else:
            found = [float(self.maps[f"share {name}"].values[is_open].sum(dtype=np.float64)) / cells for name in names]
        return [*found, max(1.0 - sum(found), 0.0)]

    def strongest(self, name: str) -> tuple[float, float]:
        """The lowest and the highest strength, 0 included, that anything of the recipe brings into a layer."""
        strengths = [0.0]
        strengths += [part.strength for part in self.recipe.sources if part.layer == name]
        strengths += [part.amount for part in self.recipe.deposits if part.layer == name]
        for recorded in self._recorded:
            if recorded.layer.name == name:
                for part, player in recorded.players:
                    rows = np.isin(
                        player.timeline.group_of, [player.timeline.groups.index(g) for g, to in part.layers.items() if to == name]
                    )
                    if rows.any():
                        played = player.timeline.strengths[rows] * part.strength
                        strengths += [float(played.min()), float(played.max())]
        return min(strengths), max(strengths)

    def fading(self, names: Iterable[str]) -> dict[str, set[float]]:
        """By format of recording, the half-lives in seconds of what fades in some layers."""
        found: dict[str, set[float]] = {}
        for recorded in self._recorded:
            if recorded.layer.name in names:
                for part, player in recorded.players:
                    half_lives = player.timeline.half_lives
                    found.setdefault(part.format, set()).update(np.unique(half_lives[np.isfinite(half_lives)]).tolist())
        return {kind: half_lives for kind, half_lives in found.items() if half_lives}


def _map_of(teams: Teams, name: str, stake: float) -> Operand:
    """The map that follows from teams by its name in a recipe: "tension", "share red"."""
    what, _, team = name.partition(" ")
    if what == "tension":
        return teams.tension()
    if what == "contested":
        return teams.contested()
    if what == "influence":
        return teams.influence(team)
    if what == "share":
        return teams.share(team)
    return teams.vulnerability(team, stake=stake) if team else teams.vulnerability()


def _propagation(part: LayerPart) -> Spread | Radial:
    return Spread(**part.options) if part.kind == "spread" else Radial(**part.options)


def _grid_options(part: LayerPart) -> dict[str, Any]:
    return {"every": part.every, "cell_size": part.cell_size, "walls": None if part.walls else False}


class _Scripted:
    """A source of the recipe, with its place at every moment."""

    def __init__(self, part: SourcePart, layer: Layer) -> None:
        self.part = part
        self.layer = layer
        path = np.array(part.path)
        self._times, self._points = path[:, 0], path[:, 1:]
        self._source: Any = None

    def _places(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.part.repeat:
            times = self._times[0] + (times - self._times[0]) % (self._times[-1] - self._times[0])
        return np.stack([np.interp(times, self._times, self._points[:, axis]) for axis in range(2)], axis=1)

    def check(self, step: float, seconds: float, problems: Problems) -> None:
        until = min(seconds, math.inf if self.part.until is None else self.part.until)
        if len(self._points) == 1:
            _check_places(self.layer, self._points, self.part, "position", problems)
            return
        first, last = math.ceil(self.part.start / step - 1e-9), math.floor(until / step + 1e-9)
        times = np.arange(first, max(first, last) + 1, dtype=np.float64) * step
        _check_places(self.layer, self._places(times), self.part, "path", problems, times)

    def act(self, now: float) -> None:
        part = self.part
        if now + 1e-9 < part.start or (part.until is not None and now + 1e-9 >= part.until):
            if self._source is not None:
                self._source.remove()
                self._source = None
            return
        if self._source is None:
            place = self._places(np.array([now]))[0]
            self._source = self.layer.add_source(
                tuple(place), part.strength, radius=part.radius, falloff=part.falloff, on_wall=part.on_wall, outside=part.outside
            )
        elif len(self._points) > 1:
            self._source.move(tuple(self._places(np.array([now]))[0]), on_wall=part.on_wall, outside=part.outside)


class _Recorded:
    """All recordings that play into one layer."""

    def __init__(self, layer: Layer, on_wall: str, outside: str) -> None:
        self.layer = layer
        self.on_wall, self.outside = on_wall, outside
        self.players: list[tuple[TimelinePart, Playback]] = []

    def act(self, now: float) -> None:
        keys, positions, strengths = [], [], []
        offset = 0
        for part, player in self.players:
            player.advance_to(now + part.start)
            for group, name in part.layers.items():
                if name == self.layer.name:
                    living = player.living(group)
                    keys.append(living.keys + offset)
                    positions.append(living.positions)
                    strengths.append(living.strengths * part.strength)
            offset += len(player.timeline.ids)
        self.layer.sync(
            np.concatenate(keys), np.concatenate(positions), np.concatenate(strengths), on_wall=self.on_wall, outside=self.outside
        )


class _Deposit:
    """A deposit of the recipe, with the moment of the next one."""

    def __init__(self, part: DepositPart, layer: Layer) -> None:
        self.part = part
        self.layer = layer
        self._count = 0

    def act(self, now: float) -> None:
        part = self.part
        while now + 1e-9 >= part.at + self._count * (part.every or 0.0) and (part.every is not None or self._count == 0):
            self.layer.deposit(part.position, part.amount, on_wall=part.on_wall, outside=part.outside)
            self._count += 1


def _by_layer(imap: InfluenceMap, players: list[tuple[TimelinePart, Playback]], problems: Problems) -> list[_Recorded]:
    """The recordings that play into each layer; they share one policy for walls and the rim of the map."""
    found: dict[str, _Recorded] = {}
    for part, player in players:
        for name in dict.fromkeys(part.layers.values()):
            recorded = found.setdefault(name, _Recorded(imap[name], part.on_wall, part.outside))
            if (recorded.on_wall, recorded.outside) != (part.on_wall, part.outside):
                problems.add(
                    part.keys, f"Recordings that play into one layer have the same on_wall and outside. Layer {name!r} has two kinds."
                )
            recorded.players.append((part, player))
    return list(found.values())


def _on_map(space: Grid, places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which places, shape (N, 2), lie on the map."""
    low = np.array(space.origin)
    return np.asarray(((places >= low) & (places < low + np.array(space.size))).all(axis=1) | space.wrap)


def _check_places(
    layer: Layer,
    places: NDArray[np.float64],
    part: SourcePart | DepositPart,
    key: str,
    problems: Problems,
    times: NDArray[np.float64] | None = None,
) -> None:
    """Notes the first place that lies outside of the map or on a wall against the part's policy."""
    space = grid_of(layer.space, "A recipe")
    low = np.array(space.origin)
    outside = ~_on_map(space, places) & (part.outside == "refuse")
    cells = np.asarray(space.cell_at(np.where(outside[:, np.newaxis], low, places), outside="clamp"))
    on_wall = space.walls.ravel()[cells] & ~outside & (part.on_wall == "refuse")
    wrong = np.flatnonzero(outside | on_wall)
    if not len(wrong):
        return
    first = int(wrong[0])
    x, y = places[first].tolist()
    moment = "" if times is None else f" at {times[first]:g} seconds"
    where = f"[{x:g}, {y:g}]{moment}"
    if outside[first]:
        high = low + np.array(space.size)
        rule = f"{key} lies on the map, x in {low[0]:g} to {high[0]:g} and y in {low[1]:g} to {high[1]:g}"
        remedy = 'Move it, or write outside = "clamp" for the nearest cell of the rim'
    else:
        rule = f"{key} lies on open ground"
        remedy = "The map has no open cell; check what counts as a wall"
        if not space.walls.all():
            x, y = space.position_of(space.nearest_open(int(cells[first]))).tolist()
            remedy = f'The nearest open cell is at [{x:g}, {y:g}]; or write on_wall = "nearest"'
    problems.add((*part.keys, key), f"{dotted(part.keys)}: {rule}. Got {where}. {remedy}.")
