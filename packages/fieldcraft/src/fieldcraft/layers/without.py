"""Maps that follow a layer: its values without some of its sources."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import clock
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.forecast import version_of_all
from fieldcraft.layers.propagation import Attribution, Propagation
from fieldcraft.layers.propagation.propagation import Field, RadiatingField, field_on
from fieldcraft.layers.sources import Source, Sources
from fieldcraft.values.exclusion import Near
from fieldcraft.values.operand import Operand

if TYPE_CHECKING:
    from fieldcraft.layers.source_layer import SourceLayer


class OtherSources:
    """The settled field of all sources of a layer but some, for one choice after the other."""

    def __init__(self, layer: SourceLayer, propagation: Propagation | None = None) -> None:
        self._layer = layer
        self._propagation = propagation
        """In place of that of the layer."""
        self._field: Field | None = None
        self._made_for: Any = None
        self.sources = Sources(layer.space)
        """The sources of the last field."""

    def field_without(self, ids: Iterable[int]) -> Field:
        """Return the field with all other sources as they are now, valid until the next call."""
        layer = self._layer
        sources = layer.steps.sources
        field = self._field
        resistance = layer.steps.field.resistance
        heights = layer.steps.field.heights
        propagation = self._propagation or layer.propagation
        made_for = (propagation, layer.every)
        if (
            not isinstance(field, RadiatingField)  # others keep what lies in closed parts of a map
            or made_for != self._made_for
            or field.resistance is not resistance
            or field.heights is not heights
        ):
            field = field_on(None, propagation, layer.space, clock.seconds(layer.steps.every))
            field.set_resistance(resistance)
            field.set_heights(heights)
            self._made_for = made_for
        others = sources.copy()
        gone = [each for each in ids if sources.is_alive(each)]
        others.remove(np.array(gone, dtype=np.int64))
        others.rows.all_changed()
        field.feed(others)
        field.settle()
        self.sources = others
        self._field = field
        return field

    def attribution(self, ids: Iterable[int], cell: int) -> Attribution:
        """Return the other sources of the value of a cell."""
        return self.field_without(ids).attribution(cell, self.sources)

    def values_near(self, near: Near, ids: NDArray[np.int64], always: Sequence[int]) -> Any:
        """Return the values of cells near agents, (N, k), without one source each and without those
        that are left out for all.
        """
        found = np.empty(near.cells.shape, dtype=np.float32)
        for each in np.unique(ids).tolist():
            rows = ids == each
            values = self.field_without([each, *always]).values.reshape(-1)
            found[rows] = values[near.cells[rows]]
        return found


class Without(Operand):
    """A layer without some of its sources; made by `SourceLayer.without`.

    It has a field of its own, with all other sources, which is updated when values are requested.
    """

    def __init__(self, layer: SourceLayer, keys: tuple[Hashable | Source, ...]) -> None:
        self.layer = layer
        self.keys = keys
        self.space = layer.space
        names = [str(key.id if isinstance(key, Source) else key) for key in keys]
        self.name = f"{layer.name} without {', '.join(names)}"
        self._others = OtherSources(layer)
        self._values = np.zeros(0, dtype=np.float32)
        self._seen: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Without, (self.layer, self.keys)

    def __repr__(self) -> str:
        return f"<{self.name!r}: {self.layer!r}>"

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return version_of_all(self.layer)

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, float32 in the space's shape: a read-only view, valid until the next
        change.
        """
        with self.layer.steps.lock:
            if self._seen != self.version:
                self._values = self._others.field_without(self._ids()).values
                self._seen = self.version
            return read_only(self._values)

    def _ids(self) -> list[int]:
        """Return the ids of the sources that are left out."""
        sources = self.layer.steps.sources
        ids = [key.id if isinstance(key, Source) else sources.id_of(key) for key in self.keys]
        return [each for each in ids if each is not None]

    def source_ids(self, keys: Sequence[object]) -> NDArray[np.int64]:
        """See `Operand.source_ids`."""
        return self.layer.source_ids(keys)

    def values_near(self, near: Near) -> NDArray[np.float32]:
        """See `Operand.values_near`."""
        with self.layer.steps.lock:
            ids = self.source_ids(near.keys)
            found: NDArray[np.float32] = OtherSources(self.layer).values_near(
                near, ids, self._ids()
            )
            return found
