"""Layers with a propagation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft.layer.layer import Layer
from fieldcraft.propagation import Propagation
from fieldcraft.propagation.settings import values_of
from fieldcraft.sources.placing import place

__all__ = ["Moving"]


class Moving(Layer):
    """A layer with a propagation."""

    @property
    def propagation(self) -> Propagation:
        """How influence gets from cell to cell. May be changed while it runs; shows from the next
        step on.
        """
        return self._propagation

    @propagation.setter
    def propagation(self, propagation: Propagation) -> None:
        with self._lock:
            if type(propagation) is not type(self._propagation):
                raise InvalidValue(
                    "A layer keeps its kind of propagation, here"
                    f" {type(self._propagation).__name__}",
                    got=repr(propagation),
                    remedy="Add another layer for another kind",
                )
            self._catch_up()
            self._field.tune(propagation, self.every)
            self._propagation = propagation

    def tune(self, **parameters: Any) -> None:
        """Go on with other parameters of the propagation, such as `decay` and `momentum`; shows
        from the next step on.

        Raises
        ------
        UnknownName
            For what this propagation does not have, and what the propagation raises.
        """
        known = values_of(self._propagation)
        for name in parameters:
            if name not in known:
                raise UnknownName(f"parameter of {type(self._propagation).__name__}", name, known)
        self.propagation = type(self._propagation)(**{**known, **parameters})

    def settle(self) -> None:
        """Go at once where endless steps would lead; what was deposited or written is gone then. No
        time passes.
        """
        with self._lock:
            self._catch_up()
            self._feed()
            self._field.settle()
            self._version += 1

    def _open_cells(self, positions: ArrayLike, on_wall: str, outside: str) -> NDArray[np.int64]:
        """The cells of positions to put something on, walls refused; due updates are made first."""
        self._catch_up()
        return place(self.space, positions, on_wall=on_wall, outside=outside, walls_allowed=False)[
            1
        ]
