"""Priority inheritance with backtracking as in the paper: recursive, on lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def next_cells(
    beside: Mapping[int, Sequence[int]],
    distances: Any,
    cells: Sequence[int],
    order: Sequence[int],
    centers: Any = None,
) -> list[int]:
    """Return the next cell of each agent. `distances[i]` are agent i's, all different.

    With `centers` of the cells no two agents are in the middle of their steps at the same place.
    """
    chosen: dict[int, int] = {}
    agent_at = {cell: i for i, cell in enumerate(cells)}

    def meets(i: int, cell: int) -> bool:
        if centers is None or cell == cells[i]:
            return False
        middle = centers[cells[i]] + centers[cell]
        return any(
            bool((centers[cells[j]] + centers[there] == middle).all())
            for j, there in chosen.items()
            if j != i and there != cells[j]
        )

    def plan(i: int, pusher: int | None) -> bool:
        for cell in sorted([*beside[cells[i]], cells[i]], key=lambda cell: distances[i][cell]):
            if cell in chosen.values() or (pusher is not None and cell == cells[pusher]):
                continue
            if meets(i, cell):
                continue
            chosen[i] = cell
            other = agent_at.get(cell)
            if other is not None and other not in chosen and not plan(other, i):
                continue
            return True
        chosen[i] = cells[i]
        return False

    for i in order:
        if i not in chosen:
            plan(i, None)
    return [chosen[i] for i in range(len(cells))]
