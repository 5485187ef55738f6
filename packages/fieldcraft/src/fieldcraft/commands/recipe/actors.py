"""The actors of a recipe: sources on their paths, recordings that play, deposits at their moments.

On a layer that spreads, floods or radiates they are its live sources. On one that fades they mark
their path, on a trail they leave something along it, and on one of stamps each holds a stamp.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside, IfSourceOnWall
from fieldcraft.commands.recipe.recipe_parts import (
    DepositPart,
    LayerPart,
    RecipeFile,
    SourcePart,
    TimelinePart,
)
from fieldcraft.formats.recordings.playback import Playback
from fieldcraft.layers import Layer, RadialLayer
from fieldcraft.layers.sources.placing import place
from fieldcraft.space import Space
from fieldcraft.space.cells import on_map

Places = NDArray[np.float64]


class Policies(NamedTuple):
    """The policies for a place on a wall, and for one off the map."""

    on_wall: IfSourceOnWall
    outside: IfOutside


def settled(layer: Layer, points: Places, policies: Policies) -> Places:
    """Return the positions of stamps: `points`, moved to open ground and onto the map where the
    policies want it.
    """
    points = np.asarray(on_map(layer.space, points, policies.outside))
    _, cells = place(layer.space, points, on_wall=policies.on_wall, outside=policies.outside)
    moved = cells != layer.space.cell_at(points)
    return np.where(moved[:, np.newaxis], layer.space.position_of(cells), points)


def check_places(
    space: Space, places: Places, part: SourcePart | DepositPart, key: str, problems: RecipeFile
) -> None:
    """Report the first position that is off the map or in a wall against the policy."""
    try:
        place(space, places, on_wall=part.on_wall, outside=part.outside)
    except InvalidValue as error:
        problems.report_error((*part.keys, key), error)


_MOST_PIECES = 1000
_NEAR = 1e-9


class Actor:
    """Something that acts on a layer from moment to moment."""

    def __init__(self, layer: Any, layer_part: LayerPart, policies: Policies) -> None:
        self.layer = layer
        self.layer_part = layer_part
        self.policies = policies

    def act(self, now: float, passed: float) -> None:
        """Act at a moment, so many seconds after the previous one."""

    def stamp(self) -> None:
        """Stamp onto a cleared layer of stamps."""

    def shown(self) -> tuple[Places, NDArray[np.float64]]:
        """Return where it is now, (N, 2), and how strong there, (N,)."""
        return np.zeros((0, 2)), np.zeros(0)

    def _stamp_at(self, places: Places, strengths: Any, rotations: Any = 0.0) -> None:
        """Apply the layer's stamp at places."""
        stamping = self.layer_part.stamping
        assert stamping is not None
        self.layer.stamp(
            stamping.stamp,
            settled(self.layer, places, self.policies),
            strengths,
            rotations=rotations,
            how=stamping.how,
            blend=stamping.blend,
        )

    def _mark_at(self, places: Any, amounts: Any) -> None:
        """Mark places as the layer's part says."""
        self.layer.mark(places, amounts, **vars(self.layer_part.mark), **self.policies._asdict())

    def _leave(
        self,
        before: Places,
        after: Places,
        strengths: NDArray[np.float64],
        passed: float,
    ) -> None:
        """Leave marks or a trail along the paths of walkers from (N, 2) to (N, 2), piece by piece
        so that no cell is left out.

        Marks have the whole strength. A trail of numbers gets the strength times the seconds that
        passed, one of vectors the strength times the path.
        """
        if not len(after):
            return
        space = self.layer.space
        steps = space.shortest_vectors(after - before)
        longest = float(np.sqrt((steps**2).sum(axis=1)).max())
        # A longer piece than a typical step may leave a cell out.
        if len(space.adjacency.ends):
            stride = space.typical_step
        else:
            stride = math.inf
        pieces = min(max(math.ceil(longest / stride), 1), _MOST_PIECES)
        shares = np.arange(pieces, 0, -1)[:, np.newaxis, np.newaxis] / pieces - 1
        points = (after + shares * steps).reshape(-1, after.shape[1])
        valid = np.ones(len(points), dtype=np.bool_)
        if self.policies.on_wall == "refuse":  # walls between two moments hold nothing
            cells = np.asarray(space.cell_at(points[len(after) :], outside="clamp"), dtype=np.int64)
            valid[len(after) :] = ~space.walls.reshape(-1)[cells]
        points = points[valid]
        many = np.tile(strengths, pieces)[valid]
        if self.layer_part.mark is not None:
            self._mark_at(points, many)
            return
        amounts: NDArray[np.float64] = many * (passed / pieces)
        if self.layer_part.vector:
            amounts = np.tile(strengths[:, np.newaxis] * steps[:, :2] / pieces, (pieces, 1))[valid]
        if np.any(amounts):
            self.layer.deposit(points, amounts, **self.policies._asdict())


