"""The base classes of propagations and of their fields.

A propagation is a frozen dataclass. Each of its fields declares the values that it takes, with the
functions of `fieldcraft.layers.propagation.settings`:

    rate: float = field(default=0.5, metadata=number("Part that a cell gives away.", high=1.0))

`settings.declared(kind)` returns these declarations by name, as `settings.Setting`: kind, range,
choices, unit, default, and one sentence about each. Recipes, the lab's controls, messages and the
documentation read them from there, so that a new propagation needs its own files and one row in
`fieldcraft.layers.propagation.PROPAGATIONS`.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import SuggestingArguments
from fieldcraft.base.words import Metric, StampBlend
from fieldcraft.layers.propagation.accumulator import MOST_AMOUNT
from fieldcraft.layers.sources import Sources
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.space import Space
from fieldcraft.space.sight.viewers import SightHeights

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.trail.rasters import Raster


class Attribution(NamedTuple):
    """The sources of the value of one cell.

    Parameters
    ----------
    sources : ndarray of int64, shape (N,)
        Ids of sources.
    amounts : ndarray of float64, shape (N,)
        What each contributes.
    remainder_is : str
        A name for the rest of the value.
    """

    sources: NDArray[np.int64]
    amounts: NDArray[np.float64]
    remainder_is: str


class Field(ABC):
    """Values on a space, and how they take steps.

    `values` are float32 in the shape of the space, 0 on walls. Other modules only read them, and
    change them with `write`, `put` and `add`. They may be on another device, and are then copied
    when they are read. Cells are flat indices. A layer checks the arguments.
    """

    space: Any
    timeless: bool = False
    """Whether any number of steps costs as much as one: none is dropped or waits for a budget."""
    memoryless: ClassVar[bool] = False
    """Whether the values after a step follow from the sources alone, so that steps in which no
    source changes may be left out.
    """
    lazy: ClassVar[bool] = False
    """Whether reading `values` computes them: a change that two threads must not make at once."""
    remainder_is: ClassVar[str] = "from no source"
    """The name of what no source accounts for."""
    has_wall_values: ClassVar[bool] = False
    """Whether walls have values, too."""
    barrier: str | None = None
    """The name of a layer of the same map that this field reads before it steps."""
    resistance: NDArray[np.float32] | None = None
    """The resistance of each cell, in the shape of the space, or None."""
    heights: SightHeights | None = None
    """How high the ground is over which sources see, or None."""

    if TYPE_CHECKING:  # an attribute of some fields, a property of others

        @property
        def values(self) -> NDArray[np.float32]:
            """The values now."""

    # Values

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that `write` takes: that of the space, with 2 components at the end for
        vectors.
        """
        return self.values.shape

    def read(self, out: NDArray[np.float32]) -> None:
        """Copy the values into an array of their shape."""
        out[...] = self.values

    def at(self, cells: NDArray[np.int64] | int) -> NDArray[np.float32]:
        """Return the values of cells."""
        return np.asarray(self.values.reshape(-1)[cells])

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values by finite ones of `shape`; values that the field cannot represent
        raise `InvalidValue`.
        """
        here = self.values
        here[...] = values
        here[self.space.walls] = 0
        self.touched(None)

    def add(self, cells: NDArray[np.int64], amounts: NDArray[np.floating[Any]]) -> None:
        """Add amounts (N,) to the values of cells (N,), which may repeat; a sum beyond 1e30 raises
        `InvalidValue` and changes nothing.
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
        """Set the values of cells, each of them once."""
        self.values.reshape(-1)[cells] = values
        self.touched(cells)

    def touched(self, cells: NDArray[np.int64] | None) -> None:  # noqa: B027 - optional
        """Take over changed values of these cells (None: of any)."""

    # Sources, walls and settings

    def bar(self, values: NDArray[np.float32] | None) -> None:  # noqa: B027 - optional
        """Set the values of the barrier; None if there is no such layer any more."""

    def limit(self, sources: Sources) -> None:  # noqa: B027 - optional
        """Set the limits of sources to what this field can represent."""

    @abstractmethod
    def feed(self, sources: Sources) -> None:
        """Take over sources and walls as they are now; visible from the next step on."""

    @abstractmethod
    def tune(self, propagation: Any, every: float) -> None:
        """Set other parameters of the same kind of propagation, and the interval in seconds."""

    def set_heights(self, heights: SightHeights | None) -> None:
        """Let the ground hide cells from sources; raises `InvalidValue` on other fields."""
        if heights is not None:
            raise InvalidValue(
                'The ground hides cells from sources of fc.Radial(metric="sight")',
                got="heights on another layer",
                remedy="Leave them out",
            )

    def set_resistance(self, resistance: NDArray[np.float32] | None) -> None:
        """Set the resistance; raises `InvalidValue` if the propagation has none."""
        if resistance is not None:
            raise InvalidValue(
                "A resistance acts on layers with fc.Spread, fc.Diffuse, fc.Flood or"
                ' fc.Radial(metric="path")',
                got="one for another layer",
                remedy="Block cells by walls instead",
            )

    # Steps

    @abstractmethod
    def run(self, count: int) -> None:
        """Take `count` steps."""

    def step_in_units(self) -> Iterator[None]:
        """Take one step in units of work of at most 0.25 ms; `values` do not change before the
        last.
        """
        self.run(1)
        yield

    @abstractmethod
    def settle(self) -> None:
        """Set the values that endless steps would lead to."""

    def invalidate(self) -> None:  # noqa: B027 - optional
        """Discard what an interrupted step may have left incomplete; the next step computes it
        again.
        """

    # Saves and attribution

    @abstractmethod
    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which a new field with the same settings continues with the same bits,
        given the same sources. They are valid until the next change.
        """

    @abstractmethod
    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Continue from a state, as a new field; raises ValueError for arrays that `state` cannot
        have made.
        """

    def taken(self, sources: Sources) -> Sources | None:
        """Return the sources as they were at the last step, for `take`; None if the field does not
        need them, or they have not changed since.
        """
        return None

    def take(self, sources: Sources) -> None:  # noqa: B027 - optional
        """After `restore`: the sources as they were at the last step, other than they are now."""

    def attribution(self, cell: int, sources: Sources) -> Attribution:
        """Return the sources of the value of a cell."""
        return Attribution(np.zeros(0, np.int64), np.zeros(0), self.remainder_is)


