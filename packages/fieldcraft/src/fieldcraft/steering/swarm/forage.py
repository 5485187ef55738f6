"""Food that the agents of a swarm bring home, and what they deposit on layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, packages
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.agents.swarm_layout import LONGEST_SINCE, circle, packed
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.trail.stamp_units import SCALE
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.cells import cell_array

_MOST_FOOD = 2**30


class Forage:
    """Food on a grid, and the home that agents bring it to, a portion each.

    Agents of role 0 take a portion in a cell that has some, turn round and get role 1. Agents of
    role 1 drop theirs in a home cell, turn round and get role 0. If a cell has fewer portions than
    agents that want one, the agent with the lowest number takes one; the others try again at the
    next step.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> from fieldcraft.steering import Forage, Swarm, Walk
    >>> corridor = fc.Grid(4, 1)
    >>> forage = Forage(corridor, food=[[0, 0, 0, 5]], home=np.array([[True, False, False, False]]))
    >>> ant = Swarm.at(corridor, [(2.5, 0.5)], headings=(1, 0))
    >>> ant.run(Walk(speed=1.0, wander=0.0), 1.0, steps=4, forage=forage)
    >>> forage.food
    array([[0, 0, 0, 4]], dtype=int32)
    >>> forage.brought
    1
    """

    def __init__(self, space: Grid, food: ArrayLike, home: ArrayLike) -> None:
        """Create food and home on a grid.

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
            If an array has another shape, or numbers out of range.
        """
        space = grid_of(space, "Food")
        portions = cell_array(space, "food", food, "iu")
        if portions.size and not 0 <= portions.min() <= portions.max() <= _MOST_FOOD:
            raise InvalidValue(
                f"food is portions of each cell, from 0 to {_MOST_FOOD:,}",
                got=f"{portions.min()} to {portions.max()}",
                remedy="Pass such numbers",
            )
        inside = cell_array(space, "home", home, "b")
        self.space = space
        self.homes = packed(inside)
        self.claims = np.zeros((2, portions.size), dtype=np.int32)
        self._food = np.array(portions, dtype=np.int32).reshape(-1)
        self._brought = 0
        self._on_device: Any = None  # the food while agents on a device fetch it

    def __repr__(self) -> str:
        return f"<Forage: {int(self.food.sum()):,} portions left, {self.brought:,} brought>"

    @property
    def food(self) -> NDArray[np.int32]:
        """Portions left in each cell, (height, width), read-only. A device is read if it has
        them.
        """
        if self._on_device is None:
            portions = self._food
        else:
            portions = self._on_device.read()[0]
        return read_only(portions.reshape(self.space.shape))

    @property
    def brought(self) -> int:
        """Number of portions brought home."""
        if self._on_device is None:
            return self._brought
        return self._brought + int(self._on_device.read()[1])

    def recover(self) -> None:
        """Go on without a lost device, with the portions that were last read from it; see
        `Swarm.recover`.

        Raises
        ------
        InvalidValue
            If the food is on no lost device.
        """
        if self._on_device is None or not self._on_device.device.lost:
            raise InvalidValue(
                "Food recovers from a device that is lost",
                got="none that is",
                remedy="Continue; nothing is lost",
            )
        food, more = self._on_device.last_read
        self._on_device = None
        self._food = np.array(food)
        self._brought += more

    def portions(self) -> NDArray[np.int32]:
        """Return the portions of each cell, (cells,), for agents on the CPU to take."""
        self.on(None)
        return self._food

    def cells(self) -> NDArray[np.int64]:
        """Return the open cells that have food, in ascending order, for agents on the CPU."""
        return np.flatnonzero((self.portions() > 0) & ~self.space.walls.reshape(-1))

    def count(self, brought: int) -> None:
        """Add to the number of portions brought home."""
        self._brought += brought

    def on(self, device: Any) -> Any:
        """Move the food to a device unless it is there, and return it; None for the CPU."""
        if self._on_device is not None and self._on_device.device is not device:
            self._food, more = self._on_device.read()
            self._brought += more
            self._on_device = None
        if device is not None and self._on_device is None:
            self._on_device = packages.devices().food(device, self._food, self.homes)
        return self._on_device


_MOST_AMOUNT = 2.0**20


@dataclass(frozen=True)
class Deposit:
    """What agents add to a layer with `fc.Trail` in each step, in the cell that they arrive in.

    Parameters
    ----------
    layer : object
        The layer. On one of vectors each agent adds its heading times the amount.
    amount : float or array_like of shape (K,), optional
        The amount, at most 2**20 in size. Or several amounts, by the number of steps since an agent
        took or brought food or was at home; the last one goes on. On a layer of vectors several
        amounts need the CPU.
    role : int, optional
        The role of the agents that deposit, 0 or 1; by default all do. Agents that carry food have
        role 1.

    Raises
    ------
    InvalidValue
        If an amount or the role is out of range.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> from fieldcraft.steering import Deposit, Swarm, Walk
    >>> corridor = fc.Grid(4, 1)
    >>> trail = fc.InfluenceMap(corridor).add_layer("trail", fc.Trail(keep=0.5, blur=1))
    >>> ant = Swarm.at(corridor, [(0.5, 0.5)], headings=(1, 0))
    >>> ant.run(Walk(speed=1.0, wander=0.0), 1.0, steps=3, deposits=Deposit(trail, 4.0))
    >>> trail.values
    array([[0., 1., 2., 4.]], dtype=float32)
    """

    layer: Any
    amount: ArrayLike = 1.0
    role: int | None = None

    def __post_init__(self) -> None:
        size = _amounts(self.amount, 1).size
        if not 0 < size <= LONGEST_SINCE + 1:
            raise InvalidValue(
                f"amount is 1 to {LONGEST_SINCE + 1:,} numbers",
                got=f"{size:,}",
                remedy="Pass 1.0, say",
            )
        if self.role is not None:
            checks.integer("role", self.role, maximum=1)

    def units(self) -> NDArray[np.int64]:
        """Return the amounts in units of 2**-24."""
        amounts = np.atleast_1d(_amounts(self.amount, 1))
        return np.rint(amounts * SCALE).astype(np.int64)

    def units_by_heading(self, y_up: bool) -> list[NDArray[np.int64]]:
        """Return x and y of the one amount times each of 4,096 headings, in units of 2**-24: exact
        multiples of the unit of cosines.
        """
        amount = _amounts(self.amount, 1).item()
        scale = amount * SCALE / (1 << 14)
        vectors = circle().astype(np.float64) * scale
        if y_up:
            vectors[:, 1] = -vectors[:, 1]
        return [np.rint(vectors[:, 0]).astype(np.int64), np.rint(vectors[:, 1]).astype(np.int64)]


@dataclass(frozen=True)
class Reversed:
    """A layer of vectors that agents align against, such as a velocity trail that carriers follow
    home.

    Parameters
    ----------
    layer : object
        A layer with `Trail(vector=True)`, or anything on the grid with `vectors`.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> from fieldcraft.steering import Reversed, Swarm, Walk
    >>> grid = fc.Grid(3, 3)
    >>> trail = fc.InfluenceMap(grid).add_layer("trail", fc.Trail(keep=0.5, blur=1, vector=True))
    >>> trail.write(np.full((3, 3, 2), (1.0, 0.0)))
    >>> ant = Swarm.at(grid, [(1.5, 1.5)], headings=[(0, 1)])
    >>> walk = Walk(speed=0.0, wander=0.0, align=16.0, distance=0.5)
    >>> ant.run(walk, 1.0, flow=Reversed(trail))
    >>> ant.headings.round(1)
    array([[-1. ,  0.1]])
    """

    layer: Any


@dataclass(frozen=True, eq=False)
class Emitter:
    """Places that add to a layer with `fc.Trail` in each step of a swarm: the smell of a nest, say.

    Parameters
    ----------
    layer : object
        The layer.
    places : array_like or Forage
        Cells on open ground, (N,); a cell that is named twice adds twice. Or a `Forage`: the open
        cells that have food at that step.
    amount : array_like, optional
        The amount, at most 2**20 in size: one number, or one for each cell (N,). On a layer of
        vectors (2,) or (N, 2). For a `Forage` one number.

    Raises
    ------
    InvalidValue
        If an amount is out of range.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> from fieldcraft.steering import Emitter, Swarm, Walk
    >>> corridor = fc.Grid(4, 1)
    >>> scent = fc.InfluenceMap(corridor).add_layer("scent", fc.Trail(keep=0.5, blur=1))
    >>> ant = Swarm.at(corridor, [(3.5, 0.5)])
    >>> ant.run(Walk(speed=0.0), 1.0, steps=2, emitters=Emitter(scent, [1], 8.0))
    >>> scent.values
    array([[ 0., 12.,  0.,  0.]], dtype=float32)
    """

    layer: Any
    places: Any
    amount: ArrayLike = 1.0

    def __post_init__(self) -> None:
        amounts = _amounts(self.amount, 2)
        if not isinstance(self.places, Forage):
            object.__setattr__(self, "places", _copied(checks.array("places", self.places)))
        elif amounts.ndim:
            raise InvalidValue(
                "All food has one amount",
                got=f"amounts of shape {amounts.shape}",
                remedy="Pass one number",
            )
        object.__setattr__(self, "amount", _copied(amounts))


def _amounts(amount: ArrayLike, most_axes: int) -> NDArray[np.float64]:
    """Return amounts as numbers; raise `InvalidValue` if one is out of range."""
    amounts = checks.array("amount", amount)
    if (
        amounts.ndim > most_axes
        or amounts.dtype.kind not in "iuf"
        or not (np.abs(amounts.astype(np.float64)) <= _MOST_AMOUNT).all()
    ):
        raise InvalidValue(
            f"Amounts are numbers of at most {_MOST_AMOUNT:,.0f} in size",
            got=repr(amount)[:60],
            remedy="Pass 1.0, say, and count in larger units",
        )
    return amounts.astype(np.float64)


def _copied(array: NDArray[Any]) -> NDArray[Any]:
    return read_only(np.array(array))