class Scripted(Actor):
    """A source of the recipe, with its place at every moment."""

    def __init__(self, part: SourcePart, layer: Any, layer_part: LayerPart) -> None:
        super().__init__(layer, layer_part, Policies(part.on_wall, part.outside))
        self.part = part
        path = np.array(part.path)
        self._times = path[:, 0]
        self._points = path[:, 1:]
        self._source: Any = None
        self._released: int | None = None
        self._here: Places | None = None
        if part.rotation == "heading":
            self._turn = 0.0
        else:
            self._turn = float(part.rotation)

    def _places(self, times: NDArray[np.float64]) -> Places:
        """Return where it is at some moments, (N, 2)."""
        if self.part.repeat:
            times = self._times[0] + (times - self._times[0]) % (self._times[-1] - self._times[0])
        return np.stack([np.interp(times, self._times, axis) for axis in self._points.T], axis=1)

    def check(self, step: float, seconds: float, problems: RecipeFile) -> None:
        """Report the first place, by steps of the run, where it cannot be."""
        if len(self._points) == 1:
            check_places(self.layer.space, self._points, self.part, "position", problems)
            return
        until = seconds
        if self.part.until is not None:
            until = min(seconds, self.part.until)
        first = math.ceil(self.part.start / step - _NEAR)
        last = math.floor(until / step + _NEAR)
        times = np.arange(first, max(first, last) + 1, dtype=np.float64) * step
        check_places(self.layer.space, self._places(times), self.part, "path", problems)

    def act(self, now: float, passed: float) -> None:
        """Appear, move, deposit, or disappear."""
        part = self.part
        if self._released is not None:
            return
        if now + _NEAR < part.start or (part.until is not None and now + _NEAR >= part.until):
            if self._source is not None:
                self._source.remove()
            self._source = None
            self._here = None
            return
        place = self._places(np.array([now]))
        before = self._here
        self._here = place
        if self.layer_part.is_live:
            self._set_source(place)
            return
        begun = place if before is None else before
        if part.repeat and self._jumped(now, passed):
            begun = place
        step = (place - begun)[0]
        if part.rotation == "heading" and step.any():
            self._turn = math.degrees(math.atan2(step[1], step[0]))
        if not self.layer_part.is_cleared and not (before is None and self.layer_part.gathers):
            self._leave(begun, place, np.array([part.strength]), passed)

    @property
    def source(self) -> int | None:
        """The id of its live source, also after it was released; None while there is none."""
        if self._source is None:
            return self._released
        return int(self._source.id)

    def release(self, source: int) -> None:
        """Stop acting, if this is its live source."""
        if self._source is not None and self._source.id == source:
            self._source = None
            self._released = source

    def _jumped(self, now: float, passed: float) -> bool:
        """Return whether a repeated path has started again since the last moment, away from its
        end.
        """
        length = self._times[-1] - self._times[0]
        rounds = [
            math.floor((moment - self._times[0]) / length + _NEAR) for moment in (now - passed, now)
        ]
        return rounds[0] != rounds[1] and bool((self._points[0] != self._points[-1]).any())

    def _set_source(self, place: Places) -> None:
        """Create its live source, or move it."""
        part = self.part
        where = tuple(place[0])
        if self._source is None:
            own = {}
            if isinstance(self.layer, RadialLayer):
                own = {"radius": part.radius, "falloff": part.falloff}
            policies = self.policies._asdict()
            self._source = self.layer.add_source(where, part.strength, **policies, **own)
        elif len(self._points) > 1:
            self._source.move(where, **self.policies._asdict())

    def stamp(self) -> None:
        """Apply its stamp at its position."""
        if self._here is not None:
            self._stamp_at(self._here, self.part.strength, self._turn)

    def shown(self) -> tuple[Places, NDArray[np.float64]]:
        """Return its place and strength, if it is there."""
        if self._here is None:
            return super().shown()
        return (self._here, np.array([self.part.strength]))