class RadiatingField(Field):
    """A field of sources with radii and falloffs, which determine all values."""

    memoryless = True

    @property
    def adds(self) -> bool:
        """Whether values are sums from which `values_near` takes off what one source adds."""
        return False

    def values_near(
        self, cells: NDArray[np.int64], columns: int, ids: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the values of `cells` (N, k), row i without what the source `ids[i]` adds there.
        Only if the field `adds`; `columns` are those of `Near`.
        """
        raise NotImplementedError

    @abstractmethod
    def strongest(self, sources: Sources, version: int) -> NDArray[np.float32]:
        """Return the influence of the strongest single source in each cell, as of the last complete
        values; `version` is the layer's.
        """

    @abstractmethod
    def validate(self, cells: int, most: float | None) -> int:
        """Compare about the next `cells` cells with the sum of their sources, and correct them by
        at most `most`. Returns the number of wrong ones.
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
        metric: Metric,
        heights: SightHeights | None,
    ) -> None:
        """Mark cells, or the ground around them, with at most these amounts; `heights` hide cells
        from a field of view.
        """


class StampedField(Field):
    """A field that takes stamps."""

    at_once: ClassVar[bool] = False
    """Whether stamps are visible at once, not with the next step."""
    vector: bool = False
    """Whether amounts are vectors (x, y), and `shape` ends in 2."""

    @abstractmethod
    def stamp(self, raster: Raster, amounts: NDArray[np.float64], blend: StampBlend) -> None:
        """Put stamps on the field; amounts (N,), or (N, 2) for vectors. Sums that could overflow
        raise `InvalidValue`.
        """


class GatheringField(StampedField):
    """A field that gathers stamps and deposits; with `vector`, `add` takes amounts (N, 2)."""

    @property
    @abstractmethod
    def vectors(self) -> NDArray[np.float32]:
        """The vectors in world axes, (height, width, 2), of a field of vectors."""


def checked_pins(pinned: NDArray[Any], cells: int) -> NDArray[np.int64]:
    """Return the pinned cells of a saved field; raises ValueError for others than ascending cells
    of a map of this size.
    """
    if (
        pinned.dtype != np.int64
        or pinned.ndim != 1
        or (np.diff(pinned, prepend=-1) <= 0).any()
        or (pinned >= cells).any()
    ):
        raise ValueError("pinned cells that are not cells of the map")
    return pinned


