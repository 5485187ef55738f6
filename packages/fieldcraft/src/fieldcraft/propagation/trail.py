"""Trail: what agents leave behind gathers, blurs and evaporates: pheromones."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.propagation.canvas import Blots, Canvas
from fieldcraft.propagation.field import Account, Field, GatheringField
from fieldcraft.propagation.kinds import Gathering
from fieldcraft.propagation.settings import (
    Setting,
    checked,
    choice,
    flag,
    number,
    one_evaporation,
    part_kept,
)
from fieldcraft.sources import Sources
from fieldcraft.space import Space

__all__ = ["Trail", "TrailField"]

EDGES = ("conserve", "lose")
_WIDEST = 63
_KEEP = 0.98
_LEAST_FLOOR = 1e-30  # smaller float32 numbers take ten times as long
_WORK_PER_THREAD = 300_000
_UNIT_WORK = 200_000
_AGENTS = 20_000  # as many pay for waking a thread


def _blur(name: str, value: Any) -> int | tuple[float, ...]:
    """A width, or weights that are the same from both ends."""
    remedy = f"Pass an odd number up to {_WIDEST}, or as many weights"
    if isinstance(value, (bool, np.bool_)):
        raise InvalidValue(f"{name} is a width or weights", got=repr(value), remedy=remedy)
    if isinstance(value, (int, np.integer)):
        if value < 1 or value % 2 == 0 or value > _WIDEST:
            raise InvalidValue(
                f"The width of a blur is odd, 1 to {_WIDEST}", got=f"{name}={value}", remedy=remedy
            )
        return int(value)
    array = checks.array("The weights of a blur", value)
    if (
        array.ndim != 1
        or array.dtype.kind not in "iuf"
        or len(array) % 2 == 0
        or len(array) > _WIDEST
    ):
        raise InvalidValue(
            f"A blur has an odd number of weights, up to {_WIDEST}",
            got=f"{array.dtype} of shape {array.shape}",
            remedy=remedy,
        )
    weights = array.astype(np.float64)
    if (
        not np.isfinite(weights).all()
        or (weights < 0).any()
        or not np.allclose(weights, weights[::-1], rtol=1e-9, atol=0)
    ):
        raise InvalidValue(
            "The weights of a blur are finite, at least 0, and the same from both ends",
            got=f"{weights.tolist()}",
            remedy=remedy,
        )
    return tuple(weights.tolist())


def _normal(blur: Any, edges: str) -> int | tuple[float, ...]:
    """Weights that sum to exactly 1 if they nearly do."""
    if isinstance(blur, int):
        return blur
    weights = np.array(blur)
    total = float(weights.sum())
    if edges == "conserve" and abs(total - 1) > 1e-6:
        raise InvalidValue(
            "The weights of a blur that conserves sum to 1",
            got=f"{total:g}",
            remedy="Divide them by their sum, or pass edges='lose'",
            about="blur",
        )
    if total > 1 + 1e-6:
        raise InvalidValue(
            "The weights of a blur sum to at most 1, or it grows without end",
            got=f"{total:g}",
            remedy="Divide them by it",
            about="blur",
        )
    weights = (weights + weights[::-1]) / 2
    return tuple((weights / total if abs(total - 1) <= 1e-6 else weights).tolist())


@dataclass(frozen=True)
class Trail(Gathering):
    """Gather what is stamped or deposited: each update, `values = keep * blur(values) + what has
    come since the last`.

    Two pheromones are two layers. What has come shows from the next update on. Walls hold nothing,
    and nothing passes through
    them or past their corners: two cells exchange if every cell of the rectangle between them is
    open.

    Parameters
    ----------
    keep: what part stays at each update, in [0, 1]; 0.98 by default. Evaporation is a rate, not an
        amount: what is twice as strong loses twice as much. Above 1 a trail would grow without end.
    half_life: seconds in which a trail halves, in place of `keep`; updates that `advance` drops do
        not count.
    blur: the width of the blur in cells: 1 for none, 3 for the mean of 3 x 3 cells, any odd number
        up to 63. Or an odd number of weights, the same from both ends, which are applied along rows
        and along columns.
    edges: what becomes of the part of a blur that would go into a wall or over the rim. "conserve":
        it stays where it is, so that a blur keeps the sum of all values; weights sum to 1. "lose":
        it is gone; weights sum to 1 or less.
    vector: whether values are vectors, (x, y) in world axes: `layer.vectors` are these,
        `layer.values` their lengths. Both parts blur alike, so that a trail of one direction keeps
        it.
    accumulate: whether what was there stays. Without it each update begins with an empty map:
        `values = blur(what has come)`, for crowds and obstacles, and `keep` has no meaning.
    floor: values smaller than this become exactly 0.

    Raises `InvalidValue` for numbers outside of these ranges.

    Source: the accumulator of "Influence Maps, Ants, and Flocking", and its unbuilt second buffer
        for separation; vectors are kept
    as vectors, where that text had to encode them as colours.
    """

    keep: float | None = dataclasses.field(
        default=None,
        metadata=number("Part of a value that is left after an update.", high=1.0, optional=True),
    )
    half_life: float | None = dataclasses.field(
        default=None,
        metadata=number("Time in which a trail halves.", above=True, unit="s", optional=True),
    )
    blur: int | Sequence[float] = dataclasses.field(
        default=3,
        metadata=checked(
            Setting("Width of the blur, or weights.", _blur, "weights", 1, _WIDEST, unit="cells")
        ),
    )
    edges: str = dataclasses.field(
        default="conserve",
        metadata=choice("What happens to the blur at walls and the rim.", EDGES),
    )
    vector: bool = dataclasses.field(
        default=False, metadata=flag("Whether values are vectors (x, y).")
    )
    accumulate: bool = dataclasses.field(
        default=True, metadata=flag("Whether values stay from one update to the next.")
    )
    floor: float = dataclasses.field(
        default=1e-6, metadata=number("Smaller values become 0.", unit="value")
    )

    stands_in: ClassVar[Mapping[str, tuple[str, ...]]] = {"half_life": ("keep",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        one_evaporation("A trail evaporates", self.keep, self.half_life)
        object.__setattr__(self, "blur", _normal(self.blur, self.edges))

    def weights(self) -> tuple[NDArray[np.floating[Any]], float]:
        """The weights of the blur along one axis, and what the blurred sums are multiplied by."""
        if isinstance(self.blur, int):
            return np.ones(self.blur, dtype=np.float32), 1 / self.blur**2
        return np.array(self.blur), 1.0

    def kept(self, every: float) -> float:
        """The part that stays at an update, with so many seconds between two."""
        if not self.accumulate:
            return 1.0
        return part_kept(self.keep, self.half_life, every, usual=_KEEP)

    def field(self, space: Space, every: float) -> Field:
        """Values of this kind on a space, all 0, that are updated `every` so many seconds."""
        from fieldcraft.propagation import door  # which knows the field below

        return door.trail_field(self, space, every)


class TrailField(GatheringField):
    """Values that gather and blur: one plane of numbers, or two for vectors."""

    lazy = True

    def __init__(self, trail: Trail, space: Space, every: float) -> None:
        self.space = space
        self._wrap = space.period is not None
        self.trail, self.vector = trail, trail.vector
        self.planes: NDArray[np.float32] = np.zeros(
            (2 if trail.vector else 1, *space.shape), dtype=np.float32
        )
        self.inflow = [Canvas(space) for _ in self.planes]
        self._spare: NDArray[np.float32] | None = None
        self._lengths: NDArray[np.float32] | None = None
        self._walls_version = space.walls_version
        self._plan: tuple[Any, ...] | None = None
        self._rooms: dict[int, Any] = {}
        self._every = every
        self._derive()

    def _derive(self) -> None:
        weights, scale = self.trail.weights()
        self._weights = weights
        self._gain = self.trail.kept(self._every) * scale
        self._floor = np.float32(min(max(self.trail.floor, _LEAST_FLOOR), checks.LARGEST))
        self._plan = None
        self._rooms = {}

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, or the lengths of the vectors, (height, width)."""
        if not self.trail.vector:
            return np.asarray(self.planes[0])
        if self._lengths is None:
            self._lengths = np.asarray(
                np.sqrt(self.planes[0] * self.planes[0] + self.planes[1] * self.planes[1])
            )
        return self._lengths

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors in world axes, (height, width, 2)."""
        return np.moveaxis(self.planes, 0, -1)

    # What comes in

    def add(self, cells: NDArray[np.int64], amounts: NDArray[np.floating[Any]]) -> None:
        """Add to cells at the next update; amounts (N,), or (N, 2) for vectors. See `Field.add`."""
        calls = [canvas.scattering(cells, part) for canvas, part in self._booked(amounts)]
        if len(cells) >= _AGENTS and pool.shares(2) > 1:
            pool.run(calls)
        else:
            for kernel, arguments in calls:
                kernel(*arguments)

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Give cells these values at once, (N,), or (2, N) for vectors; see `Field.put`."""
        self.planes.reshape(len(self.planes), -1)[:, cells] = values
        self._lengths = None

    def stamp(self, blots: Blots, amounts: NDArray[np.float64], blend: str) -> None:
        """Put stamps on what comes in at the next update; see `GatheringField.stamp`."""
        for canvas, part in self._booked(amounts, blots.peak):
            canvas.blit(blots, part, blend)

    def _booked(
        self, amounts: NDArray[np.floating[Any]], weight: float = 1.0
    ) -> list[tuple[Canvas, NDArray[np.float64]]]:
        parts = [
            np.ascontiguousarray(part) for part in (amounts.T if self.trail.vector else [amounts])
        ]
        pairs = list(zip(self.inflow, parts, strict=True))
        for canvas, part in pairs:
            canvas.book(part, weight)
        return pairs

    # What every field does

    def feed(self, sources: Sources) -> None:
        """Take notice of walls; there are no sources. See `Field.feed`."""
        if self.space.walls_version != self._walls_version:
            self._walls_version = self.space.walls_version
            self._plan = None

    @property
    def shape(self) -> tuple[int, ...]:
        """(height, width), or (height, width, 2) for vectors; see `Field.shape`."""
        return (*self.space.shape, 2) if self.vector else self.space.shape

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values, or all vectors; see `Field.write`."""
        self.planes[:] = np.moveaxis(values, -1, 0) if self.vector else values
        self.planes[:, self.space.walls] = 0
        self._lengths = None

    def account(self, cell: int, sources: Sources) -> Account:
        """No source; see `Field.account`."""
        return super().account(cell, sources)._replace(remainder_is="a trail")

    def tune(self, trail: Trail, every: float) -> None:
        """Go on with other parameters; see `Field.tune`."""
        if trail.vector != self.trail.vector:
            raise InvalidValue(
                "A trail keeps to numbers or to vectors",
                got=repr(trail),
                remedy="Add another layer",
            )
        self.trail, self._every = trail, every
        self._derive()

    def run(self, count: int) -> None:
        """Take `count` steps."""
        for _ in range(count):
            self._begin()
            self._step()
            self._end()

    def step_in_units(self) -> Iterator[None]:
        """Take one step, a band of rows a unit; see `Field.step_in_units`."""
        height, width = self.space.shape
        rows = (
            -(-_UNIT_WORK // (width * len(self._weights)))
            // kernels.stamps.TILE_ROWS
            * kernels.stamps.TILE_ROWS
            or kernels.stamps.TILE_ROWS
        )
        if not self.trail.accumulate or rows >= height:
            self.run(1)
            yield
            return
        if self._spare is None:
            self._spare = np.zeros_like(self.planes)
        for plane in range(len(self.planes)):
            for first in range(0, height, rows):
                last = min(first + rows, height)
                self._spare[plane, first:last] = self.planes[plane, first:last]
                kernel, arguments = self._call(plane, 0, first, last, self._spare[plane])
                kernel(*arguments)
                yield
        self.planes, self._spare = self._spare, self.planes
        self._end()

    def settle(self) -> None:
        """Let everything evaporate."""
        if self.trail.accumulate and self.trail.kept(self._every) == 1:
            raise InvalidValue(
                "A trail with keep=1 never evaporates",
                got="settle()",
                remedy="Use layer.write() with zeros",
            )
        self.planes[:] = 0
        for canvas in self.inflow:
            canvas.sums[:] = 0
        self._end()

    def state(self) -> dict[str, NDArray[Any]]:
        """The values, the vectors if there are any, and what has come since the last update; see
        `Field.state`.
        """
        found: dict[str, NDArray[Any]] = {"values": self.values}
        if self.trail.vector:
            found["planes"] = self.planes
        if any(canvas.dirty.any() for canvas in self.inflow):
            found["inflow"] = np.stack([canvas.sums for canvas in self.inflow])
        return found

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        planes = state["planes"] if self.trail.vector else state["values"][np.newaxis]
        if (
            planes.dtype != np.float32
            or planes.shape != self.planes.shape
            or not np.isfinite(planes).all()
        ):
            raise ValueError(f"vectors of {planes.dtype} and shape {planes.shape}")
        self.planes[:] = planes
        self._lengths = None
        if "inflow" in state:
            inflow = state["inflow"]
            if inflow.dtype != np.int64 or inflow.shape != self.planes.shape:
                raise ValueError(f"an inflow of {inflow.dtype} and shape {inflow.shape}")
            for canvas, sums in zip(self.inflow, inflow, strict=True):
                canvas.restore(sums)

    # Steps

    def _begin(self) -> None:
        """Without accumulation a step begins with what has come, and nothing more comes in."""
        if not self.trail.accumulate:
            for plane, canvas in zip(self.planes, self.inflow, strict=True):
                canvas.drain(plane)

    def _end(self) -> None:
        for canvas in self.inflow:
            canvas.cleared()
        self._lengths = None

    def _step(self) -> None:
        height, width = self.space.shape
        work = height * width * len(self._weights) * len(self.planes)
        threads = pool.shares(work // _WORK_PER_THREAD)
        bands = pool.bands(
            height,
            min(
                threads // len(self.planes),
                height // max(2 * len(self._weights), kernels.stamps.TILE_ROWS),
            ),
            kernels.stamps.TILE_ROWS,
        )
        calls = [
            self._call(plane, plane * len(bands) + band, first, last, values)
            for plane, values in enumerate(self.planes)
            for band, (first, last) in enumerate(bands)
        ]
        if threads > 1:
            pool.run(calls)
        else:
            for kernel, arguments in calls:
                kernel(*arguments)

    def _call(
        self, plane: int, room: int, first: int, last: int, values: NDArray[np.float32]
    ) -> pool.Call:
        """The update of some rows of a plane, as it is now, into `values`."""
        reach = len(self._weights) // 2
        if self._plan is None:
            walls = self.space.walls
            closed = np.zeros((walls.shape[0], walls.shape[1] + 1), dtype=np.uint8)
            closed[:, 0], closed[:, 1:] = walls.any(axis=1), walls
            self._plan = (closed, *kernels.trail_plan.plan(walls, self._weights, self._wrap))
        if room not in self._rooms:
            self._rooms[room] = kernels.trail.room(self.space.shape[1], reach, self._weights.dtype)
        canvas = self.inflow[plane]
        above, below = (
            self._rows(plane, first - reach, first),
            self._rows(plane, last, last + reach),
        )
        return kernels.trail.update, (
            values,
            canvas.sums,
            canvas.dirty,
            *self._plan,
            self._weights,
            isinstance(self.trail.blur, int),
            self._gain,
            self.trail.edges == "conserve",
            self._floor,
            self._wrap,
            above,
            below,
            first,
            last,
            *self._rooms[room],
        )

    def _rows(self, plane: int, first: int, last: int) -> NDArray[np.float32]:
        """A copy of rows as they are now; beyond the rim those of the other side on a torus, else
        0.
        """
        rows = np.arange(first, last)
        if self._wrap:
            return np.asarray(self.planes[plane][rows % self.space.shape[0]])
        found = np.zeros((len(rows), self.space.shape[1]), dtype=np.float32)
        inside = (rows >= 0) & (rows < self.space.shape[0])
        found[inside] = self.planes[plane][rows[inside]]
        return found
