"""A flood over cells, fast: `fieldcraft.kernels.reference.flood`."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.reference.flood import BARRIER, COLD, FRONT, HEAT, RUNS, STEPS, STUCK, TAIL, TOO_HOT, UNTOUCHED

__all__ = ["cool", "ignite", "run"]


@kernel("i8[::1], i4[::1], out u1[::1], b1[::1], out i4[::1], out i4[::1], out i4[::1], out i8[::1], i8, i8, i8")
def run(starts, ends, state, behind, ignited, lit, shut, marks, count, most_hot, lasts):
    """Make up to `count` steps of the flood and of the barrier behind it; why it ended."""
    cold = 0
    for _ in range(count):
        last = marks[TAIL + 1]
        for i in range(marks[TAIL], marks[TAIL + 1]):
            cell = shut[i]
            for arc in range(starts[cell], starts[cell + 1]):
                end = ends[arc]
                if state[end] == UNTOUCHED and behind[end]:
                    state[end] = BARRIER
                    shut[last] = end
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
        while cold < marks[FRONT + 1] and marks[STEPS] + 1 - ignited[lit[cold]] >= lasts:
            cold += 1
        if ignites == 0 or last - cold > most_hot:
            for i in range(marks[FRONT + 1], last):
                state[lit[i]] = UNTOUCHED
                lit[i] = 0
            return TOO_HOT if ignites > 0 else STUCK
        marks[STEPS] += 1
        for i in range(marks[FRONT + 1], last):
            ignited[lit[i]] = marks[STEPS]
        marks[FRONT], marks[FRONT + 1] = marks[FRONT + 1], last
    return RUNS


@kernel("i8[::1], i4[::1], i8[::1], i4[::1], f4[::1], i8, out i4[::1], out f4[::1], out i8[::1], i8")
def ignite(starts, ends, front, label, strength, since, next_label, next_strength, found, count):
    """The cells that some hot cells ignite, where many floods run."""
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


@kernel("out i8[::1], i4[::1], i4[::1], f4[::1], i8, f8, out f4[::1], out b1[::1]")
def cool(cells, label, ignited, strength, now, cooling, values, is_warm):
    """The heat that cells hold in a step; how many of them are still warm."""
    kept = 0
    for i in range(len(cells)):
        cell = cells[i]
        heat = 0.0
        if label[cell] >= 0:
            heat = max(1 - cooling * (now - ignited[cell]), 0.0)
        if heat < COLD:
            values[cell] = 0
            is_warm[cell] = False
            continue
        values[cell] = np.float32(heat * strength[cell])
        cells[kept] = cell
        kept += 1
    return kept
