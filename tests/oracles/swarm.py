"""Agents in whole numbers, spelled out: the specification of `fieldcraft.kernels.swarm` and of the
device's `swarm.wgsl`.

Whole numbers wrap and compare alike on every machine, so that all tiers come to the same bits.
Places are in 2**-16 of a cell, headings in 2**-16 of a turn from the direction of columns towards
that of rows, weights in 2**-8, cosines and sines in 2**-14. An agent is three
int32: its column, its row, and its heading in the low 16 bits, its role in bit 16, and how many
    steps ago it last took or brought
anything, or left home, in the 15 bits above. Values of layers are compared and scaled by their
bits.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ATANS",
    "LONGEST_SINCE",
    "NO_LAYER",
    "ROLE",
    "SHUT",
    "SINCE",
    "STEEPEST",
    "TILE",
    "UNITS",
    "Rule",
    "Sights",
    "angle_of",
    "arrange",
    "circle",
    "forage",
    "leave",
    "packed",
    "throw",
    "walk",
]

ROLE = 1 << 16
SINCE = 17
LONGEST_SINCE = (1 << 15) - 1
SHUT = -(1 << 31)
STEEPEST = 5 << 8
TILE = 4
UNITS = float(1 << 24)
NO_LAYER: NDArray[np.int32] = np.zeros(1, dtype=np.int32)
ATANS = tuple(round(math.atan(2.0**-k) / (2 * math.pi) * 2**32) for k in range(16))
_ALL = (1 << 32) - 1
_FINE = 20


class Rule(NamedTuple):
    """How agents weigh what leads them, in whole numbers."""

    height: int
    width: int
    wrap: int
    distance: int
    """To the sensors, in quarters of a cell."""
    angle: int
    """Between the middle sensor and those beside it."""
    cosine: int
    sine: int
    """Of that angle."""
    stride: int
    """The length of a piece of a step."""
    pieces: int
    turn: int
    """The most a heading changes in a step."""
    wander: int
    follow: int
    avoid: int
    align: int
    separate: int
    cohere: int
    flip: int
    """Whether vectors of flows point up their rows."""
    key: int


class Sights(NamedTuple):
    """The layers that agents read, flat: walls, a bit a cell; bits of float32 values: trails and
    flows of both roles, a crowd, a group.
    """

    closed: NDArray[np.uint32]
    trail_0: NDArray[np.int32]
    trail_1: NDArray[np.int32]
    flow_x_0: NDArray[np.int32]
    flow_y_0: NDArray[np.int32]
    flow_x_1: NDArray[np.int32]
    flow_y_1: NDArray[np.int32]
    crowd: NDArray[np.int32]
    group: NDArray[np.int32]


@functools.cache
def circle() -> NDArray[np.int32]:
    """Cosine and sine of 4,096 headings, (4096, 2), in 2**-14."""
    turns = np.arange(4096) * (2 * np.pi / 4096)
    table: NDArray[np.int32] = np.rint(
        np.stack([np.cos(turns), np.sin(turns)], axis=1) * (1 << 14)
    ).astype(np.int32)
    table.flags.writeable = False
    return table


def packed(mask: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """A bit a cell, in words of 32, the first cell in the lowest."""
    bits = np.packbits(mask.reshape(-1), bitorder="little")
    return np.concatenate([bits, np.zeros(-len(bits) % 4, np.uint8)]).view("<u4").astype(np.uint32)


def throw(key: int, numbers: NDArray[np.int64], step: int) -> NDArray[np.int64]:
    """The dice of agents at a step: whole numbers below 2**32."""
    inner = _mix(np.array([(key + 0x9E3779B9) & _ALL]))
    return _mix((_mix((inner + numbers) & _ALL) + step * 0x85EBCA6B) & _ALL)


def _mix(number: NDArray[np.int64]) -> NDArray[np.int64]:
    number = ((number ^ (number >> 16)) * 0x7FEB352D) & _ALL
    number = ((number ^ (number >> 15)) * 0x846CA68B) & _ALL
    return number ^ (number >> 16)


def angle_of(along: NDArray[np.int64], across: NDArray[np.int64]) -> NDArray[np.int64]:
    """The directions of vectors below 2**27 in size, in 2**-16 of a turn; 0 for vectors of no
    length. Volder's CORDIC, 16 rounds.
    """
    none = (along == 0) & (across == 0)
    behind = along < 0
    u, v = np.where(behind, -along, along), np.where(behind, -across, across)
    found = np.where(behind, 1 << 31, 0).astype(np.int64)
    for k, turn in enumerate(ATANS):
        up = v >= 0
        u, v = np.where(up, u + (v >> k), u - (v >> k)), np.where(up, v - (u >> k), v + (u >> k))
        found = np.where(up, found + turn, found - turn)
    return np.where(none, 0, ((found + (1 << 15)) >> 16) & 0xFFFF)


def _order(bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole numbers that compare as float32 numbers do."""
    return np.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