class Recorded(Actor):
    """All recordings that play into one layer."""

    def __init__(self, layer: Any, layer_part: LayerPart, policies: Policies) -> None:
        super().__init__(layer, layer_part, policies)
        self.players: list[tuple[TimelinePart, Playback]] = []
        self._keys: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._places: Places = np.zeros((0, 2))
        self._strengths: NDArray[np.float64] = np.zeros(0)

    def act(self, now: float, passed: float) -> None:
        """Go on to a moment."""
        keys = []
        places = []
        strengths = []
        offset = 0
        for part, player in self.players:
            player.advance_to(now + part.start)
            for group, name in part.layers.items():
                if name == self.layer.name:
                    living = player.living(group)
                    keys.append(living.keys + offset)
                    places.append(living.positions)
                    strengths.append(living.strengths * part.strength)
            offset += len(player.timeline.ids)
        keys_before = self._keys
        places_before = self._places
        self._keys = np.concatenate(keys)
        self._places = np.concatenate(places)
        self._strengths = np.concatenate(strengths)
        if self.layer_part.is_live:
            policies = self.policies._asdict()
            self.layer.sync(self._keys, self._places, self._strengths, **policies)
        elif not self.layer_part.is_cleared:
            self._leave_since(keys_before, places_before, passed)

    def _leave_since(self, keys: NDArray[np.int64], places: Places, passed: float) -> None:
        """Deposit along the walks from the places of the moment before."""
        order = np.argsort(keys, kind="stable")
        at = np.minimum(np.searchsorted(keys[order], self._keys), max(len(order) - 1, 0))
        known = np.zeros(len(self._keys), dtype=np.bool_)
        if len(order):
            known = keys[order][at] == self._keys
        before = self._places.copy()
        before[known] = places[order][at[known]]
        # On a trail, one that has just come has left nothing yet.
        chosen = np.ones(len(known), dtype=np.bool_)
        if self.layer_part.gathers:
            chosen = known
        after = self._places[chosen]
        strengths = self._strengths[chosen]
        self._leave(before[chosen], after, strengths, passed)

    def range(self) -> list[float]:
        """Return the lowest and highest strengths of each recording."""
        found = []
        for part, player in self.players:
            timeline = player.timeline
            chosen = [group for group, name in part.layers.items() if name == self.layer.name]
            rows = np.isin(timeline.group_of, [timeline.groups.index(group) for group in chosen])
            strengths = timeline.strengths[rows] * part.strength
            found += [float(strengths.min(initial=0)), float(strengths.max(initial=0))]
        return found

    def stamp(self) -> None:
        """Apply the stamp of the layer at each place."""
        if len(self._places):
            self._stamp_at(self._places, self._strengths)

    def shown(self) -> tuple[Places, NDArray[np.float64]]:
        """Return all places and strengths."""
        return self._places, self._strengths


class Deposit(Actor):
    """A deposit of the recipe."""

    def __init__(self, part: DepositPart, layer: Any, layer_part: LayerPart) -> None:
        super().__init__(layer, layer_part, Policies(part.on_wall, part.outside))
        self.part = part
        self._is_done = False

    def act(self, now: float, passed: float) -> None:
        """Deposit, when the moment has come."""
        part = self.part
        if self._is_done or now + _NEAR < part.at:
            return
        self._is_done = True
        if self.layer_part.mark is not None:
            self._mark_at(part.position, part.amount)
        else:
            self.layer.deposit(part.position, part.amount, **self.policies._asdict())


def recordings(
    layers: dict[str, tuple[Any, LayerPart]],
    players: list[tuple[TimelinePart, Playback]],
    problems: RecipeFile,
) -> list[Recorded]:
    """Return the recordings that play into each layer; they share one policy for walls and the rim
    of the map.
    """
    found: dict[str, Recorded] = {}
    for part, player in players:
        policies = Policies(part.on_wall, part.outside)
        for name in dict.fromkeys(part.layers.values()):
            recorded = found.setdefault(name, Recorded(*layers[name], policies))
            if recorded.policies != policies:
                problems.report(
                    part.keys,
                    "Recordings that play into one layer have the same on_wall and outside. Layer"
                    f" {name!r} has two kinds.",
                )
            recorded.players.append((part, player))
    return list(found.values())
