"""Layers of what agents leave behind."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOnWall, IfOutside
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.propagated_layer import PropagatedLayer
from fieldcraft.layers.propagation.propagation import GatheringField
from fieldcraft.layers.sources.placing import open_ground
from fieldcraft.layers.stamped_layer import StampedLayer
from fieldcraft.layers.steps import Steps


class TrailLayer(StampedLayer, PropagatedLayer, kind="trail"):
    """A layer with `Trail`: takes stamps and deposits, which blur and evaporate."""

    _instead = "Call layer.deposit() or layer.stamp() each step, or add a layer of that kind"
    steps: Steps[GatheringField]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors of a layer with `Trail(vector=True)`: a read-only view of shape (height,
        width, 2), (x, y) in world axes. On a graph or mesh (N, 2), or (N, 3) with z.
        """
        if not self.steps.field.vector:
            raise InvalidValue(
                "Layers with fc.Trail(vector=True) have vectors",
                got=f"layer {self.name!r} with {self._propagation}",
                remedy="Read layer.values",
            )
        with self.steps.lock:
            return read_only(self.steps.field.vectors)

    def deposit(
        self,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        on_wall: IfOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Add to the values of cells with the next step, in any order to the same bits.

        Parameters
        ----------
        positions, on_wall, outside
            As for `SpreadLayer.deposit`.
        amounts : array_like, optional
            One number for all or (N,); on a layer of vectors of shape (2,) or (N, 2). Sums that
            could overflow are refused.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> scent = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("scent", fc.Trail(keep=0.5, blur=1))
        >>> scent.deposit([(0.5, 0.5), (2.5, 0.5)], [4.0, 1.0])
        >>> scent.step(2)
        >>> scent.values
        array([[2. , 0. , 0.5, 0. ]], dtype=float32)
        """
        with self.steps.lock:
            cells = self._open_cells(positions, on_wall, outside)
            self.steps.field.add(cells, self._parts(amounts, len(cells)))
            self.steps.later_changes += 1

    def deposit_at(self, cells: NDArray[np.int64], amounts: ArrayLike = 1.0) -> None:
        """Deposit by cell ids, for agents that know their cells.

        Parameters
        ----------
        cells : ndarray of int64, (N,)
            Ids of open cells.
        amounts : array_like, optional
            As for `deposit`.

        Raises
        ------
        OutsideMap, OnWall, InvalidValue
            If an argument is refused; then nothing has changed.
        """
        with self.steps.lock:
            self.steps.catch_up()
            places = np.atleast_1d(open_ground(self.space, cells))
            self.steps.field.add(places, self._parts(amounts, len(places)))
            self.steps.later_changes += 1
