"""A flood over cells.

Cells are untouched, hot or cooling, a barrier, or blocked.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = [
    "BARRIER",
    "BLOCKED",
    "COLD",
    "FRONT",
    "HEAT",
    "RUNS",
    "STEPS",
    "STUCK",
    "TAIL",
    "TOO_HOT",
    "UNTOUCHED",
    "cool",
    "ignite",
    "run",
]

COLD = 1e-6  # heat below this is none
UNTOUCHED, HEAT, BARRIER, BLOCKED = 0, 1, 2, 3
RUNS, STUCK, TOO_HOT = 0, 1, 2
# In `marks`: where in `lit` and `barrier_cells` the last front begins and ends, and how many steps
# were made.
FRONT, TAIL, STEPS = 0, 2, 4


@kernel(
    "i8[::1], i4[::1], b1[::1], i8, i8, i8, out u1[::1], out i4[::1], out i4[::1], out i4[::1], out"
    " i8[::1]"
)
def run(starts, ends, behind, count, most_hot, lasts, state, ignited, lit, barrier_cells, marks):
    """Take up to `count` steps: the barrier grows over the cells `behind`, then hot cells ignite
    the untouched cells beside them.

    `lit` and `barrier_cells` (N,) list the cells of heat and barrier in the order in which they
    came, `ignited` (N,) receives the step; so a cell is warm in that step and in those after it,
    `lasts` steps in all. Ends before a step that would ignite nothing (STUCK), or after which more
    than `most_hot` cells would be warm (TOO_HOT), else RUNS.
    """
    cold = 0
    may_be_many = most_hot < lit.shape[0]  # no flood has more cells than are listed
    for _ in range(count):
        last = marks[TAIL + 1]
        for i in range(marks[TAIL], marks[TAIL + 1]):
            cell = barrier_cells[i]
            for arc in range(starts[cell], starts[cell + 1]):
                end = ends[arc]
                if state[end] == UNTOUCHED and behind[end]:
                    state[end] = BARRIER
                    barrier_cells[last] = end
                    last += 1
        marks[TAIL], marks[TAIL + 1] = marks[TAIL + 1], last
        last = marks[FRONT + 1]
        for i in range(marks[FRONT], marks[FRONT + 1]):
            cell = lit[i]
            for arc in range(starts[cell], starts[cell + 1]):
                end = ends[arc]
                if state[end] == UNTOUCHED:
                    state[end] = HEAT
                    lit[last] = end
                    last += 1
        ignites = last - marks[FRONT + 1]
        if may_be_many:
            while cold < marks[FRONT + 1] and marks[STEPS] + 1 - ignited[lit[cold]] >= lasts:
                cold += 1
        if ignites == 0 or (may_be_many and last - cold > most_hot):
            for i in range(marks[FRONT + 1], last):
                state[lit[i]] = UNTOUCHED
                lit[i] = 0
            return TOO_HOT if ignites > 0 else STUCK
        marks[STEPS] += 1
        for i in range(marks[FRONT + 1], last):
            ignited[lit[i]] = marks[STEPS]
        marks[FRONT], marks[FRONT + 1] = marks[FRONT + 1], last
    return RUNS


@kernel(
    "i8[::1], i4[::1], i8[::1], i4[::1], f4[::1], i8, i8, out i4[::1], out f4[::1], out i8[::1]"
)
def ignite(starts, ends, front, label, strength, since, count, next_label, next_strength, found):
    """Find the cells that hot cells ignite on a layer with many floods: cells beside them that no
    equally new flood has touched.

    `label` (N,) int32 is the step in which the last flood over each cell began, -1 for none; floods
    that began before step `since` go no further. Of several that reach a cell at once the newest
    wins, then the larger size, then the positive one. `next_label` (N,), all -1 at first, and
    `next_strength` (N,) receive what ignites; `found` (N,) lists the cells after the first `count`.
    Returns how many it lists then. Nothing of this depends on the order of `front`.
    """
    for i in range(len(front)):
        cell = front[i]
        flood, heat = label[cell], strength[cell]
        if flood < since:
            continue
        for arc in range(starts[cell], starts[cell + 1]):
            end = ends[arc]
            if label[end] >= flood:
                continue
            if next_label[end] < 0:
                found[count] = end
                count += 1
            elif flood < next_label[end]:
                continue
            elif flood == next_label[end]:
                size, other = abs(heat), abs(next_strength[end])
                if size < other or (size == other and heat <= next_strength[end]):
                    continue
            next_label[end], next_strength[end] = flood, heat
    return count


@kernel("i4[::1], i4[::1], f4[::1], i8, f8, out i8[::1], out f4[::1], out b1[::1]")
def cool(label, ignited, strength, now, cooling, cells, values, is_warm):
    """Write the heat of `cells` in step `now` to `values` (N,): their strength, less a share for
    each step since their ignition.

    Cold cells, and cells that no flood has touched (`label` -1), are no longer warm, and are
    removed from the list; return the number of cells that stay, at its beginning and in their
    order.
    """
    left = 0
    for i in range(len(cells)):
        cell = cells[i]
        heat = 0.0
        if label[cell] >= 0:
            heat = max(1 - cooling * (now - ignited[cell]), 0.0)
        if heat < COLD:
            values[cell], is_warm[cell] = 0, False
            continue
        values[cell] = np.float32(heat * strength[cell])
        cells[left] = cell
        left += 1
    return left
