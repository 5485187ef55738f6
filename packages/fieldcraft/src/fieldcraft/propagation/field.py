"""Fields: the values that a layer carries, and all that a layer asks of them, whatever their
propagation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.sources import Sources

if TYPE_CHECKING:
    from fieldcraft.propagation.rasters import Raster

__all__ = [
    "Attribution",
    "Field",
    "GatheringField",
    "RadiatingField",
    "RememberingField",
    "StampedField",
    "checked_pins",
    "checked_resistance",
]


class Attribution(NamedTuple):
    """The account of the value of one cell: ids of sources (N,), the amount of each (N,), and what
    the remainder is called.
    """

    sources: NDArray[np.int64]
    amounts: NDArray[np.float64]
    remainder_is: str


class Field(ABC):
    """Values on a space that know how to take steps.

    `values` are float32 in the shape of the space, 0 on walls, and only read from outside: `write`
    and `add` change them. They may be on another device and brought back when they are asked for.
    Cells are flat indices. Arguments were checked at the layer's door.
    """

    timeless: bool = False
    """Whether any number of steps costs as much as one: none is dropped, and none waits for a
    budget.
    """

    lazy: ClassVar[bool] = False
    """Whether `values` are worked out when they are asked for, so that reading is a change that two
    threads must not make.
    """

    if TYPE_CHECKING:  # kept as an attribute by some fields, worked out when asked for by others

        @property
        def values(self) -> NDArray[np.float32]:
            """The values now."""

    remainder_is: ClassVar[str] = "from no source"
    """What the part of a value is called that no source accounts for."""
    holds_walls: ClassVar[bool] = False
    """Whether walls have values, too."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what `write` takes: that of the space, or with 2 components at the end for
        vectors.
        """
        return self.values.shape

    def read(self, out: NDArray[np.float32]) -> None:
        """Copy the values into an array of their shape."""
        out[...] = self.values

    def at(self, cells: NDArray[np.int64] | int) -> NDArray[np.float32]:
        """The values of these cells."""
        return np.asarray(self.values.reshape(-1)[cells])

    space: Any

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values by finite ones of `shape`. Raises `InvalidValue` for values of a size
        that the field can't hold.
        """
        shown = self.values
        shown[...] = values
        shown[self.space.walls] = 0
        self.touched(None)

    def add(self, cells: NDArray[np.int64], amounts: NDArray[np.floating[Any]]) -> None:
        """Add amounts (N,) to the values of cells (N,), any of them several times; a sum beyond
        1e30 is refused as a whole.
        """
        touched, inverse = np.unique(cells, return_inverse=True)
        after = self.at(touched) + np.bincount(inverse, weights=amounts, minlength=len(touched))
        if (np.abs(after) > checks.LARGEST).any():
            raise InvalidValue(
                f"Values are at most {checks.LARGEST:g} in size",
                got=f"deposits that add up to {after[np.abs(after).argmax()]:g} in a cell",
                remedy="Deposit less",
            )
        self.put(touched, after.astype(np.float32))

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Give cells, each of them once, these values."""
        self.values.reshape(-1)[cells] = values
        self.touched(cells)

    def touched(self, cells: NDArray[np.int64] | None) -> None:  # noqa: B027 - some need not know
        """Take notice that the values of these cells (None: of any) were changed."""

    barrier: str | None = None
    """The name of a layer of the same map that this field looks at before it steps."""

    def bar(self, values: NDArray[np.float32] | None) -> None:  # noqa: B027 - of fields that look at none
        """Take notice of what the barrier's values are now; None where there is no such layer any
        more.
        """

    @abstractmethod
    def feed(self, sources: Sources) -> None:
        """Take notice of what the sources and the walls are now; shows from the next step on."""

    @abstractmethod
    def tune(self, propagation: Any, every: float) -> None:
        """Go on with other parameters of the same kind, or updated `every` other number of
        seconds.
        """

    resistance: NDArray[np.float32] | None = None
    """How much each cell resists what enters it, in the shape of the space; None where none does.
    """

    def resist(self, resistance: NDArray[np.float32] | None) -> None:
        """Go on with cells that resist what enters them; raises `InvalidValue` where the
        propagation knows no such thing.
        """
        if resistance is not None:
            raise InvalidValue(
                "A resistance acts on layers with fc.Spread, fc.Diffuse, fc.Flood or"
                ' fc.Radial(metric="path")',
                got="one for another layer",
                remedy="Block cells by walls instead",
            )

    @abstractmethod
    def run(self, count: int) -> None:
        """Take `count` steps."""

    def step_in_units(self) -> Iterator[None]:
        """Take one step in units of work of at most 0.25 ms; `values` stay what they were until the
        last is done.
        """
        self.run(1)
        yield

    @abstractmethod
    def settle(self) -> None:
        """Go where endless steps would lead."""

    @abstractmethod
    def state(self) -> dict[str, NDArray[Any]]:
        """Arrays from which a new field goes on with the same bits, given the same sources;
        "values" is one of them.
        """

    @abstractmethod
    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from there; raises ValueError for arrays that `state` cannot have made."""

    def invalidate(self) -> None:  # noqa: B027 - most fields have nothing to do
        """Take notice that a step was torn by an error of another's making; what can be made anew
        is, at the next step.
        """

    def attribution(self, cell: int, sources: Sources) -> Attribution:
        """Which sources make the value of a cell, and how much each."""
        return Attribution(np.zeros(0, np.int64), np.zeros(0), self.remainder_is)


