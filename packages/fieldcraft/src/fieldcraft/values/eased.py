"""Maps that follow others with a delay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.values.operand import Operand

_AT_REST = 1e-6  # a difference that is no longer eased


class Eased(Operand):
    """A map that moves towards another one: each half-life halves the difference in every cell.

    So influence fades in and out where the other map jumps, such as a layer with `Radial` when a
    tower is built or removed. It moves while its `advance` is called: add it to the influence map
    with `imap.add`. At first it has the values of the other map. A difference of less than 1e-6 is
    closed at once, and so is an infinite one, as of a cell that a distance map no longer reaches.
    Walls read 0.

    Parameters
    ----------
    target : layer or expression
        The map that it follows.
    half_life : float
        Seconds, above 0.

    Raises
    ------
    InvalidValue
        For anything but a map, and a half-life that is not above 0.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
    >>> guns = imap.add_layer("guns", fc.Radial(2, "linear"))
    >>> shown = imap.add(fc.compose.Eased(guns, half_life=0.5))
    >>> tower = guns.add_source((0.5, 0.5), 8.0)
    >>> _ = imap.advance(0.5)
    >>> guns.values, shown.values
    (array([[8., 4., 0.]], dtype=float32), array([[4., 2., 0.]], dtype=float32))
    """

    def __init__(self, target: Operand, *, half_life: float) -> None:
        if not isinstance(target, Operand):
            raise InvalidValue(
                "A layer or an expression is eased",
                got=type(target).__name__,
                remedy="Pass a map such as imap[name]",
            )
        self.target = target
        self.half_life = checks.positive("half_life", half_life)
        self.space = target.space
        self.name = f"{target.name} eased"
        self._exact = np.array(target.values, dtype=np.float64)
        self._steps = 0

    def __repr__(self) -> str:
        return f"<Eased: {self.target!r}, half-life {self.half_life:g} s>"

    def advance(self, dt: float) -> None:
        """Move towards the other map for `dt` seconds, at least 0."""
        seconds = clock.seconds(clock.ticks("dt", dt))
        target = np.asarray(self.target.values, dtype=np.float64)
        with np.errstate(invalid="ignore"):  # of two infinite values
            left = (self._exact - target) * 0.5 ** (seconds / self.half_life)
        left[(np.abs(left) < _AT_REST) | ~np.isfinite(left)] = 0
        moved = target + left
        if not np.array_equal(moved, self._exact):
            self._exact = moved
            self._steps += 1

    def state(self) -> dict[str, Any]:
        """Return the state to save: an array with the exact values."""
        return {"exact": self._exact.copy()}

    @atomic
    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue bit for bit from the `state` of another `Eased` on a map of this shape.

        Raises
        ------
        InvalidValue
            For anything else.
        """
        exact = np.zeros(0)
        if isinstance(state, Mapping):
            exact = np.array(state.get("exact"))
        shape = self._exact.shape
        if exact.shape != shape or exact.dtype.kind != "f" or np.isnan(exact).any():
            raise InvalidValue(
                f"A state of an eased map has numbers of shape {shape}",
                got=f"{exact.dtype} of shape {exact.shape}",
                remedy="Pass the result of state(), of a map of this shape",
            )
        self._exact = exact.astype(np.float64)
        self._steps += 1

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return self._steps + self.space.walls_version

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now, float32 in the space's shape; read-only."""
        found = self._exact.astype(np.float32)
        found[self.space.walls] = 0
        return read_only(found)
