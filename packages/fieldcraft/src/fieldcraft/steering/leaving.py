"""The things that agents of a swarm leave behind them, and fetch, and the places that smell to
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, extensions, kernels
from fieldcraft.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.kernels.arrays import read_only
from fieldcraft.kernels.swarm_layout import LONGEST_SINCE, circle, packed
from fieldcraft.space import Grid, grid_of

__all__ = ["Forage", "Leave", "Reversed", "Smell"]

_MOST_AMOUNT = 2.0**20
_MOST_FOOD = 2**30


@dataclass(frozen=True)
class Leave:
    """The amounts that agents leave on a layer with `fc.Trail` in each step, in the cell that they
    arrive in.

    Parameters
    ----------
    layer : object
        The layer; on one of vectors each leaves its heading times the amount.
    amount : float or Sequence[float], optional
        How much, at most 2**20 in size. Or several amounts, by how many steps ago an agent last
        took or brought anything, or was at home; the last one goes on. On a layer of vectors
        several amounts need the CPU.
    role : int, optional
        Which agents, 0 or 1; by default all. Those of role 1 are those who carry something.

    Raises
    ------
    InvalidValue
        For other amounts and roles.
    """

    layer: Any
    amount: float | Sequence[float] = 1.0
    role: int | None = None

    def __post_init__(self) -> None:
        amounts = checks.array("amount", self.amount)
        if (
            amounts.ndim > 1
            or amounts.dtype.kind not in "iuf"
            or not amounts.size
            or amounts.size > LONGEST_SINCE + 1
        ):
            raise InvalidValue(
                "amount is a number, or a list of them",
                got=f"{amounts.dtype} of shape {amounts.shape}",
                remedy="Pass 1.0, say",
            )
        if not (np.abs(amounts.astype(np.float64)) <= _MOST_AMOUNT).all():
            raise InvalidValue(
                f"Amounts are at most {_MOST_AMOUNT:,.0f} in size",
                got=repr(self.amount)[:60],
                remedy="Count in larger units",
            )
        if self.role is not None and (
            isinstance(self.role, bool)
            or not isinstance(self.role, (int, np.integer))
            or self.role not in (0, 1)
        ):
            raise InvalidValue(
                "A role is 0 or 1",
                got=f"role={self.role!r}",
                remedy="Leave it out for agents of both",
            )

    def amounts(self) -> NDArray[np.int64]:
        """The amounts in units of 2**-24."""
        return np.rint(
            np.atleast_1d(np.asarray(self.amount, dtype=np.float64)) * kernels.stamps.SCALE
        ).astype(np.int64)

    def by_heading(self, y_up: bool) -> list[NDArray[np.int64]]:
        """Return x and y of what each of 4,096 headings leaves of the first amount, in units of
        2**-24; exact multiples of the unit of cosines.
        """
        amount = np.atleast_1d(np.asarray(self.amount, dtype=np.float64))
        if len(amount) > 1:
            raise InvalidValue(
                "Headings are multiplied by one amount",
                got=f"{len(amount)} amounts for a layer of vectors",
                remedy="Pass one number, or use steering.Swarm on the CPU",
            )
        ways = circle().astype(np.float64) * (float(amount[0]) * kernels.stamps.SCALE / (1 << 14))
        return [
            np.rint(ways[:, 0]).astype(np.int64),
            np.rint(-ways[:, 1] if y_up else ways[:, 1]).astype(np.int64),
        ]


@dataclass(frozen=True)
class Reversed:
    """A layer of vectors that agents align against, such as a velocity trail that carriers follow
    home.

    Parameters
    ----------
    layer : object
        A layer with `Trail(vector=True)`, or anything on the grid with `vectors`.
    """

    layer: Any


@dataclass(frozen=True, eq=False)
class Smell:
    """The smell of places, which is put on a layer with `fc.Trail` in each step, along with what
    agents leave.

    Parameters
    ----------
    layer : object
        The layer.
    places : object
        Cells on open ground, (N,), where a cell that is named twice counts twice; or a `Forage`:
        the open cells that have food then.
    amount : array_like, optional
        How much, at most 2**20 in size: one number, or one for each cell (N,); on a layer of
        vectors one for each cell, (N, 2).

    Raises
    ------
    InvalidValue
        For other places and amounts.
    """

    layer: Any
    places: Any
    amount: ArrayLike = 1.0

    def __post_init__(self) -> None:
        amounts = checks.array("amount", self.amount)
        if (
            amounts.ndim > 2
            or amounts.dtype.kind not in "iuf"
            or not (np.abs(amounts.astype(np.float64)) <= _MOST_AMOUNT).all()
        ):
            raise InvalidValue(
                f"Amounts are numbers of at most {_MOST_AMOUNT:,.0f} in size",
                got=repr(self.amount)[:60],
                remedy="Pass 1.0, say",
            )
        if isinstance(self.places, Forage):
            if amounts.ndim:
                raise InvalidValue(
                    "All food smells alike",
                    got=f"amounts of shape {amounts.shape}",
                    remedy="Pass one number",
                )
            return
        cells = checks.array("places", self.places)
        if cells.ndim != 1 or (cells.dtype.kind not in "iu" and len(cells)):
            raise InvalidValue(
                "places are cells, (N,), or a Forage",
                got=f"{cells.dtype} of shape {cells.shape}",
                remedy="Pass np.flatnonzero(mask)",
            )
        for name, array in (
            ("places", np.array(cells, dtype=np.int64)),
            ("amount", np.array(amounts, dtype=np.float64)),
        ):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def on(self, space: Grid, *, vector: bool) -> NDArray[np.float64]:
        """The amount of each cell, (N,) or (N, 2), for a layer on this grid; raises `InvalidValue`,
        `OutsideMap` or `OnWall`.
        """
        amounts = np.asarray(self.amount, dtype=np.float64)
        if isinstance(self.places, Forage):
            if vector or not space.same_cells(self.places.space):
                raise InvalidValue(
                    "Food smells on a layer of numbers of its map",
                    got=repr(self.layer)[:60],
                    remedy="Choose another layer",
                )
            return amounts
        cells, wanted = self.places, (len(self.places), 2) if vector else (len(self.places),)
        if amounts.shape != wanted and (vector or amounts.ndim):
            raise InvalidValue(
                "There is an amount for each place",
                got=f"shape {amounts.shape} for {len(cells)} cells",
                remedy=f"Pass shape {wanted}",
            )
        if len(cells) and (cells.min() < 0 or cells.max() >= len(space)):
            raise OutsideMap(
                f"Cells lie in 0 to {len(space) - 1}",
                got=f"{cells.min()} to {cells.max()}",
                remedy="Use cell_at()",
            )
        if space.walls.reshape(-1)[cells].any():
            raise OnWall(
                "Smells lie on open ground", got="cells of walls", remedy="Leave these out"
            )
        return np.broadcast_to(amounts, wanted)


class Forage:
    """Food on a grid, and the home that agents bring it to, a portion each.

    Agents of role 0 take a portion in a cell that has some, turn round and go on in role 1; those
    of role 1 who come home bring theirs, turn round and go on in role 0. Where more agents want of
    a cell than it has portions, the one of the lowest number takes one, and the others try again at
    the next step.
    """

    def __init__(self, space: Grid, food: ArrayLike, home: ArrayLike) -> None:
        """Food and home on a grid.

        Parameters
        ----------
        space : Grid
            The grid of the agents.
        food : array_like
            Portions of each cell, whole numbers from 0 to 2**30, (height, width).
        home : array_like
            Which cells are home, bool (height, width).

        Raises
        ------
        InvalidValue
            For other shapes and numbers.
        """
        shape = grid_of(space, "Food").shape
        portions = checks.shaped("food", food, shape, "iu")
        if portions.size and not 0 <= portions.min() <= portions.max() <= _MOST_FOOD:
            raise InvalidValue(
                f"food is portions of each cell, from 0 to {_MOST_FOOD:,}",
                got=f"{portions.min()} to {portions.max()}",
                remedy="Pass such numbers",
            )
        inside = checks.shaped("home", home, shape, "b")
        self.space = space
        self.homes = packed(inside)
        self.claims = np.zeros((2, portions.size), dtype=np.int32)
        self._food = np.array(portions, dtype=np.int32).reshape(-1)
        self._brought = 0
        self._held: Any = None  # where the food is while agents on a device fetch it

    def __repr__(self) -> str:
        return f"<Forage: {int(self.food.sum()):,} portions left, {self.brought:,} brought>"

    @property
    def food(self) -> NDArray[np.int32]:
        """Portions left in each cell, (height, width), read-only. Read back from a device if that
        holds them.
        """
        portions = self._food if self._held is None else self._held.read()[0]
        return read_only(portions.reshape(self.space.shape))

    @property
    def brought(self) -> int:
        """How many portions were brought home."""
        return self._brought + (0 if self._held is None else self._held.read()[1])

    def recover(self) -> None:
        """Go on without a device that was lost, with the portions as they were last read back of
        it; see `Swarm.recover`.

        Raises
        ------
        InvalidValue
            If they are on no device that is lost.
        """
        if self._held is None or not self._held.device.lost:
            raise InvalidValue(
                "Food recovers from a device that is lost",
                got="none that is",
                remedy="Go on; nothing is gone",
            )
        (self._food, more), self._held = self._held.last_read, None
        self._food = np.array(self._food)
        self._brought += more

    def portions(self) -> NDArray[np.int32]:
        """Portions of each cell, (cells,), for agents of the CPU to take."""
        self.on(None)
        return self._food

    def smelling(self) -> NDArray[np.int64]:
        """The open cells that have food, in ascending order, for agents of the CPU."""
        return np.flatnonzero((self.portions() > 0) & ~self.space.walls.reshape(-1))

    def count(self, brought: int) -> None:
        """Take notice of so many more portions that came home."""
        self._brought += brought

    def on(self, device: Any) -> Any:
        """The food on a device, moved there if need be; None for the CPU."""
        if self._held is not None and self._held.device is not device:
            self._food, more = self._held.read()
            self._brought += more
            self._held = None
        if device is not None and self._held is None:
            self._held = extensions.devices().food(device, self._food, self.homes)
        return self._held
