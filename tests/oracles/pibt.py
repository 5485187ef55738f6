"""Priority inheritance with backtracking as in the paper: recursive, on lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def next_cells(
    beside: Mapping[int, Sequence[int]], distances: Any, cells: Sequence[int], order: Sequence[int]
) -> list[int]:
    """Return the next cell of each agent. `distances[i]` are agent i's, all different."""
    chosen: dict[int, int] = {}
    agent_at = {cell: i for i, cell in enumerate(cells)}

    def plan(i: int, pusher: int | None) -> bool:
        for cell in sorted([*beside[cells[i]], cells[i]], key=lambda cell: distances[i][cell]):
            if cell in chosen.values() or (pusher is not None and cell == cells[pusher]):
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
