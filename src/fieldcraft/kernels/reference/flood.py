"""A flood over cells, spelled out: the specification of `fieldcraft.kernels.flood`.

Cells are untouched, hot or cooling, a barrier, or blocked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BARRIER", "BLOCKED", "COLD", "FRONT", "HEAT", "RUNS", "STEPS", "STUCK", "TAIL", "TOO_HOT", "UNTOUCHED", "cool", "ignite", "run"]

COLD = 1e-6  # heat below this is none
UNTOUCHED, HEAT, BARRIER, BLOCKED = 0, 1, 2, 3
RUNS, STUCK, TOO_HOT = 0, 1, 2
# In `marks`: where in `lit` and `shut` the last front begins and ends, and how many steps were made.
FRONT, TAIL, STEPS = 0, 2, 4

Cells = NDArray[np.int32]


def run(
    starts: NDArray[np.int64],
    ends: Cells,
    state: NDArray[np.uint8],
    behind: NDArray[np.bool_],
    ignited: Cells,
    lit: Cells,
    shut: Cells,
    marks: NDArray[np.int64],
    count: int,
    most_hot: int,
    lasts: int,
) -> int:
    """Make up to `count` steps: the barrier grows over cells that lie `behind`, then hot cells ignite what is untouched beside them.

    `lit` and `shut` (N,) list the cells of heat and barrier in the order in which they came, `ignited` (N,) receives the step; so a
    cell is warm in that step and in those after it, `lasts` steps in all.
    Ends before a step that would ignite nothing (STUCK), or after which more than `most_hot` cells would be warm (TOO_HOT), else RUNS.
    """
    for _ in range(count):
        tail = _beside(starts, ends, state, shut[marks[TAIL] : marks[TAIL + 1]], behind)
        state[tail] = BARRIER
        first = int(marks[TAIL + 1])
        shut[first : first + len(tail)] = tail
        marks[TAIL], marks[TAIL + 1] = first, first + len(tail)
        front = _beside(starts, ends, state, lit[marks[FRONT] : marks[FRONT + 1]], None)
        warm = np.count_nonzero(marks[STEPS] + 1 - ignited[lit[: marks[FRONT + 1]]].astype(np.int64) < lasts)
        if not front or len(front) + warm > most_hot:
            return TOO_HOT if front else STUCK
        marks[STEPS] += 1
        state[front] = HEAT
        ignited[front] = marks[STEPS]
        first = int(marks[FRONT + 1])
        lit[first : first + len(front)] = front
        marks[FRONT], marks[FRONT + 1] = first, first + len(front)
    return RUNS


def _beside(starts: NDArray[np.int64], ends: Cells, state: NDArray[np.uint8], front: Cells, allowed: NDArray[np.bool_] | None) -> list[int]:
    """The untouched cells that steps from a front lead to, each once, in the order in which they are met."""
    found: dict[int, None] = {}
    for cell in front.tolist():
        for end in ends[starts[cell] : starts[cell + 1]].tolist():
            if state[end] == UNTOUCHED and (allowed is None or allowed[end]):
                found[end] = None
    return list(found)


def ignite(
    starts: NDArray[np.int64],
    ends: Cells,
    front: NDArray[np.int64],
    label: Cells,
    strength: NDArray[np.float32],
    since: int,
    next_label: Cells,
    next_strength: NDArray[np.float32],
    found: NDArray[np.int64],
    count: int,
) -> int:
    """The cells that hot cells ignite on a layer where many floods run: cells beside them that no flood as new as theirs has touched.

    `label` (N,) int32 is the step in which the last flood over each cell began, -1 for none; floods that began before step `since` go no
    further. Of several that reach a cell at once the newest wins, then the larger size, then the positive one.
    `next_label` (N,), all -1 at first, and `next_strength` (N,) receive what ignites; `found` (N,) lists the cells after the first
    `count`. Returns how many it lists then. Nothing of this depends on the order of `front`.
    """
    for cell in front.tolist():
        flood, heat = int(label[cell]), strength[cell]
        if flood < since:
            continue
        for end in ends[starts[cell] : starts[cell + 1]].tolist():
            if label[end] >= flood:
                continue
            if next_label[end] < 0:
                found[count] = end
                count += 1
            elif (flood, abs(heat), heat) <= (int(next_label[end]), abs(next_strength[end]), next_strength[end]):
                continue
            next_label[end], next_strength[end] = flood, heat
    return count


def cool(
    cells: NDArray[np.int64],
    label: Cells,
    ignited: Cells,
    strength: NDArray[np.float32],
    now: int,
    cooling: float,
    values: NDArray[np.float32],
    is_warm: NDArray[np.bool_],
) -> int:
    """The heat of `cells` in step `now`, into `values` (N,): their strength, less a share for each step since they were ignited.

    Those that are cold, or that no flood has touched (`label` -1), are no longer warm, and leave the list; returns how many stay,
    at its beginning and in their order.
    """
    heat = np.where(label[cells] < 0, 0.0, np.maximum(1 - cooling * (now - ignited[cells]), 0.0))
    heat[heat < COLD] = 0
    values[cells] = np.where(heat > 0, heat * strength[cells], 0.0).astype(np.float32)
    is_warm[cells[heat == 0]] = False
    kept = cells[heat > 0]
    cells[: len(kept)] = kept
    return len(kept)
