"""Fields that diffuse and drift: cells give parts of their values to each neighbor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation.diffuse.currents import Currents
from fieldcraft.layers.propagation.diffuse.diffuse_field import DiffuseField, Floats, Numbers
from fieldcraft.layers.propagation.diffuse.drift import vectors_on
from fieldcraft.layers.propagation.diffuse.equilibrium import no_equilibrium, solved
from fieldcraft.space.csr import starts_of

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.diffuse.diffuse import Diffuse

_ROUNDING = 1e-9
_LEAST_LOSS = 1e-5  # of a value in an update: less is rounding


@dataclass(frozen=True, eq=False)
class Flows:
    """What arrives in each cell in an update, and what stays.

    Parameters
    ----------
    starts : ndarray of int64, (N + 1,)
        Where what arrives in each cell begins in the next arrays.
    origins, ends : ndarray, (A,)
        The cells that it comes from and arrives in.
    parts : ndarray of float32, (A,)
        The part of the value of the origin.
    stays : ndarray of float32, (N,)
        The part of each value that stays.
    """

    starts: NDArray[np.int64]
    origins: NDArray[np.int32]
    ends: NDArray[np.int64]
    parts: Numbers
    stays: Numbers


class DriftingField(DiffuseField):
    """Values that diffuse and drift, on any space: by lists of what each cell receives."""

    drifts = True

    def tune(self, diffuse: Diffuse, every: float) -> None:
        """Set parameters; refuses a drift that moves more than all of a cell in an update. See
        `Field.tune`.
        """
        self._refuse_other_kind(diffuse)
        assert diffuse.drift is not None
        moves = vectors_on(diffuse.drift, self.space) * every
        currents = Currents.of(self.space, moves)
        given = diffuse.rate * (self._degrees > 0) + currents.totals
        if (given > 1 + _ROUNDING).any():
            cell = int(given.argmax())
            moved = float(currents.totals[cell])
            shorter = every * (1 - diffuse.rate) / moved
            remedy = f"Use a smaller rate, or every={shorter:.2g} seconds"
            if diffuse.rate == 1:
                remedy = "Use a rate below 1, and a shorter every"
            raise InvalidValue(
                "What a cell gives away in an update is at most its value: rate, plus every *"
                " (|x| + |y|) / cell_size of the drift on a grid, is at most 1",
                got=f"rate={diffuse.rate:g} and a drift that moves {moved:g} of"
                f" {self.space.describe(cell)} in {every:g} seconds",
                remedy=remedy,
                about="drift",
            )
        super().tune(diffuse, every)
        self._currents = currents

    @property
    def _rows(self) -> int:
        return int(self.values.size)

    def _offer(self) -> None:
        self._before = self._flat.copy()

    def _call(self, values: Numbers, first: int, last: int) -> pool.Call:
        flows = self._flows
        arguments = (flows.starts, flows.origins, flows.parts, self._before, flows.stays)
        rule = (self._keep, self._floor, first, last)
        kernel = kernels.spread.diffuse_steps.exchange_weighted
        return kernel, (*arguments, *rule, values.reshape(-1))

    @property
    def _flows(self) -> Flows:
        """What arrives in each cell in the present walls, and what stays."""
        if self._flow is None:
            self._flow = self._new_flows()
        flows: Flows = self._flow
        return flows

    def _new_flows(self) -> Flows:
        steps = self.space.adjacency_from_walls
        count = len(self.space)
        currents = self._currents
        # A current flows where a step may be taken, and with walls it stays or is lost.
        opened = np.isin(
            currents.origins * count + currents.ends,
            steps.origins.astype(np.int64) * count + steps.ends,
        )
        origins = np.concatenate([steps.origins.astype(np.int64), currents.origins[opened]])
        ends = np.concatenate([steps.ends.astype(np.int64), currents.ends[opened]])
        shares = np.broadcast_to(self._shares, count)[steps.origins]
        offered = np.concatenate([shares, currents.parts[opened]])
        entering = offered
        if self.resistance is not None:
            entering = offered * np.exp(-self.resistance.reshape(-1).astype(np.float64))[ends]
        parts = entering.astype(np.float32)
        stays: Floats = np.ones(count)
        stays -= np.bincount(origins, weights=parts, minlength=count)
        if self.diffuse.edges == "lose":
            given = self._shares * self._degrees + currents.totals
            stays -= given - np.bincount(origins, weights=offered, minlength=count)
        order = np.argsort(ends, kind="stable")
        return Flows(
            starts=starts_of(ends, count),
            origins=origins[order].astype(np.int32),
            ends=ends[order],
            parts=parts[order],
            stays=np.maximum(stays, 0).astype(np.float32),
        )

    def _balance(self) -> Floats:
        """See `DiffuseField._balance`. What nothing leaves has no balance unless it is empty."""
        from scipy.sparse import csr_array, diags_array

        flows = self._flows
        count = len(self.space)
        values = self._flat.astype(np.float64)
        is_pinned = np.zeros(count, dtype=np.bool_)
        is_pinned[self._pins[0]] = True
        walls = self.space.walls.reshape(-1)
        keep = float(self._keep)
        if keep == 0:
            return np.where(is_pinned, values, 0.0)
        matrix = csr_array(
            (flows.parts.astype(np.float64), (flows.ends, flows.origins)), shape=(count, count)
        )
        stays = flows.stays.astype(np.float64)
        is_left = self._leads_out(matrix, is_pinned)
        unknown = ~is_pinned & ~walls & is_left
        closed = ~is_pinned & ~walls & ~is_left
        inflow = keep * (matrix @ np.where(is_pinned, values, 0.0))
        enters = matrix[closed] @ np.where(unknown | is_pinned, 1.0, 0.0)
        if values[closed].any() or (enters > 0).any():
            raise no_equilibrium("a drift in a part of the map that nothing leaves")
        result = np.where(is_pinned, values, 0.0)
        if unknown.any():
            inside = matrix[unknown][:, unknown]
            equations = diags_array(1 - keep * stays[unknown]) - keep * inside
            result[unknown] = solved(equations, inflow[unknown])
        return result

    def _leads_out(self, matrix: Any, is_pinned: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the cells from which some of what is there comes to a pinned cell, or is lost."""
        from scipy.sparse import csr_array, vstack
        from scipy.sparse.csgraph import breadth_first_order

        count = len(is_pinned)
        if self._keep < 1:
            return np.ones(count, dtype=np.bool_)
        left = np.asarray(matrix.sum(axis=0)).reshape(-1) + self._flows.stays
        drains = is_pinned | (left < 1 - _LEAST_LOSS)
        # One more node leads to all drains, and from each cell back to where its values came from.
        whence = vstack([matrix, csr_array(drains.astype(np.float64)[np.newaxis])])
        back = csr_array(whence)
        back.resize((count + 1, count + 1))
        found = breadth_first_order(back, count, return_predecessors=False)
        reached = np.zeros(count + 1, dtype=np.bool_)
        reached[found] = True
        return reached[:count]
