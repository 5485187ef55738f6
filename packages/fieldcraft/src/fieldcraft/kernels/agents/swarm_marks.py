"""Deposits of the agents of a swarm, food that they fetch, and their order in memory."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.agents.swarm_layout import LONGEST_SINCE, ROLE, SINCE, TILE
from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["arrange", "forage", "leave"]

_BLOCK = 512
_1 = np.uint32(1)
_16 = np.uint32(16)
_31 = np.uint32(31)


@kernel("u4[::1], u4[::1], i8, out i4[:,::1], out i4[::1], out i4[:,::1]")
def forage(numbers, homes, width, agents, food, claims):
    """Move food to and from agents on food and homes; return the number of portions that reached a
    home.
    """
    count = agents.shape[1]
    for i in range(count):
        if agents[2, i] & ROLE == 0:
            cell = np.uint64((agents[1, i] >> 16) * width + (agents[0, i] >> 16))
            if food[cell] > 0:
                if claims[0, cell] == 0 or numbers[i] < np.uint32(claims[1, cell]):
                    claims[1, cell] = numbers[i]
                claims[0, cell] += 1
    brought = 0
    for i in range(count):
        cell = np.uint64((agents[1, i] >> 16) * width + (agents[0, i] >> 16))
        state = np.uint32(agents[2, i])
        carries = (state >> _16) & _1 != 0
        wanted = claims[0, cell]
        took = (
            (not carries)
            and wanted > 0
            and (wanted <= food[cell] or np.uint32(claims[1, cell]) == numbers[i])
        )
        at_home = (homes[cell >> np.uint64(5)] >> (np.uint32(cell) & _31)) & _1 != 0
        came = carries and at_home
        since = np.int64(state >> np.uint32(SINCE)) + 1
        since = since if since < LONGEST_SINCE else np.int64(LONGEST_SINCE)
        heading = state & np.uint32(0xFFFF)
        if took or came:
            carries = not carries
            since = np.int64(0)
            heading = np.uint32(heading + 0x8000) & np.uint32(0xFFFF)
        elif at_home and not carries:
            since = np.int64(0)
        brought += came
        agents[2, i] = np.int32(
            np.uint32(
                heading
                | (np.uint32(ROLE) if carries else np.uint32(0))
                | (np.uint32(since) << np.uint32(SINCE))
            )
        )
    for i in range(count):
        cell = np.uint64((agents[1, i] >> 16) * width + (agents[0, i] >> 16))
        wanted = claims[0, cell]
        if wanted > 0:
            taken = wanted if wanted <= food[cell] else 1
            food[cell] -= taken
            claims[0, cell] = 0
    return brought


@kernel("i4[:,::1], u4[::1], i8, i8, out i4[:,::1], out u4[::1]")
def arrange(agents, numbers, height, width, new_agents, new_numbers):
    """Sort agents by tiles of 16 x 16 cells, so that neighbors are close in memory."""
    across = np.int32((width - 1 >> TILE) + 1)
    shift = np.int32(16 + TILE)
    places = np.zeros(across * ((height - 1 >> TILE) + 1) + 1, np.int32)
    for i in range(agents.shape[1]):
        places[
            np.uint32(
                np.int32((agents[1, i] >> shift) * across) + (agents[0, i] >> shift) + np.int32(1)
            )
        ] += 1
    for tile in range(1, len(places)):
        places[tile] += places[tile - 1]
    for i in range(agents.shape[1]):
        own = np.uint32(np.int32((agents[1, i] >> shift) * across) + (agents[0, i] >> shift))
        at = np.uint32(places[own])
        places[own] += 1
        new_agents[0, at], new_agents[1, at] = agents[0, i], agents[1, i]
        new_agents[2, at] = agents[2, i]
        new_numbers[at] = numbers[i]


@kernel(error_model="numpy")
def _select(y, states, role, low, size, found):
    """Write whether agents are in a range of rows and of a role (-1: any); return their number."""
    count = 0
    for k in range(y.shape[0]):
        is_here = np.uint32(np.int32(y[k] - low)) < size
        is_meant = (role < 0) | (((states[k] >> np.int32(16)) & np.int32(1)) == role)
        found[k] = is_here & is_meant
        count += is_here & is_meant
    return count


@kernel(error_model="numpy")
def _compact(column, wanted, found):
    """Copy the wanted words of a column, without branches."""
    here = 0
    for k in range(column.shape[0]):
        found[here] = column[k]
        here += wanted[k]


@kernel(error_model="numpy")
def _amount_indices(states, by_heading, longest, which):
    """Write the index of the amount of each agent."""
    last = np.int32(longest)
    if by_heading:
        for k in range(states.shape[0]):
            which[k] = (states[k] & np.int32(0xFFFF)) >> np.int32(4)
    else:
        for k in range(states.shape[0]):
            which[k] = min(np.int32(np.uint32(states[k]) >> np.uint32(SINCE)), last)


@kernel(error_model="numpy")
def _cells_of(x, y, width, cells):
    """Write the cells of positions, which are in units of 1 / 65,536 of a cell."""
    wide = np.int32(width)
    for k in range(x.shape[0]):
        cells[k] = np.int32(
            np.int32(np.int32(y[k] >> np.int32(16)) * wide) + np.int32(x[k] >> np.int32(16))
        )


@kernel(error_model="numpy")
def _add_one(cells, amount, flat):
    """Add the same amount to each of the cells."""
    for k in range(cells.shape[0]):
        flat[np.uint32(cells[k])] += amount


@kernel(error_model="numpy")
def _add_several(cells, which, amounts, flat):
    """Add an amount to each of the cells, the one of the number `which`."""
    for k in range(cells.shape[0]):
        flat[np.uint32(cells[k])] += amounts[np.uint32(which[k])]


@kernel(error_model="numpy")
def _mark_dirty(x, y, dirty):
    """Mark the rows of tiles that are written to; most are already marked."""
    for k in range(x.shape[0]):
        row = np.uint32(y[k]) >> _16
        across = np.uint32(x[k]) >> np.uint32(21)
        bit = np.uint8(1) << np.uint8(row & np.uint32(7))
        if dirty[row >> np.uint32(3), across] & bit == 0:
            dirty[row >> np.uint32(3), across] |= bit


@kernel("i4[:,::1], i8[::1], i8, i8, b1, i8, i8, out i8[:,::1], out u1[:,::1]")
def leave(agents, amounts, width, role, by_heading, top, bottom, sums, dirty):
    """Add the deposits of agents in the rows [top, bottom) to the sums there."""
    flat = sums.reshape(-1)
    low = np.int32(top << 16)
    size = np.uint32((bottom - top) << 16)
    meant = np.int32(role)
    scratch = np.empty((5, _BLOCK + 1), np.int32)
    for start in range(0, agents.shape[1], _BLOCK):
        count = min(agents.shape[1] - start, _BLOCK)
        x, y = agents[0, start : start + count], agents[1, start : start + count]
        states = agents[2, start : start + count]
        cells, which = scratch[3], scratch[4]
        here = _select(y, states, meant, low, size, cells[:count])
        if here == 0:
            continue
        if here < count:
            _compact(x, cells[:count], scratch[0])
            _compact(y, cells[:count], scratch[1])
            _compact(states, cells[:count], scratch[2])
            x, y, states = scratch[0, :here], scratch[1, :here], scratch[2, :here]
        _cells_of(x, y, width, cells[:here])
        _mark_dirty(x, y, dirty)
        if amounts.shape[0] == 1:
            _add_one(cells[:here], amounts[0], flat)
        else:
            _amount_indices(states, by_heading, amounts.shape[0] - 1, which[:here])
            _add_several(cells[:here], which, amounts, flat)
