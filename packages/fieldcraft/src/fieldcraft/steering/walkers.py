"""Agents as arrays, led by layers alone: what one of them costs does not depend on how many others
there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.kernels.arrays import frozen
from fieldcraft.kernels.reference import walk as reference
from fieldcraft.query.ahead import unit_headings
from fieldcraft.query.ground import Readable, crowd
from fieldcraft.query.on_grid import GridGround
from fieldcraft.space import Grid, grid_of

__all__ = ["Walk", "Walkers", "by_role"]

_AGENTS = 2_000  # as many pay for waking a thread
_MOST_KEY = 2**62
_MOST_STRIDE = 4096.0  # cells a step


@dataclass(frozen=True)
class Walk:
    """How walkers weigh what leads them. Their own heading weighs 1; each other weight is at least
    0, and 0 leaves it out.

    Parameters
    ----------
    speed: world units per second, at least 0. Nothing is leapt over: a step is made in pieces of at
        most half a cell.
    wander: up to how many degrees dice turn a walker at each step, below 180: a random walk with
        persistence.
    turn: up to how many degrees it turns at a step in all; None for no limit. Bouncing off a wall
        is no turn.
    follow: towards the strongest of three sensors of a trail: left, middle, right.
    align: towards the direction of a layer of vectors, read by the middle sensor.
    separate: down the relative slope of a crowd.
    cohere: up the relative slope of a group.
    avoid: towards the free side where the middle sensor is in a wall or off the map.
    distance: world units from a walker to its sensors, above 0.
    angle: degrees between the middle sensor and those beside it.

    Raises `InvalidValue` for numbers outside of these ranges.

    Source: the three sensors are those of Jones, "Characteristics of Pattern Formation and
        Evolution in Approximations of Physarum
    Transport Networks" (2010); aligning ahead, and keeping apart by a second layer, are from
    "Influence Maps, Ants, and Flocking".
    """

    speed: float
    wander: float = 20.0
    turn: float | None = None
    follow: float = 0.0
    align: float = 0.0
    separate: float = 0.0
    cohere: float = 0.0
    avoid: float = 0.0
    distance: float = 3.0
    angle: float = 45.0

    def __post_init__(self) -> None:
        for name in ("speed", "wander", "follow", "align", "separate", "cohere", "avoid"):
            object.__setattr__(self, name, checks.not_negative(name, getattr(self, name)))
        object.__setattr__(self, "distance", checks.positive("distance", self.distance))
        object.__setattr__(self, "angle", checks.finite("angle", self.angle))
        if self.turn is not None:
            object.__setattr__(self, "turn", checks.not_negative("turn", self.turn))
        if self.wander >= 180:
            raise InvalidValue(
                "wander is below 180 degrees",
                got=f"wander={self.wander:g}",
                remedy="Pass degrees a step",
            )


@dataclass(frozen=True, eq=False)
class Walkers:
    """Walkers at one moment: plain arrays, one row each. `Walkers.at` makes them; `walk` gives
    those of the next moment.

    `positions` (N, 2) in world units, `headings` (N, 2) unit vectors in world axes, `cells` (N,)
    int64. The dice of `key` are thrown by walker and `step`, so that one key makes one run,
    whatever the number of threads.
    """

    space: Grid
    positions: NDArray[np.float64]
    headings: NDArray[np.float64]
    cells: NDArray[np.int64]
    key: int = 0
    step: int = 0
    walls_seen: int = field(
        default=-1, repr=False
    )  # the walls_version for which all stand on open ground

    @classmethod
    def at(
        cls, space: Grid, positions: ArrayLike, headings: ArrayLike | None = None, *, seed: int = 0
    ) -> Walkers:
        """Walkers at (N, 2) world positions on open ground.

        `headings` are (x, y) directions, one or N; by default they are drawn from the seed. Raises
        `OutsideMap`, `OnWall` or `InvalidValue`.
        """
        grid_of(
            space,
            "Walking by layers",
            remedy="Pass fc.Grid(...), or use steering.Crowd on a mesh and Travellers on waypoints",
        )
        points, _ = checks.positions(positions)
        key = checks.whole("seed", seed)
        if key > _MOST_KEY:
            raise InvalidValue(
                f"seed is at most {_MOST_KEY}", got=f"seed={key}", remedy="Pass a smaller seed"
            )
        if headings is None:
            angles = np.random.default_rng(key).uniform(0, 2 * np.pi, len(points))
            headings = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        try:
            cells = np.asarray(space.cell_at(points), dtype=np.int64).reshape(-1)
        except OutsideMap as error:
            raise OutsideMap(
                error.rule, got=error.got, remedy="Mend the position, or clip it to the map"
            ) from None
        if space.wrap:
            corner, size = np.array(space.origin), np.array(space.size)
            points = corner + np.mod(points - corner, size)
            cells = np.asarray(space.cell_at(points), dtype=np.int64).reshape(-1)
        blocked = space.walls.reshape(-1)[cells]
        if blocked.any():
            index = int(np.flatnonzero(blocked)[0])
            raise OnWall(
                "Walkers stand on open ground",
                got=f"{tuple(points[index].tolist())} at index {index}",
                remedy="Use space.nearest_open(cells) and space.position_of(cells)",
            )
        return cls(
            space, np.ascontiguousarray(points), unit_headings(headings, len(points)), cells, key
        )

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"<Walkers: {len(self)} on {self.space!r}, after {self.step} steps>"

    def walk(
        self,
        how: Walk,
        dt: float,
        *,
        trail: Readable | Sequence[Readable] | None = None,
        roles: NDArray[Any] | None = None,
        flow: Readable | Sequence[Readable] | None = None,
        crowd_layer: Readable | None = None,
        group_layer: Readable | None = None,
        push: ArrayLike | None = None,
    ) -> Walkers:
        """The walkers one step of `dt` seconds later. All decide before any of them moves.

        Parameters
        ----------
        how: their weights.
        dt: seconds, at least 0. Wander and turn are per step: keep to one dt.
        trail: what `follow` follows: a layer or an expression; or two of them, of which each walker
            follows that of its role.
        roles: (N,), 0 or 1.
        flow: what `align` aligns to: a layer with `Trail(vector=True)`, or anything else on a grid
            with `vectors` (height, width, 2); or two of them, as with `trail`.
        crowd_layer, group_layer: what `separate` shuns and `cohere` seeks: densities, such as
            layers with `Trail(accumulate=False, blur=...)`, a narrow and a wide one.
        push: (N, 2) or one pair: a direction in world axes that you add yourself, away from a
            predator, say. Its length is its weight.

        They never end in a wall; who is found in one, because it was built there, goes to the
        nearest open cell first. Raises `InvalidValue` where a weight has no layer, or a layer lies
        on other ground.
        """
        space = self.space
        if not isinstance(how, Walk):
            raise InvalidValue(
                "how is a Walk",
                got=f"how={how!r}"[:80],
                remedy="Pass steering.Walk(speed=...), then dt",
            )
        stride = how.speed * checks.not_negative("dt", dt) / space.cell_size
        if stride > _MOST_STRIDE:
            raise InvalidValue(
                f"A step is at most {_MOST_STRIDE:g} cells long",
                got=f"{stride:g}",
                remedy="Pass dt in seconds, or less speed",
            )
        which = self._roles(roles)
        trails = self._trails(how, trail)
        flows = self._flows(how, flow)
        pushed = frozen(reference.NO_PUSH) if push is None else self._push(push)
        crowded = self._layer("separate", how.separate, crowd_layer)
        grouped = self._layer("cohere", how.cohere, group_layer)
        positions = self.freed().positions
        corner = np.array(space.origin)
        is_plain = space.cell_size == 1 and not corner.any()
        places = positions if is_plain else (positions - corner) / space.cell_size
        new_places, headings, cells = (
            np.empty_like(places),
            np.empty_like(self.headings),
            np.empty_like(self.cells),
        )
        turn = math.radians(180.0 if how.turn is None else min(how.turn, 180.0))
        half = math.tan(math.radians(how.wander) / 2)
        angle = math.radians(how.angle)
        ops = kernels.walk
        common = (
            space.walls,
            space.y_up,
            space.wrap,
            trails,
            flows,
            which,
            crowded,
            grouped,
            pushed,
            how.follow,
            how.align,
            how.separate,
            how.cohere,
            how.avoid,
            how.distance / space.cell_size,
            math.cos(angle),
            math.sin(angle),
            stride,
            half,
            -2.0 if turn >= math.pi else math.cos(turn),
            math.sin(turn),
            self.key,
            self.step,
            frozen(places),
            frozen(self.headings),
        )
        crowd(
            lambda first, last: (ops.walk, (*common, first, last, new_places, headings, cells)),
            len(self),
            _AGENTS,
        )
        moved = new_places
        if not is_plain:
            moved = new_places * space.cell_size + corner
            # On the edge of a cell rounding may choose the other side: who would be elsewhere stays
            # where it was.
            astray = np.asarray(space.cell_at(moved, outside="clamp")).reshape(-1) != cells
            if astray.any():
                moved[astray] = positions[astray]
                cells[astray] = np.asarray(space.cell_at(moved[astray])).reshape(-1)
        return Walkers(space, moved, headings, cells, self.key, self.step + 1, space.walls_version)

    def freed(self) -> Walkers:
        """The walkers with those in newly built walls put into the nearest open cell, as a walk
        begins; else the same walkers.

        Call it before they deposit anything where walls change. Raises `InvalidValue` where the map
        has no open cell.
        """
        if self.walls_seen == self.space.walls_version:
            return self
        blocked = self.space.walls.reshape(-1)[self.cells]
        if not blocked.any():
            return self
        positions, cells = self.positions.copy(), self.cells.copy()
        cells[blocked] = self.space.nearest_open(self.cells[blocked])
        positions[blocked] = self.space.position_of(cells[blocked])
        return replace(self, positions=positions, cells=cells)

    def _push(self, push: ArrayLike) -> NDArray[np.float64]:
        pairs, single = checks.positions(push, what="Pushes")
        if single:
            pairs = np.repeat(pairs, len(self), axis=0)
        if len(pairs) != len(self):
            raise InvalidValue(
                "push is one (x, y), or one per walker",
                got=f"{len(pairs)} for {len(self)} walkers",
                remedy=f"Pass shape ({len(self)}, 2)",
            )
        return frozen(np.ascontiguousarray(pairs))

    def _roles(self, roles: NDArray[Any] | None) -> NDArray[np.uint8]:
        if roles is None:
            return np.zeros(len(self), dtype=np.uint8)
        which = checks.array("roles", roles)
        if (
            which.shape != (len(self),)
            or which.dtype.kind not in "biu"
            or (len(which) and (which.min() < 0 or which.max() > 1))
        ):
            raise InvalidValue(
                "roles are 0 or 1, one per walker",
                got=f"{which.dtype} of shape {which.shape}"
                + (
                    f", {which.min()} to {which.max()}"
                    if which.shape == (len(self),) and which.dtype.kind in "iu"
                    else ""
                ),
                remedy=f"Pass an array of shape ({len(self)},)",
            )
        return which.astype(np.uint8)

    def _trails(
        self, how: Walk, trail: Readable | Sequence[Readable] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        read = [self._layer("follow", how.follow, each) for each in by_role("trail", trail)]
        return read[0], read[-1]

    def _layer(
        self, weight_name: str, weight: float, layer: Readable | None
    ) -> NDArray[np.float32]:
        """The values of a layer, if its weight is not 0."""
        if weight == 0:
            return frozen(reference.NO_LAYER)
        if layer is None:
            raise InvalidValue(
                f"{weight_name} needs a layer that it reads",
                got=f"{weight_name}={weight:g} and no layer",
                remedy="Pass it, or a weight of 0",
            )
        ground = GridGround(layer)
        self._same_ground(ground.space)
        return ground.values

    def _same_ground(self, other: Any) -> None:
        if not self.space.same_cells(other):
            raise InvalidValue(
                "Layers that lead walkers lie on their ground",
                got=f"{other!r} for {self.space!r}",
                remedy="Use layers of that map",
            )

    def _flows(
        self, how: Walk, flow: Readable | Sequence[Readable] | None
    ) -> tuple[NDArray[np.float32], ...]:
        """The x and the y that role 0 aligns to, and those of role 1."""
        if how.align == 0:
            return (frozen(reference.NO_LAYER),) * 4
        parts: list[NDArray[np.float32]] = []
        for each in by_role("flow", flow):
            vectors: Any = getattr(each, "vectors", None)
            if each is None or not isinstance(vectors, np.ndarray):
                raise InvalidValue(
                    "align reads a layer of vectors",
                    got=repr(each),
                    remedy="Add it with fc.Trail(vector=True)",
                )
            self._same_ground(each.space)
            if vectors.shape != (*self.space.shape, 2):
                raise InvalidValue(
                    "vectors are (x, y) in the space's shape (height, width, 2)",
                    got=f"shape {vectors.shape} on a space of {self.space.shape}",
                    remedy="Let `vectors` be an array indexed [row, column]",
                )
            parts += [
                frozen(np.ascontiguousarray(vectors[..., k], dtype=np.float32)) for k in (0, 1)
            ]
        return (*parts[:2], *parts[-2:])


def by_role(name: str, given: Any) -> list[Any]:
    """The layer that all read, or the two of the roles 0 and 1."""
    several = isinstance(given, (list, tuple))
    layers = list(given) if several else [given]
    if several and len(layers) != 2:
        raise InvalidValue(
            f"{name} is one layer, or two",
            got=f"{len(layers)}",
            remedy="Pass one layer per role, 0 and 1",
        )
    return layers