def _scaled(bits: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Numbers of one place brought to whole numbers of 20 bits and a sign, by the largest of
    them.
    """
    fields = [(each >> 23) & 0xFF for each in bits]
    top = functools.reduce(np.maximum, fields)
    found = []
    for each, field in zip(bits, fields, strict=True):
        size = ((each & 0x7FFFFF) | 0x800000) >> np.minimum(top - field + 24 - _FINE, 31)
        size = np.where(field == 0, 0, size)
        found.append(np.where(each < 0, -size, size))
    return found


def _around(
    rule: Rule, x: NDArray[np.int64], y: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places brought back onto a torus."""
    if not rule.wrap:
        return x, y
    return x % (rule.width << 16), y % (rule.height << 16)


def _cells(
    rule: Rule, closed: NDArray[np.uint32], x: NDArray[np.int64], y: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The cells at places; -1 for walls and off the map."""
    x, y = _around(rule, x, y)
    column, row = x >> 16, y >> 16
    inside = (column >= 0) & (column < rule.width) & (row >= 0) & (row < rule.height)
    cells = np.where(inside, row * rule.width + column, 0)
    is_open = (closed[cells >> 5] >> (cells & 31).astype(np.uint32)) & np.uint32(1) == 0
    return np.where(inside & is_open, cells, -1)


def _chosen(
    roles: NDArray[np.bool_],
    zero: NDArray[np.int32],
    one: NDArray[np.int32],
    cells: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The value that the layer of each agent's role reads in a cell; 0 without a layer."""
    places = np.maximum(cells, 0)
    read = [
        layer[places] if len(layer) > 1 else np.zeros(len(places), np.int32)
        for layer in (zero, one)
    ]
    return np.where(roles, read[1], read[0]).astype(np.int64)


def _slope(
    rule: Rule,
    closed: NDArray[np.uint32],
    layer: NDArray[np.int32],
    x: NDArray[np.int64],
    y: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How fast a layer grows along columns and rows, relative to what is around, in 2**-8; walls
    and the rim read as the place itself.
    """
    own = _cells(rule, closed, x, y)
    here = np.where(own < 0, 0, layer[np.maximum(own, 0)].astype(np.int64))
    reads = [here]
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        cells = _cells(rule, closed, x + (dx << 16), y + (dy << 16))
        reads.append(np.where(cells < 0, here, layer[np.maximum(cells, 0)].astype(np.int64)))
    middle, right, left, below, above = _scaled(reads)
    total = middle + right + left + below + above
    steep = []
    for difference in (right - left, below - above):
        share = np.minimum(np.abs(difference) * STEEPEST // np.maximum(total, 1), STEEPEST)
        steep.append(np.where(total > 0, np.where(difference < 0, -share, share), 0))
    return steep[0], steep[1]


def walk(
    agents: NDArray[np.int32],
    numbers: NDArray[np.uint32],
    sights: Sights,
    rule: Rule,
    step: int,
    first: int,
    last: int,
) -> None:
    """One step of the agents [first, last) of (3, N), in place; their `numbers` throw the dice.

    They sense, turn, and move in pieces that never end in a wall. In its own frame, ahead and
    aside, each adds up: 1 ahead; `follow` towards the strongest of three sensors; `avoid` towards
    the free side where the middle one is shut, or back; `align` along the flow at the middle one;
    `separate` down and `cohere` up relative slopes. The direction of the sum, and a die of up to
    `wander` to both sides, is cut to `turn`. It goes along columns, then along rows, in each piece,
    and bounces.
    """
    x, y, mind = (agents[k, first:last].astype(np.int64) for k in range(3))
    heading, roles = mind & 0xFFFF, (mind & ROLE) != 0
    die = throw(rule.key, numbers[first:last].astype(np.int64), step)
    lower_side = die & 1 == 0
    table = circle().astype(np.int64)
    cells = []
    for side in (-1, 0, 1):
        way = table[((heading + side * rule.angle) & 0xFFFF) >> 4]
        cells.append(
            _cells(
                rule, sights.closed, x + way[:, 0] * rule.distance, y + way[:, 1] * rule.distance
            )
        )
    along, across = np.full(len(x), 1 << 22, dtype=np.int64), np.zeros(len(x), dtype=np.int64)
    if rule.follow:
        low, middle, high = (
            np.where(at < 0, SHUT, _order(_chosen(roles, sights.trail_0, sights.trail_1, at)))
            for at in cells
        )
        turns = (low > middle) | (high > middle)
        to_low = (low > high) | ((low == high) & lower_side)
        along += np.where(turns, rule.follow * rule.cosine, 0)
        across += np.where(turns, np.where(to_low, -1, 1) * rule.follow * rule.sine, 0)
    if rule.avoid:
        low_shut, shut, high_shut = (at < 0 for at in cells)
        back = shut & low_shut & high_shut
        beside = shut & ~back
        to_low = high_shut | (~low_shut & lower_side)
        along += np.where(back, -rule.avoid << 14, 0) + np.where(
            beside, rule.avoid * rule.cosine, 0
        )
        across += np.where(beside, np.where(to_low, -1, 1) * rule.avoid * rule.sine, 0)
    if rule.align:
        flow_x, flow_y = _scaled(
            [
                np.where(cells[1] < 0, 0, _chosen(roles, zero, one, cells[1]))
                for zero, one in (
                    (sights.flow_x_0, sights.flow_x_1),
                    (sights.flow_y_0, sights.flow_y_1),
                )
            ]
        )
        flow_y = -flow_y if rule.flip else flow_y
        way = table[((angle_of(flow_x, flow_y) - heading) & 0xFFFF) >> 4]
        leads = (flow_x != 0) | (flow_y != 0)
        along += np.where(leads, rule.align * way[:, 0], 0)
        across += np.where(leads, rule.align * way[:, 1], 0)
    own = table[heading >> 4]
    for layer, weight in ((sights.crowd, -rule.separate), (sights.group, rule.cohere)):
        if weight:
            steep_x, steep_y = _slope(rule, sights.closed, layer, x, y)
            along += weight * ((steep_x * own[:, 0] + steep_y * own[:, 1]) >> 8)
            across += weight * ((steep_y * own[:, 0] - steep_x * own[:, 1]) >> 8)
    change = ((angle_of(along >> 4, across >> 4) + 0x8000) & 0xFFFF) - 0x8000
    change = change + ((die >> 16) * (2 * rule.wander + 1) >> 16) - rule.wander
    heading = (heading + np.clip(change, -rule.turn, rule.turn)) & 0xFFFF
    way = table[heading >> 4]
    dx, dy = (
        (way[:, 0] * rule.stride + (1 << 13)) >> 14,
        (way[:, 1] * rule.stride + (1 << 13)) >> 14,
    )
    bounced_x, bounced_y = np.zeros(len(x), np.bool_), np.zeros(len(x), np.bool_)
    for _ in range(rule.pieces):
        shut = _cells(rule, sights.closed, x + dx, y) < 0
        x = np.where(shut, x, x + dx)
        dx, bounced_x = np.where(shut, -dx, dx), bounced_x ^ shut
        x, y = _around(rule, x, y)
        shut = _cells(rule, sights.closed, x, y + dy) < 0
        y = np.where(shut, y, y + dy)
        dy, bounced_y = np.where(shut, -dy, dy), bounced_y ^ shut
        x, y = _around(rule, x, y)
    heading = np.where(bounced_x, 0x8000 - heading, heading)
    heading = np.where(bounced_y, -heading, heading) & 0xFFFF
    agents[0, first:last], agents[1, first:last] = x, y
    agents[2, first:last] = (mind & ~0xFFFF) | heading


def forage(
    agents: NDArray[np.int32],
    numbers: NDArray[np.uint32],
    width: int,
    food: NDArray[np.int32],
    homes: NDArray[np.uint32],
    claims: NDArray[np.int32],
) -> int:
    """Let agents of role 0 take food and those of role 1 bring it home; returns how many were
    brought.

    `food` are portions of each cell, (cells,), `homes` a bit a cell; `claims`, (2, cells), all 0,
    is scratch. Where there is food for all who want of a cell each takes a portion; elsewhere the
    one of the lowest number takes one, and the others try again. Who took or brought turns round.
    `since` counts the steps since then, or since an agent without food was at home.
    """
    x, y, mind = (agents[k].view(np.uint32).astype(np.int64) for k in range(3))
    cells = (y >> 16) * width + (x >> 16)
    carries = (mind & ROLE) != 0
    wants = ~carries & (food[cells] > 0)
    rows = np.flatnonzero(wants)
    counts = np.zeros(len(food), np.int64)
    np.add.at(counts, cells[rows], 1)
    first_of = np.full(len(food), len(x), np.int64)
    np.minimum.at(first_of, cells[rows], numbers[rows].astype(np.int64))
    enough = counts <= food
    took = wants & (enough[cells] | (first_of[cells] == numbers))
    at_home = (homes[cells >> 5] >> (cells & 31).astype(np.uint32)) & np.uint32(1) != 0
    brought = carries & at_home
    changed = took | brought
    since = np.minimum((mind >> SINCE) + 1, LONGEST_SINCE)
    since = np.where(changed | (at_home & ~carries), 0, since)
    heading = np.where(changed, mind + 0x8000, mind) & 0xFFFF
    agents[2] = heading | np.where(carries ^ changed, ROLE, 0) | since << SINCE
    food[:] -= np.where(enough, counts, 1).astype(np.int32) * (counts > 0)
    return int(np.count_nonzero(brought))


def arrange(
    agents: NDArray[np.int32],
    numbers: NDArray[np.uint32],
    height: int,
    width: int,
    new_agents: NDArray[np.int32],
    new_numbers: NDArray[np.uint32],
) -> None:
    """Put agents into the order of the tiles of 16 x 16 cells that they are in, so that neighbours
    lie side by side in memory.
    """
    across = (width - 1 >> TILE) + 1
    order = np.argsort((agents[1] >> 16 + TILE) * across + (agents[0] >> 16 + TILE), kind="stable")
    new_agents[:], new_numbers[:] = agents[:, order], numbers[order]


def leave(
    agents: NDArray[np.int32],
    width: int,
    role: int,
    amounts: NDArray[np.int64],
    by_heading: bool,
    sums: NDArray[np.int64],
    dirty: NDArray[np.uint8],
    top: int,
    bottom: int,
) -> None:
    """Add to the sums, (height, width), of cells in the rows [top, bottom) what agents leave there:
    those of a role, or of any (-1).

    `amounts` are in units of the sums: by heading, 4,096 of them, or else by `since`, of which the
    last goes on. Whole numbers: the order of agents doesn't matter. `dirty` says which rows of
    which tiles were written to.
    """
    x, y, mind = (agents[k].view(np.uint32).astype(np.int64) for k in range(3))
    column, row = x >> 16, y >> 16
    is_here = (row >= top) & (row < bottom)
    if role >= 0:
        is_here &= (mind >> 16 & 1) == role
    column, row, mind = column[is_here], row[is_here], mind[is_here]
    which = (mind & 0xFFFF) >> 4 if by_heading else np.minimum(mind >> SINCE, len(amounts) - 1)
    np.add.at(sums.reshape(-1), row * width + column, amounts[which])
    np.bitwise_or.at(dirty, (row // 8, column // 32), (1 << row % 8).astype(np.uint8))
