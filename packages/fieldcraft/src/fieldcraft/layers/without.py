"""Maps that follow a layer: its values without some of its sources."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import clock
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.forecast import version_of_all
from fieldcraft.layers.propagation.propagation import Field, RadiatingField, field_on
from fieldcraft.layers.sources import Source
from fieldcraft.values.operand import Operand

if TYPE_CHECKING:
    from fieldcraft.layers.source_layer import SourceLayer


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
        self._field: Field | None = None
        self._made_for: Any = None
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
            if self._field is None or self._seen != self.version:
                self._field = self._updated()
                self._seen = self.version
            return read_only(self._field.values)

    def _updated(self) -> Field:
        """The field with all other sources as they are now, settled."""
        layer = self.layer
        sources = self.layer.steps.sources
        field = self._field
        resistance = self.layer.steps.field.resistance
        made_for = (layer.propagation, layer.every)
        if (
            not isinstance(field, RadiatingField)  # others keep what lies in closed parts of a map
            or made_for != self._made_for
            or field.resistance is not resistance
        ):
            field = field_on(None, layer.propagation, self.space, clock.seconds(layer.steps.every))
            field.set_resistance(resistance)
            self._made_for = made_for
        ids = [key.id if isinstance(key, Source) else sources.id_of(key) for key in self.keys]
        others = sources.copy()
        gone = [each for each in ids if each is not None and sources.is_alive(each)]
        others.remove(np.array(gone, dtype=np.int64))
        others.rows.all_changed()
        field.feed(others)
        field.settle()
        return field
