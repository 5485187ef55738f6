"""The actors of a recipe: sources on their paths, recordings that play, deposits at their moments.

On a layer that spreads, floods or radiates they are its live sources. On one that fades they mark
the way that they go, on a trail they leave something along it, and of stamps they hold one each.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.layer import RadialLayer
from fieldcraft.propagation import Stamp
from fieldcraft.recipe.document import RecipeFile
from fieldcraft.recipe.parts import DepositPart, LayerPart, Mark, SourcePart, Stamping, TimelinePart
from fieldcraft.recipe.places import Places, Policies, check_places, settled, stride_of
from fieldcraft.recordings.playback import Playback

__all__ = ["Actor", "Deposit", "Recorded", "Scripted", "recordings"]

_MOST_PIECES = 1000
_NEAR = 1e-9


class Actor(Protocol):
    """Something that acts on a layer from look to look."""

    layer: Any
    of: LayerPart
    policies: Policies

    def act(self, now: float, passed: float) -> None:
        """Does what it does at a moment, so many seconds after the last look."""
        ...

    def stamp(self) -> None:
        """Puts its stamps on a layer of stamps that was cleared."""
        ...

    def shown(self) -> tuple[Places, NDArray[np.float64]]:
        """Where it is now, (N, 2), and how strong there, (N,)."""
        ...


def _leave(
    part: LayerPart,
    layer: Any,
    before: Places,
    after: Places,
    strengths: NDArray[np.float64],
    passed: float,
    policies: Policies,
    *,
    falloff: Any = None,
    radius: float | None = None,
    stamp: Stamp | None = None,
    turns: NDArray[np.float64] | None = None,
    scale: float = 1.0,
    direction: Places | None = None,
) -> None:
    """Let walkers from (N, 2) to (N, 2) leave what a layer takes along their ways, piece by piece
    so that no cell is left out.

    Marks have the whole strength. A trail of numbers gets the strength times the seconds that
    passed, one of vectors the strength times the way, or for those that stand times `direction` and
    the seconds.
    """
    if not len(after):
        return
    space = layer.space
    ways = space.shortest_vectors(after - before)
    pieces = min(
        max(math.ceil(float(np.sqrt((ways**2).sum(axis=1)).max()) / stride_of(space)), 1),
        _MOST_PIECES,
    )
    shares = np.arange(pieces, 0, -1)[:, np.newaxis, np.newaxis] / pieces - 1
    points = (after + shares * ways).reshape(-1, after.shape[1])
    kept = np.ones(len(points), dtype=np.bool_)
    if policies.on_wall == "refuse":  # walls that lie between two looks hold nothing
        cells = np.asarray(space.cell_at(points[len(after) :], outside="clamp"), dtype=np.int64)
        kept[len(after) :] = ~space.walls.reshape(-1)[cells]
    points, many = points[kept], np.tile(strengths, pieces)[kept]
    if part.mark is not None:
        around = replace(
            part.mark, radius=radius or part.mark.radius, falloff=falloff or part.mark.falloff
        )
        _mark(layer, points, many, around, policies)
        return
    amounts: NDArray[np.float64] = many * (passed / pieces)
    if part.vector:
        left = ways[:, :2] if direction is None else np.tile(direction * passed, (len(after), 1))
        amounts = np.tile(strengths[:, np.newaxis] * left / pieces, (pieces, 1))[kept]
    if not np.any(amounts):
        return
    stamping = part.stamping
    shape = stamp or (None if stamping is None else stamping.stamp)
    if stamping is None or shape is None:
        layer.deposit(points, amounts, on_wall=policies.on_wall, outside=policies.outside)
    else:
        layer.stamp(
            shape,
            settled(layer, points, policies),
            amounts,
            rotations=0.0 if turns is None else np.tile(turns, pieces)[kept],
            scales=scale,
            how=stamping.how,
        )


def _mark(layer: Any, points: Any, amounts: Any, mark: Mark, policies: Policies) -> None:
    layer.mark(
        points,
        amounts,
        radius=mark.radius,
        falloff=mark.falloff,
        metric=mark.metric,
        on_wall=policies.on_wall,
        outside=policies.outside,
    )


class Scripted:
    """A source of the recipe, with its place at every moment."""

    def __init__(self, part: SourcePart, layer: Any, of: LayerPart) -> None:
        self.part, self.layer, self.of = part, layer, of
        path = np.array(part.path)
        self._times, self._points = path[:, 0], path[:, 1:]
        self._source: Any = None
        self._released: int | None = None
        self._here: Places | None = None
        self._turn = 0.0 if part.rotation == "heading" else float(part.rotation)
        self.policies = Policies(part.on_wall, part.outside)

    def _places(self, times: NDArray[np.float64]) -> Places:
        if self.part.repeat:
            times = self._times[0] + (times - self._times[0]) % (self._times[-1] - self._times[0])
        return np.stack(
            [
                np.interp(times, self._times, self._points[:, axis])
                for axis in range(self._points.shape[1])
            ],
            axis=1,
        )

    def check(self, step: float, seconds: float, problems: RecipeFile) -> None:
        """Notes the first place where it cannot be."""
        until = min(seconds, math.inf if self.part.until is None else self.part.until)
        if len(self._points) == 1:
            check_places(self.layer, self._points, self.part, "position", problems)
            return
        first, last = math.ceil(self.part.start / step - _NEAR), math.floor(until / step + _NEAR)
        times = np.arange(first, max(first, last) + 1, dtype=np.float64) * step
        check_places(self.layer, self._places(times), self.part, "path", problems, times)

    def act(self, now: float, passed: float) -> None:
        """Comes, walks on, leaves what it leaves, or goes."""
        part = self.part
        if self._released is not None:
            return
        if now + _NEAR < part.start or (part.until is not None and now + _NEAR >= part.until):
            if self._source is not None:
                self._source.remove()
            self._source = self._here = None
            return
        place = self._places(np.array([now]))
        before, self._here = self._here, place
        if self.of.is_live:
            self._stand(place)
            return
        begun = place if before is None else before
        if part.repeat and self._jumped(now, passed):
            begun = place
        way = (place - begun)[0]
        if part.rotation == "heading" and way.any():
            self._turn = math.degrees(math.atan2(way[1], way[0]))
        if not self.of.is_cleared and not (before is None and self.of.gathers):
            _leave(
                self.of,
                self.layer,
                begun,
                place,
                np.array([part.strength]),
                passed,
                self.policies,
                falloff=part.falloff,
                radius=part.radius,
                stamp=part.stamp,
                turns=np.array([self._turn]),
                scale=part.scale,
                direction=None if part.direction is None else np.array(part.direction),
            )

    @property
    def source(self) -> int | None:
        """The id of the live source that is its own, or was before it was released; None while
        there is none.
        """
        return self._released if self._source is None else int(self._source.id)

    def release(self, source: int) -> None:
        """Does nothing from now on, if this is its live source."""
        if self._source is not None and self._source.id == source:
            self._source, self._released = None, source

    def _jumped(self, now: float, passed: float) -> bool:
        """Whether a path that repeats began anew since the last look, somewhere else than where it
        ended.
        """
        length = self._times[-1] - self._times[0]
        rounds = [
            math.floor((moment - self._times[0]) / length + _NEAR) for moment in (now - passed, now)
        ]
        return rounds[0] != rounds[1] and bool((self._points[0] != self._points[-1]).any())

    def _stand(self, place: Places) -> None:
        part = self.part
        if self._source is None:
            own = (
                {"radius": part.radius, "falloff": part.falloff}
                if isinstance(self.layer, RadialLayer)
                else {}
            )
            self._source = self.layer.add_source(
                tuple(place[0]), part.strength, **self.policies._asdict(), **own
            )
        elif len(self._points) > 1:
            self._source.move(tuple(place[0]), **self.policies._asdict())

    def stamp(self) -> None:
        """Puts its stamp where it is."""
        if self._here is None:
            return
        part, stamping = self.part, self.of.stamping
        assert stamping is not None
        self.layer.stamp(
            part.stamp or stamping.stamp,
            settled(self.layer, self._here, self.policies),
            part.strength,
            rotations=self._turn,
            scales=part.scale,
            how=stamping.how,
            blend=stamping.blend,
        )

    def shown(self) -> tuple[Places, NDArray[np.float64]]:
        """Its place, if it is there."""
        if self._here is None:
            return np.zeros((0, 2)), np.zeros(0)
        return self._here, np.array([self.part.strength])


class Recorded:
    """All recordings that play into one layer."""

    def __init__(self, layer: Any, of: LayerPart, on_wall: str, outside: str) -> None:
        self.layer, self.of = layer, of
        self.policies = Policies(on_wall, outside)
        self.players: list[tuple[TimelinePart, Playback]] = []
        self._keys: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._places: Places = np.zeros((0, 2))
        self._strengths: NDArray[np.float64] = np.zeros(0)

    def act(self, now: float, passed: float) -> None:
        """Moves on to a moment."""
        keys, places, strengths = [], [], []
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
        self._take(np.concatenate(keys), np.concatenate(places), np.concatenate(strengths), passed)

    def _take(
        self, keys: NDArray[np.int64], places: Places, strengths: NDArray[np.float64], passed: float
    ) -> None:
        if self.of.is_live:
            self.layer.sync(
                keys,
                places,
                strengths,
                on_wall=self.policies.on_wall,
                outside=self.policies.outside,
            )
        elif not self.of.is_cleared:
            order = np.argsort(self._keys, kind="stable")
            at = np.minimum(np.searchsorted(self._keys[order], keys), max(len(order) - 1, 0))
            known = (
                np.zeros(len(keys), dtype=np.bool_)
                if not len(order)
                else self._keys[order][at] == keys
            )
            before = places.copy()
            before[known] = self._places[order][at[known]]
            if self.of.gathers:  # who has just come has left nothing yet
                before, after, amounts = before[known], places[known], strengths[known]
            else:
                after, amounts = places, strengths
            _leave(self.of, self.layer, before, after, amounts, passed, self.policies)
        self._keys, self._places, self._strengths = keys, places, strengths

    def stamp(self) -> None:
        """Puts the stamp of the layer at each place."""
        stamping = self.of.stamping
        if len(self._places) and stamping is not None:
            places = settled(self.layer, self._places, self.policies)
            self.layer.stamp(
                stamping.stamp, places, self._strengths, how=stamping.how, blend=stamping.blend
            )

    def shown(self) -> tuple[Places, NDArray[np.float64]]:
        """Where everybody is."""
        return self._places, self._strengths


class Deposit:
    """A deposit of the recipe, with the moment of the next one."""

    def __init__(self, part: DepositPart, layer: Any, of: LayerPart) -> None:
        self.part, self.layer, self.of = part, layer, of
        self._count = 0
        self.policies = Policies(part.on_wall, part.outside)

    def act(self, now: float, passed: float) -> None:
        """Puts down what is due."""
        part = self.part
        while now + _NEAR >= part.at + self._count * (part.every or 0.0) and (
            part.every is not None or self._count == 0
        ):
            if self.of.mark is not None:
                _mark(self.layer, part.position, part.amount, self.of.mark, self.policies)
            elif (
                self.of.gathers
                and self.of.stamping is not None
                and self.of.stamping.stamp is not None
            ):
                self._put(self.of.stamping, "add")
            elif not self.of.is_cleared:
                self.layer.deposit(
                    part.position, part.amount, on_wall=part.on_wall, outside=part.outside
                )
            self._count += 1

    def _put(self, stamping: Stamping, blend: str, times: int = 1) -> None:
        places = settled(self.layer, np.array([self.part.position]), self.policies)
        self.layer.stamp(
            stamping.stamp,
            places,
            np.multiply(self.part.amount, times),
            how=stamping.how,
            blend=blend,
        )

    def stamp(self) -> None:
        """Puts the stamp as often as it has come."""
        stamping = self.of.stamping
        if self._count and stamping is not None:
            self._put(stamping, stamping.blend, self._count if stamping.blend == "add" else 1)

    def shown(self) -> tuple[Places, NDArray[np.float64]]:
        """Nothing: what was put down has no place of its own."""
        return np.zeros((0, 2)), np.zeros(0)


def recordings(
    layers: dict[str, tuple[Any, LayerPart]],
    players: list[tuple[TimelinePart, Playback]],
    problems: RecipeFile,
) -> list[Recorded]:
    """The recordings that play into each layer; they share one policy for walls and the rim of the
    map.
    """
    found: dict[str, Recorded] = {}
    for part, player in players:
        for name in dict.fromkeys(part.layers.values()):
            recorded = found.setdefault(name, Recorded(*layers[name], part.on_wall, part.outside))
            if recorded.policies != Policies(part.on_wall, part.outside):
                problems.add(
                    part.keys,
                    "Recordings that play into one layer have the same on_wall and outside. Layer"
                    f" {name!r} has two kinds.",
                )
            recorded.players.append((part, player))
    return list(found.values())
