"""Layers with a propagation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.base.state import copied
from fieldcraft.base.words import IfOnWall, IfOutside
from fieldcraft.layers.layer import Layer
from fieldcraft.layers.propagation import Propagation
from fieldcraft.layers.propagation.settings import values_of
from fieldcraft.layers.sources.placing import place
from fieldcraft.layers.steps import Stepped
from fieldcraft.space import Space


class PropagatedLayer(Layer):
    """A layer with a propagation, which moves influence from cell to cell."""

    @property
    def propagation(self) -> Propagation:
        """How influence moves from cell to cell. May be set to another one of the same class; takes
        effect with the next step.
        """
        return self._propagation

    @propagation.setter
    def propagation(self, propagation: Propagation) -> None:
        with self.steps.lock:
            if type(propagation) is not type(self._propagation):
                raise InvalidValue(
                    "A layer keeps its kind of propagation, here"
                    f" {type(self._propagation).__name__}",
                    got=repr(propagation),
                    remedy="Add another layer for another kind",
                )
            barrier = getattr(propagation, "barrier", None)
            if barrier != self.steps.field.barrier:
                check_barrier(self.space, barrier, self.steps.others)
            self.steps.catch_up()
            self.steps.field.tune(propagation, self.every)
            self._propagation = propagation
            self.steps.changes += 1  # values that are computed when they are read show it at once

    def tune(self, **parameters: Any) -> None:
        """Change settings of the propagation, such as `decay`; takes effect with the next step.

        Raises
        ------
        UnknownName
            For a setting that this propagation does not have.
        InvalidValue
            For a value that it does not take.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("threat", fc.Spread(decay=0.2))
        >>> threat.tune(decay=0.5, momentum=1.0)
        >>> threat.propagation.decay, threat.propagation.momentum
        (0.5, 1.0)
        """
        known = values_of(self._propagation)
        for name in parameters:
            if name not in known:
                raise UnknownName(f"parameter of {type(self._propagation).__name__}", name, known)
        self.propagation = type(self._propagation)(**{**known, **parameters})

    def settle(self) -> None:
        """Set the values at once that endless steps would lead to, without deposits and written
        values. No time passes.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("threat", fc.Spread(decay=0.5))
        >>> _ = threat.add_source((0.5, 0.5), 8.0)
        >>> threat.settle()
        >>> threat.values.round(2)
        array([[8.  , 4.85, 2.94, 1.79]], dtype=float32)
        """
        with self.steps.lock:
            self.steps.catch_up()
            before = copied(self.steps.field.state())
            taken = self.steps.field.taken(self.steps.sources)
            walls_seen = self.steps.walls_seen
            last_walls = self.steps.last_walls
            try:
                self.steps.feed()
                self.steps.field.settle()
            except BaseException:
                self.steps.field.restore(before, self.steps.sources)
                if taken is not None:
                    self.steps.field.take(taken)
                self.steps.walls_seen = walls_seen
                self.steps.last_walls = last_walls
                raise
            self.steps.changes += 1

    def _open_cells(
        self, positions: ArrayLike, on_wall: IfOnWall, outside: IfOutside
    ) -> NDArray[np.int64]:
        """Return the cells of positions; walls are refused, and steps that are due are taken
        first.
        """
        self.steps.catch_up()
        _, cells = place(
            self.space, positions, on_wall=on_wall, outside=outside, walls_allowed=False
        )
        return cells


def check_barrier(space: Space, name: str | None, layers: Mapping[str, Stepped]) -> None:
    """Refuse a barrier of a flood unless it is one of these layers, with the same cells."""
    if name is None:
        return
    if name not in layers:
        raise UnknownName("layer", name, layers)
    barrier = layers[name].steps.space
    if not space.same_cells(barrier):
        raise InvalidValue(
            "A barrier has the same cells as the flood",
            got=f"layer {name!r} on {barrier!r}",
            remedy="Give both one cell_size",
        )
