"""The layer without some of its sources: influence without myself."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import clock
from fieldcraft.kernels.arrays import read_only
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation.field import Field
from fieldcraft.propagation.kinds import field_on
from fieldcraft.sources import Source

if TYPE_CHECKING:
    from fieldcraft.layer.source_layer import SourceLayer

__all__ = ["Without"]


class Without(Operand):
    """A layer as it would be without some sources; made by `SourceLayer.without`.

    A twin of the layer's field follows its sources, all but these; it is brought up to date when it
    is asked after a step.
    """

    def __init__(self, layer: SourceLayer, keys: tuple[Hashable | Source, ...]) -> None:
        self.layer = layer
        self.keys = keys
        self.space = layer.space
        self.name = (
            f"{layer.name} without"
            f" {', '.join(str(key.id if isinstance(key, Source) else key) for key in keys)}"
        )
        self._begin()

    def _begin(self) -> None:
        self._lock = self.layer._lock
        self._field: Field | None = None
        self._made_for: Any = None
        self._seen: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("layer", "keys", "space", "name")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def __repr__(self) -> str:
        return f"<{self.name!r}: {self.layer!r}>"

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return self.layer.version

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, float32 in the space's shape: a read-only view, valid until the next
        change.
        """
        with self._lock:
            if self._seen != self.layer.version:
                self._follow()
                self._seen = self.layer.version
            assert self._field is not None
            return read_only(self._field.values)

    def _follow(self) -> None:
        """Let the twin radiate or settle what all other sources say now."""
        layer = self.layer
        made_for, resistance = (layer.propagation, layer.every), layer._field.resistance
        if (
            self._field is None
            or made_for != self._made_for
            or resistance is not self._field.resistance
        ):
            self._field = field_on(None, layer.propagation, self.space, clock.seconds(layer._every))
            self._field.resist(resistance)
            self._made_for = made_for
        sources = layer._sources
        others = sources.copy()
        gone = [key.id if isinstance(key, Source) else sources.id_of(key) for key in self.keys]
        others.remove(
            np.array(
                [each for each in gone if each is not None and sources.is_alive(each)],
                dtype=np.int64,
            )
        )
        others.all_changed()
        self._field.feed(others)
        self._field.settle()