def checked_resistance(resistance: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return the resistance of a saved field; raises ValueError for one that does not fit."""
    if resistance.dtype != np.float32 or resistance.shape != shape or not (resistance >= 0).all():
        raise ValueError("a resistance that does not fit the map")
    return np.ascontiguousarray(resistance)


class Propagation(SuggestingArguments, ABC):
    """How influence moves from cell to cell: the settings from which each layer makes its field.

    A propagation is a frozen dataclass that inherits from `Spreading`, `Radiating`, `Remembering`
    or `Gathering`, which determines the kind of its layers.
    """

    layer_kind: ClassVar[str]
    _takes_sources: ClassVar[bool] = False
    _verb: ClassVar[str]
    """What such a layer does, for messages: "spreads"."""
    _largest: ClassVar[float] = checks.LARGEST
    """The largest strength or amount on such a layer."""
    _smallest: ClassVar[float] = -checks.LARGEST
    replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Settings that replace others, which then are not given."""

    def __post_init__(self) -> None:
        for setting in fields(self):  # type: ignore[arg-type]
            object.__setattr__(
                self,
                setting.name,
                setting.metadata["check"](setting.name, getattr(self, setting.name)),
            )

    @classmethod
    def _about_argument(cls, name: str) -> str:
        from fieldcraft.layers.propagation import PROPAGATIONS, settings

        kinds = [spelled(each) for each in PROPAGATIONS.values() if name in settings.declared(each)]
        if not kinds:
            return ""
        own = ", ".join(settings.declared(cls)) or "none"
        return f"It is a setting of {' and '.join(kinds)}. Those of {spelled(cls)} are {own}"

    @property
    def _default_strength(self) -> float:
        """The strength of a source without one."""
        return 1.0

    def _value_range(self, low: float, high: float) -> tuple[float, float] | None:
        """Return the range of the values that strengths from `low` to `high`, which include 0,
        make; None if it is not known.
        """
        return low, high

    @abstractmethod
    def field(self, space: Space, every: float) -> Field:
        """Return values of this kind on a space, all 0; `every` is the interval in seconds.

        Classes of fields are imported here: `import fieldcraft` takes 10 % longer with all of them.
        """


class Spreading(Propagation):
    """A propagation of sources and deposits with values that change by themselves."""

    layer_kind = "spread"
    _takes_sources = True
    _verb = "spreads"


class Radiating(Propagation):
    """A propagation of sources with radii and falloffs, which determine all values; its fields are
    `RadiatingField`.
    """

    layer_kind = "radial"
    _takes_sources = True
    _verb = "radiates"


class Remembering(Propagation):
    """A propagation of marks, which fade; its fields are `RememberingField`."""

    layer_kind = "memory"
    _verb = "fades"
    _smallest = 0.0


class Gathering(Propagation):
    """A propagation of stamps and deposits, which accumulate; its fields are `GatheringField`."""

    layer_kind = "trail"
    _verb = "is a trail"
    _largest = MOST_AMOUNT
    _smallest = -MOST_AMOUNT

    def _value_range(self, low: float, high: float) -> None:
        """Return None: sums of stamps have no known range."""
        return


class Device(Protocol):
    """Hardware with fields of its own."""

    @property
    def lost(self) -> bool:
        """Whether it no longer works, so that its fields are gone."""

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Return values of a propagation on this device; raises `InvalidValue` for a propagation
        that it does not support.
        """

    def device_name(self, field: Field) -> str:
        """Return the name of the device that a field is on."""


def field_on(device: Device | None, propagation: Propagation, space: Space, every: float) -> Field:
    """Return the field of a new layer, from the device or from the propagation."""
    if device is None:
        return propagation.field(space, every)
    return device.field(propagation, space, every)


def spelled(kind: type[Propagation]) -> str:
    """Return how users write the name of a propagation: fc.Spread; fc.propagation.NAME for one that
    the library does not have at its top.
    """
    name = kind.__name__
    if vars(sys.modules["fieldcraft"]).get(name) is kind:
        return f"fc.{name}"
    return f"fc.propagation.{name}"
