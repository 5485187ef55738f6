"""Priority inheritance with backtracking: recursive as in the paper, on lists.

Two rules are not of the paper. An agent that makes room does not go ahead of the one it makes room
for, unless it comes nearer to its own goal, and not at all into a dead end. And an agent that cannot make room is let out.
"""

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

    def ends_blind(leader: int, before: int, cell: int) -> bool:
        while distances[leader][cell] < distances[leader][before]:
            others = [each for each in beside[cell] if each != before]
            if len(others) != 1:
                return not others
            before, cell = cell, others[0]
        return False

    def takes_turns(leader: int, other: int) -> bool:
        here, there = cells[leader], cells[other]
        if distances[leader][there] >= distances[leader][here] or here not in beside[there]:
            return False
        return bool(distances[other][here] < distances[other][there])

    def plan(i: int, pusher: int | None, leader: int) -> bool:
        def ahead(cell: int) -> bool:
            nearer = distances[i][cell] < distances[i][cells[i]]
            leader_nearer = distances[leader][cell] < distances[leader][cells[i]]
            return pusher is not None and bool(leader_nearer and not nearer)

        let_out = None
        options = [*beside[cells[i]], cells[i]]
        options = [
            cell for cell in options if not (ahead(cell) and ends_blind(leader, cells[i], cell))
        ]
        for cell in sorted(options, key=lambda cell: (ahead(cell), distances[i][cell])):
            if cell in chosen.values() or (pusher is not None and cell == cells[pusher]):
                continue
            if meets(i, cell) or (let_out is not None and cell == cells[i]):
                continue
            chosen[i] = cell
            other = agent_at.get(cell)
            if other is not None and other not in chosen and not plan(other, i, leader):
                if pusher is None and let_out is None and takes_turns(i, other):
                    let_out = other
                continue
            free = cells[i] not in chosen.values()
            if let_out is not None and free and not meets(let_out, cells[i]):
                chosen[let_out] = cells[i]
            return True
        chosen[i] = cells[i]
        return False

    for i in order:
        if i not in chosen:
            plan(i, None, i)
    return [chosen[i] for i in range(len(cells))]