class RadiatingField(Field):
    """A field whose sources have radii and falloffs, and say what each cell holds."""

    @abstractmethod
    def limit(self, sources: Sources) -> None:
        """Let sources refuse, from now on, what the sums of this field can't hold."""

    @abstractmethod
    def strongest(self, sources: Sources, version: int) -> NDArray[np.float32]:
        """The influence that the strongest single source gives each cell, as of the last complete
        values; `version` is the layer's.
        """

    @abstractmethod
    def validate(self, cells: int, most: float | None) -> int:
        """Look at the next `cells` cells or so: how many don't show what the sources say. They do
        afterwards, or come nearer by `most`.
        """


class RememberingField(Field):
    """A field that remembers marks."""

    @abstractmethod
    def mark(
        self,
        cells: NDArray[np.int64],
        amounts: NDArray[np.float64] | None,
        radius: float | None,
        falloff: Falloff,
        metric: str,
    ) -> None:
        """Mark cells, or the ground around them, with at most these amounts."""

    @abstractmethod
    def moments(self) -> dict[str, NDArray[Any]]:
        """All that the values follow from."""

    @abstractmethod
    def remember(self, moments: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `moments` said; raises `ValueError` for what it cannot have said."""


class StampedField(Field):
    """A field that takes stamps."""

    at_once: ClassVar[bool] = False
    """Whether stamps show at once, not with the next step."""
    vector: bool = False
    """Whether amounts are vectors (x, y), and `shape` ends in 2."""

    @abstractmethod
    def stamp(self, raster: Raster, amounts: NDArray[np.float64], blend: str) -> None:
        """Put stamps on the field; amounts (N,), or (N, 2) for vectors. Raises `InvalidValue` where
        sums could overflow.
        """


class GatheringField(StampedField):
    """A field that gathers stamps and deposits; with `vector`, `add` takes amounts (N, 2)."""

    @property
    @abstractmethod
    def vectors(self) -> NDArray[np.float32]:
        """The vectors in world axes, (height, width, 2), of a field of vectors."""


def checked_pins(pinned: NDArray[Any], cells: int) -> NDArray[np.int64]:
    """The held cells of a saved field; raises ValueError for what can't be such on a map of so
    many.
    """
    if (
        pinned.dtype != np.int64
        or pinned.ndim != 1
        or (np.diff(pinned, prepend=-1) <= 0).any()
        or (pinned >= cells).any()
    ):
        raise ValueError("held cells that are not cells of the map")
    return pinned


def checked_resistance(resistance: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """The resistance of a saved field; raises ValueError for what can't be such on a map of this
    shape.
    """
    if resistance.dtype != np.float32 or resistance.shape != shape or not (resistance >= 0).all():
        raise ValueError("a resistance that does not fit the map")
    return np.ascontiguousarray(resistance)
