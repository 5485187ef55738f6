"""Harvesting, building and training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from research.microrts.board import Board
from research.microrts.game import HARVEST, MOVE, PRODUCE, RETURN, STEPS, Cell, Order, Unit
from research.microrts.maps import Maps, power
from research.microrts.settings import Settings

__all__ = ["Economy"]

_NEAR = 10  # cells: deposits farther from every base are not worth the walk


class Economy:
    """Which workers harvest, from which deposit, and what is built and trained."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._deposit_of: dict[int, int] = {}
        self.harvesters: set[int] = set()
        self.short = False
        self.safe = True
        self.raiders: list[Unit] = []
        self._raided = 0
        self._to_foe: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self._to_base: NDArray[np.float32] = np.zeros((0, 0), np.float32)

    def assign(self, board: Board, maps: Maps, attacking: bool) -> None:
        """Choose the workers that harvest: those that did so, then the nearest to a base."""
        state = board.state
        bases = [u.cell for u in state.own("Base")]
        self._to_base = maps.distances(maps.beside(bases))
        self._deposits = {
            d.id: (d, way)
            for d in state.deposits()
            if (way := self._least(self._to_base, maps.beside([d.cell]))) <= _NEAR
        }
        self._ways = {
            key: maps.distances(maps.beside([d.cell])) for key, (d, _) in self._deposits.items()
        }
        workers = state.own("Worker")
        alive = {u.id for u in workers}
        room = sum(len(maps.beside([d.cell])) for d, _ in self._deposits.values())
        foes = [u.cell for u in state.enemies("Base")]
        if foes:
            self.short = self._least(self._to_base, foes) <= self._settings.short
            self._to_foe = maps.distances(foes)
        fighters = len(workers) - 1 + len(state.own("Light")) + len(state.own("Heavy"))
        self.raiders = self._raiders(state.enemies())
        if self.raiders:
            self._raided = state.time
        spare = fighters - sum(power(u) for u in self.raiders)
        calm = state.time - self._raided >= self._settings.calm
        rich = board.available >= self._settings.rich
        self.safe = rich or (calm and spare >= self._settings.spare)
        most = self._settings.harvesters if not self.short else 1 + max(0, int(spare))
        if not foes or (self.short and attacking):
            most = 1
        self._wanted = wanted = min(most, 2 * len(self._deposits), room) if bases else 0
        self.harvesters &= alive
        order = sorted(
            (u for u in workers if u.id not in self.harvesters),
            key=lambda u: (-u.carried, self._to_base[u.cell[1], u.cell[0]], u.id),
        )
        for unit in order[: max(0, wanted - len(self.harvesters))]:
            self.harvesters.add(unit.id)
        for extra in sorted(self.harvesters)[wanted:]:
            self.harvesters.discard(extra)
        self._deposit_of = {k: v for k, v in self._deposit_of.items() if k in self.harvesters}

    def _raiders(self, enemies: list[Unit]) -> list[Unit]:
        """Return the enemies that are nearer to an own base than to one of theirs."""
        if self._to_foe.size == 0:
            return []
        near = self._to_base <= self._to_foe + 1
        return [u for u in enemies if u.kind.can_attack and near[u.cell[1], u.cell[0]]]

    def harvest(self, board: Board, unit: Unit) -> Order | None:
        """Return what a harvester does next."""
        if unit.carried:
            for direction, cell in _around(unit.cell):
                if any(b.cell == cell for b in board.state.own("Base")):
                    return Order(unit.id, RETURN, direction)
            return _walk(board, unit, self._to_base)
        chosen = self._deposit_of.get(unit.id)
        if chosen not in self._deposits:
            chosen = self._choose(unit)
            if chosen is None:
                return None
            self._deposit_of[unit.id] = chosen
        for direction, cell in _around(unit.cell):
            if cell == self._deposits[chosen][0].cell:
                return Order(unit.id, HARVEST, direction)
        return _walk(board, unit, self._ways[chosen])

    def train(self, board: Board, maps: Maps, unit: Unit, need: str | None) -> Order | None:
        """Return an order to produce a kind, on the free side nearest to where it is needed."""
        if need is None or board.available < board.state.kinds[need].cost:
            return None
        sides = [(d, c) for d, c in _around(unit.cell) if board.free(c)]
        if not sides:
            return None
        foes = [e.cell for e in board.state.enemies()]
        goal = [d.cell for d, _ in self._deposits.values()] if self._hungry() else foes
        ways = maps.distances(maps.beside(goal) or foes)
        direction, cell = min(sides, key=lambda side: (ways[side[1][1], side[1][0]], side[0]))
        board.claim(cell)
        board.available -= board.state.kinds[need].cost
        return Order(unit.id, PRODUCE, direction, product=need)

    def build(self, board: Board, maps: Maps, unit: Unit, name: str, site: Cell) -> Order | None:
        """Return a step of a builder to a site, or the order to build there."""
        for direction, cell in _around(unit.cell):
            if cell == site and board.free(cell):
                board.claim(cell)
                return Order(unit.id, PRODUCE, direction, product=name)
        return _walk(board, unit, maps.distances(maps.beside([site])))

    def site(self, board: Board, maps: Maps, near: Cell) -> Cell | None:
        """Return the best cell for a building: near, safe, and in nobody's way."""
        height, width = maps.grid.shape
        rows, columns = np.mgrid[:height, :width]
        crowded = np.zeros((height, width), bool)
        for u in board.state.units:
            if not u.kind.can_move:
                crowded |= abs(rows - u.cell[1]) + abs(columns - u.cell[0]) <= 1
        for y in range(height):
            for x in range(width):
                crowded[y, x] |= not board.free((x, y))
        ways = fc.distance_map(maps.grid, near, on_wall="nearest")
        spot = fc.best(-0.2 * ways - maps.presence(True), near, 5, where=~crowded)
        if not spot:
            return None
        return int(spot.position[0]), int(spot.position[1])

    def _hungry(self) -> bool:
        return len(self.harvesters) < self._wanted

    def _choose(self, unit: Unit) -> int | None:
        x, y = unit.cell
        load = list(self._deposit_of.values())
        costs = {
            key: self._ways[key][y, x] + way + 2 * load.count(key)
            for key, (_, way) in self._deposits.items()
        }
        best = min(costs, key=lambda key: (costs[key], key), default=None)
        return best if best is not None and np.isfinite(costs[best]) else None

    @staticmethod
    def _least(values: NDArray[np.float32], cells: list[Cell]) -> float:
        return min((float(values[y, x]) for x, y in cells), default=np.inf)


def _around(cell: Cell) -> list[tuple[int, Cell]]:
    return [(k, (cell[0] + dx, cell[1] + dy)) for k, (dx, dy) in enumerate(STEPS)]


def _walk(board: Board, unit: Unit, ways: NDArray[np.float32]) -> Order | None:
    """Return a step to a free cell nearer to where distances are 0."""
    here = ways[unit.cell[1], unit.cell[0]]
    sides = [
        (ways[c[1], c[0]] + board.noise[c[1], c[0]], d, c)
        for d, c in _around(unit.cell)
        if board.free(c) and ways[c[1], c[0]] < here
    ]
    if not sides:
        return None
    _, direction, cell = min(sides)
    board.claim(cell)
    return Order(unit.id, MOVE, direction)
