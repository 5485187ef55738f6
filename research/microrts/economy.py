"""Harvesting, building and training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from research.microrts.board import Board, Settings
from research.microrts.game import HARVEST, MOVE, PRODUCE, RETURN, STEPS, Cell, Order, State, Unit
from research.microrts.maps import Maps, power

_PASSING = 6.0  # steps that a walk around another harvester's cell may be longer
_NEAR = 10  # cells: deposits farther from every base are not worth the walk


class Economy:
    """Which workers harvest, from which cell, and what is built and trained."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._spots: dict[Cell, Cell] = {}
        self._spot_of: dict[int, Cell] = {}
        self.harvesters: set[int] = set()
        self.short = False
        self.growing = False
        self.manned = False
        self.safe = True
        self.raiders: list[Unit] = []
        self._raided = 0
        self._seen: set[int] = set()
        self._to_foe: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self._to_base: NDArray[np.float32] = np.zeros((0, 0), np.float32)

    def assign(self, board: Board, maps: Maps, attacking: bool) -> None:
        """Choose the workers that harvest: those that did so, then the nearest to a base."""
        state = board.state
        bases = [u.cell for u in state.own("Base")]
        self._to_base = maps.distances(maps.beside(bases))
        self._maps = maps
        self._spots = {
            cell: deposit.cell
            for deposit in state.deposits()
            for cell in maps.beside([deposit.cell])
            if self._to_base[cell[1], cell[0]] <= _NEAR
        }
        workers = state.own("Worker")
        alive = {u.id for u in workers}
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
        most = self._settings.harvesters
        if self.short:
            most = 1 + max(0, int(spare))
        if self.short and attacking:
            most = 1
        # With two bases it lost matches that are won without it.
        self.growing = self.short and len(bases) > 2 and self._enemy_harvesters(state) > 1
        if self.growing:
            most = max(most, len(bases))
        if self.short and self.raiders and board.available >= self._settings.stocked:
            most = 0
        self._wanted = wanted = min(most, len(self._spots)) if bases else 0
        self.harvesters &= alive
        order = sorted(
            (u for u in workers if u.id not in self.harvesters),
            key=lambda u: (-u.carried, self._to_base[u.cell[1], u.cell[0]], u.id),
        )
        for unit in order[: max(0, wanted - len(self.harvesters))]:
            self.harvesters.add(unit.id)
        for extra in sorted(self.harvesters)[wanted:]:
            self.harvesters.discard(extra)
        self.manned = 0 < wanted <= len(workers)
        self._spot_of = {
            unit: spot
            for unit, spot in self._spot_of.items()
            if unit in self.harvesters and spot in self._spots
        }

    def _enemy_harvesters(self, state: State) -> int:
        """Return how many enemy workers have been seen to harvest."""
        for unit in state.enemies("Worker"):
            if unit.carried or unit.action in (HARVEST, RETURN):
                self._seen.add(unit.id)
        return len(self._seen)

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
        spot = self._spot_of.get(unit.id) or self._choose(unit)
        if spot is None:
            return None
        self._spot_of[unit.id] = spot
        for direction, cell in _around(unit.cell):
            if unit.cell == spot and cell == self._spots[spot]:
                return Order(unit.id, HARVEST, direction)
        others = [cell for cell in self._spot_of.values() if cell != spot]
        away = self._maps.distances_around([spot], others, _PASSING)
        return _walk(board, unit, away) or self._step_aside(board, unit, away)

    def _step_aside(self, board: Board, unit: Unit, away: NDArray[np.float32]) -> Order | None:
        """Resolve a jam: an idle worker in the way takes over the harvest or changes spots, and one
        with a load gets room by a step aside.
        """
        here = away[unit.cell[1], unit.cell[0]]
        idle = {u.cell: u for u in board.state.own("Worker") if u.action is None}
        for _, cell in _around(unit.cell):
            if cell not in idle or away[cell[1], cell[0]] >= here:
                continue
            other = idle[cell]
            if other.id in self.harvesters and other.carried:
                return _walk(board, unit, away, 2)
            spot = self._spot_of.get(other.id)
            if spot != cell:
                self._spot_of[other.id] = self._spot_of.pop(unit.id)
                if other.id not in self.harvesters:
                    self.harvesters.discard(unit.id)
                    self.harvesters.add(other.id)
                elif spot is not None:
                    self._spot_of[unit.id] = spot
                return None
        return None

    def train(self, board: Board, maps: Maps, unit: Unit, need: str | None) -> Order | None:
        """Return an order to produce a kind, on the free side nearest to where it is needed."""
        if need is None or board.available < board.state.kinds[need].cost:
            return None
        sides = [(d, c) for d, c in _around(unit.cell) if board.free(c)]
        if not sides:
            return None
        foes = [e.cell for e in board.state.enemies()]
        if len(self.harvesters) < self._wanted:
            goal = list(self._spots.values())
        else:
            goal = foes
        away = maps.distances(maps.beside(goal) or foes)
        direction, cell = min(sides, key=lambda side: (away[side[1][1], side[1][0]], side[0]))
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
        away = fc.distance_map(maps.grid, near, on_wall="nearest")
        spot = fc.best(-0.2 * away - maps.presence(True), near, 5, where=~crowded)
        if not spot:
            return None
        return int(spot.position[0]), int(spot.position[1])

    def _choose(self, unit: Unit) -> Cell | None:
        """Return the best cell to harvest from that no other harvester has."""
        x, y = unit.cell
        costs = {
            cell: 2 * self._to_base[cell[1], cell[0]] + self._maps.distances([cell])[y, x]
            for cell in self._spots.keys() - self._spot_of.values()
        }
        best = min(costs, key=lambda cell: (costs[cell], cell), default=None)
        if best is not None and np.isfinite(costs[best]):
            return best
        return None

    @staticmethod
    def _least(values: NDArray[np.float32], cells: list[Cell]) -> float:
        return min((float(values[y, x]) for x, y in cells), default=np.inf)


def _around(cell: Cell) -> list[tuple[int, Cell]]:
    return [(k, (cell[0] + dx, cell[1] + dy)) for k, (dx, dy) in enumerate(STEPS)]


def _walk(board: Board, unit: Unit, away: NDArray[np.float32], detour: float = 0) -> Order | None:
    """Return a step to a free cell nearer to where distances are 0, or less than `detour`
    farther.
    """
    here = away[unit.cell[1], unit.cell[0]] + detour
    sides = [
        (away[c[1], c[0]] + board.noise[c[1], c[0]], d, c)
        for d, c in _around(unit.cell)
        if board.free(c) and away[c[1], c[0]] < here
    ]
    if not sides:
        return None
    _, direction, cell = min(sides)
    board.claim(cell)
    return Order(unit.id, MOVE, direction)
