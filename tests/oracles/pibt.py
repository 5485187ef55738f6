"""Priority inheritance with backtracking as the paper writes it: recursive, on lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def next_cells(
    beside: Mapping[int, Sequence[int]], left: Any, cells: Sequence[int], order: Sequence[int]
) -> list[int]:
    """Return where agents go; `left[i]` are the distances of agent i, all different."""
    then: dict[int, int] = {}
    who = {cell: i for i, cell in enumerate(cells)}

    def plan(i: int, pusher: int | None) -> bool:
        for cell in sorted([*beside[cells[i]], cells[i]], key=lambda cell: left[i][cell]):
            if cell in then.values() or (pusher is not None and cell == cells[pusher]):
                continue
            then[i] = cell
            other = who.get(cell)
            if other is not None and other not in then and not plan(other, i):
                continue
            return True
        then[i] = cells[i]
        return False

    for i in order:
        if i not in then:
            plan(i, None)
    return [then[i] for i in range(len(cells))]
