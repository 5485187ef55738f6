"""What fighters do: strike, step, hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from research.microrts.board import Board, Settings
from research.microrts.game import ATTACK, MOVE, STEPS, Order, Unit
from research.microrts.maps import Maps, worth

_CLOSE = 6  # cells: farther enemies do not matter for the next step
_STAY = 0.02  # more than the noise: only a reason makes a unit move
_HOLD = 1  # cycles: a unit that waits decides again in the next one


def strike(board: Board, unit: Unit) -> Order | None:
    """Return an attack on the best enemy in range that will still be there, if there is one."""
    lands = board.state.time + unit.kind.attack_time
    best = None
    best_score = 0.0
    for enemy in board.state.enemies():
        dx, dy = enemy.cell[0] - unit.cell[0], enemy.cell[1] - unit.cell[1]
        if dx * dx + dy * dy > unit.kind.range**2:
            continue
        if enemy.action == MOVE and enemy.ends <= lands:
            continue
        left = enemy.hp - board.damage.get(enemy.cell, 0)
        if left <= 0:
            continue
        score = worth(enemy) * min(1.0, unit.kind.damage / left)
        if not enemy.kind.can_attack:
            score *= 0.3
        if score > best_score:
            best = enemy
            best_score = score
    if best is None:
        return None
    board.damage[best.cell] = board.damage.get(best.cell, 0) + unit.kind.damage
    return Order(unit.id, ATTACK, cell=best.cell)


def step(
    board: Board,
    maps: Maps,
    settings: Settings,
    unit: Unit,
    distances: NDArray[np.float32],
    near: float,
    weak: bool,
) -> Order | None:
    """Return the step of a unit towards where distances are 0, or None if it had better hold.

    A weak unit falls back towards its own side instead, up the difference of presence.
    """
    x, y = unit.cell
    cells = [(x, y)]
    directions = [-1]
    for direction, (dx, dy) in enumerate(STEPS):
        if board.free((x + dx, y + dy)):
            cells.append((x + dx, y + dy))
            directions.append(direction)
    rows, columns = np.array(cells)[:, 1], np.array(cells)[:, 0]
    scores = board.noise[rows, columns]
    scores[0] += _STAY
    if near <= _CLOSE:
        scores = scores + _fight_scores(maps, settings, unit, rows, columns)
    away = distances[rows, columns]
    if np.isfinite(away[0]):
        here = away[0]
    else:
        here = np.nanmin(away[np.isfinite(away)], initial=0.0) + 1
    progress = np.where(np.isfinite(away), here - away, -1.0)
    if weak:
        held = (maps.presence(False) - maps.presence(True))[rows, columns]
        progress = settings.gather * (held - held[0])
    scores = scores + settings.progress * np.clip(progress, -2, 2)
    choice = int(np.argmax(scores))
    if choice == 0:
        return None
    board.claim(cells[choice])
    return Order(unit.id, MOVE, directions[choice])


def _fight_scores(
    maps: Maps,
    settings: Settings,
    unit: Unit,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return what a unit gains by strikes and loses by being struck, staying or after a step."""
    value = worth(unit)
    scores = np.zeros(len(rows))
    shared = np.maximum(maps.contact()[rows, columns] - 1, 0)
    for part, delay in ((slice(0, 1), _HOLD), (slice(1, None), unit.kind.move_time)):
        at = rows[part], columns[part]
        hurt = value * np.minimum(maps.strikes(delay)[at] / unit.hp, 1) / (1 + shared[part])
        late, ready = (maps.prey(unit.kind, delay, which)[at] for which in (True, False))
        scores[part] = settings.gain * np.maximum(late, ready) - settings.loss * hurt
    held = maps.locked(unit.kind.move_time)[rows[0], columns[0]]
    scores[1:] -= settings.loss * value * min(held / unit.hp, 1.0)
    return scores
