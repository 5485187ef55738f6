"""The shortest way over convex polygons, spelled out: the specification of
`fieldcraft.kernels.any_angle`.

Polyanya: Cui, Harabor and Grastien, "Compromise-free Pathfinding on a Navigation Mesh" (IJCAI
    2017). A node is a piece of a door between
two polygons, all of which is seen from one place, its root: the start, or a corner where the way
turns. A node behind whose door the goal lies is as long as the way there, so the first of these
that comes up is the shortest way.

The wedge in which a root sees is kept as the two directions to the corners that bound it, not to
where it cuts doors: these directions are differences of places that were given, so that doors that
share a corner agree on which side of it a line of sight passes.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["EDGE_ON", "EQUAL", "ON_RIM", "room", "search"]

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]
Place = tuple[float, float]

EDGE_ON = 1e-12  # the sine of the angle below which a door is seen edge-on
ON_RIM = 1e-9  # the same for the start, which is as good as on a rim there
EQUAL = 1 + 1e-11  # ways to a corner are as short as one another but for rounding up to this ratio
NOWHERE = -1


def room(corners: int, doors: int, blocks: int) -> list[Any]:
    """Scratch for one search at a time, for a mesh with so many corners to turn at, so many doors
    and blocks.
    """
    return []


class _Node(NamedTuple):
    """A piece of a door into `polygon`, from `right` to `left` as one walks through, seen from
    `root` after a way of `gone`.

    `turn`, `left_turn` and `right_turn` are the numbers of the corners there, -1 where one can't
    turn. `left_way` and `right_way` are the directions from the root that bound what it sees.
    """

    root: Place
    turn: int
    gone: float
    left: Place
    left_turn: int
    left_way: Place
    right: Place
    right_turn: int
    right_way: Place
    door: int
    polygon: int
    came: int
    before: int


@dataclass
class _Search:
    """One search: what waits, the least ways by which corners were reached and doors passed at
    their ends, and where the doors are.
    """

    starts: Ints
    behind: NDArray[np.int32]
    sides: Wide
    turns: Ints
    within: Ints
    allowed: set[int]
    end: int
    goal: Place
    nodes: list[_Node] = field(default_factory=list)
    heap: list[tuple[float, int]] = field(default_factory=list)
    reached: dict[int, float] = field(default_factory=dict)
    passed: dict[int, float] = field(default_factory=dict)

    def add(self, node: _Node) -> None:
        """Let a node wait, unless nothing lies behind its door but the way back."""
        if (
            node.polygon != self.end
            and self.starts[node.polygon + 1] - self.starts[node.polygon] <= 1
        ):
            return
        heapq.heappush(self.heap, (node.gone + _ahead(node, self.goal), len(self.nodes)))
        self.nodes.append(node)

    def turns_at(self, turn: int, gone: float) -> bool:
        """Whether a corner can be turned at after such a way, as short as any known one."""
        known = self.reached.get(turn, math.inf)
        if turn < 0 or gone > known * EQUAL:
            return False
        self.reached[turn] = min(gone, known)
        return True

    def passes(self, root: Place, door: int, gone: float) -> bool:
        """Whether a door is passed at its very end, its root, by a shorter way than before: else
        one would go round and round.
        """
        end = 2 * door + (root == self.ends(door)[1])
        if gone * EQUAL >= self.passed.get(end, math.inf):
            return False
        self.passed[end] = gone
        return True

    def begin(self, start: int, root: Place) -> None:
        """Look through all doors of the first polygon."""
        for door in range(int(self.starts[start]), int(self.starts[start + 1])):
            if int(self.within[door]) not in self.allowed:
                continue
            u, v = self.ends(door)
            facing = _cross(u, v, root)
            along = _way(u, v)
            size = along[0] * along[0] + along[1] * along[1]
            share = (root[0] - u[0]) * along[0] + (root[1] - u[1]) * along[1]
            on_line = facing <= 0 or _edge_on(facing, u, v, root, ON_RIM)
            if not on_line:
                self.whole(root, NOWHERE, 0.0, door, start, NOWHERE)
            elif 0 <= share <= size:  # in the door, from where all of the polygon behind is seen
                turns = self.turns[door].tolist()
                behind = int(self.behind[door])
                self.add(
                    _Node(
                        root,
                        NOWHERE,
                        0.0,
                        v,
                        turns[1],
                        (0.0, 0.0),
                        u,
                        turns[0],
                        (0.0, 0.0),
                        door,
                        behind,
                        start,
                        NOWHERE,
                    )
                )
            else:
                self.edge_on(root, 0.0, door, start, NOWHERE)

    def ends(self, door: int) -> tuple[Place, Place]:
        """Where a door begins, on the right, and where it ends, on the left."""
        ux, uy, vx, vy = self.sides[door].tolist()
        return (ux, uy), (vx, vy)

    def whole(self, root: Place, turn: int, gone: float, door: int, came: int, before: int) -> None:
        """See a whole door from a root."""
        u, v = self.ends(door)
        right_turn, left_turn = self.turns[door].tolist()
        ways = _way(root, v), _way(root, u)
        behind = int(self.behind[door])
        self.add(
            _Node(
                root,
                turn,
                gone,
                v,
                left_turn,
                ways[0],
                u,
                right_turn,
                ways[1],
                door,
                behind,
                came,
                before,
            )
        )

    def edge_on(self, root: Place, gone: float, door: int, came: int, before: int) -> None:
        """Go to the nearer end of a door that is seen edge-on."""
        u, v = self.ends(door)
        to_u, to_v = _apart(root, u), _apart(root, v)
        near, turn, away = (
            (u, int(self.turns[door, 0]), to_u)
            if to_u <= to_v
            else (v, int(self.turns[door, 1]), to_v)
        )
        if self.turns_at(turn, gone + away):
            self.whole(near, turn, gone + away, door, came, before)

    def expand(self, number: int) -> None:
        """Look through the doors of the polygon that a node leads into."""
        node = self.nodes[number]
        left_gone = node.gone + _apart(node.root, node.left)
        right_gone = node.gone + _apart(node.root, node.right)
        at_left = node.left != node.root and self.turns_at(node.left_turn, left_gone)
        at_right = node.right != node.root and self.turns_at(node.right_turn, right_gone)
        for door in range(int(self.starts[node.polygon]), int(self.starts[node.polygon + 1])):
            if self.behind[door] == node.came or int(self.within[door]) not in self.allowed:
                continue
            self.see(node, number, door)
            if at_left:
                self.turn_left(node, number, door, left_gone)
            if at_right:
                self.turn_right(node, number, door, right_gone)

    def see(self, node: _Node, number: int, door: int) -> None:
        """Look on through a door from the same root."""
        root, polygon = node.root, node.polygon
        u, v = self.ends(door)
        if root in (u, v):
            if self.passes(root, door, node.gone):
                self.whole(root, node.turn, node.gone, door, polygon, number)
            return
        facing = _cross(u, v, root)
        u_left, v_left = _side(node.left_way, root, u), _side(node.left_way, root, v)
        u_right, v_right = _side(node.right_way, root, u), _side(node.right_way, root, v)
        if _edge_on(facing, u, v, root):
            near = u if _apart(root, u) <= _apart(root, v) else v
            if _side(node.left_way, root, near) <= 0 <= _side(node.right_way, root, near):
                self.edge_on(root, node.gone, door, polygon, number)
            return
        beyond_left = u_left >= 0 and node.left_way != (0.0, 0.0)
        beyond_right = v_right <= 0 and node.right_way != (0.0, 0.0)
        if facing < 0 or beyond_left or beyond_right:
            return
        left, left_turn, left_way = v, int(self.turns[door, 1]), _way(root, v)
        if v_left > 0:
            left, left_turn, left_way = _between(u, v, u_left, v_left), NOWHERE, node.left_way
        right, right_turn, right_way = u, int(self.turns[door, 0]), _way(root, u)
        if u_right < 0:
            right, right_turn, right_way = _between(u, v, u_right, v_right), NOWHERE, node.right_way
        behind = int(self.behind[door])
        self.add(
            _Node(
                root,
                node.turn,
                node.gone,
                left,
                left_turn,
                left_way,
                right,
                right_turn,
                right_way,
                door,
                behind,
                polygon,
                number,
            )
        )

    def turn_left(self, node: _Node, number: int, door: int, gone: float) -> None:
        """Turn at the left end of a node towards what of a door its root does not see."""
        root, polygon, corner = node.root, node.polygon, node.left
        u, v = self.ends(door)
        u_side, v_side = _side(node.left_way, root, u), _side(node.left_way, root, v)
        if u_side <= 0 and v_side <= 0:
            return
        if corner in (u, v):
            if self.passes(corner, door, gone):
                self.whole(corner, node.left_turn, gone, door, polygon, number)
            return
        facing = _cross(u, v, corner)
        if _edge_on(facing, u, v, corner):
            self.edge_on(corner, gone, door, polygon, number)
            return
        if facing < 0:
            return
        right, right_turn, right_way = u, int(self.turns[door, 0]), _way(corner, u)
        if u_side < 0:
            right, right_turn, right_way = _between(u, v, u_side, v_side), NOWHERE, node.left_way
        behind, left_turn = int(self.behind[door]), int(self.turns[door, 1])
        self.add(
            _Node(
                corner,
                node.left_turn,
                gone,
                v,
                left_turn,
                _way(corner, v),
                right,
                right_turn,
                right_way,
                door,
                behind,
                polygon,
                number,
            )
        )

    def turn_right(self, node: _Node, number: int, door: int, gone: float) -> None:
        """Turn at the right end of a node towards what of a door its root does not see."""
        root, polygon, corner = node.root, node.polygon, node.right
        u, v = self.ends(door)
        u_side, v_side = _side(node.right_way, root, u), _side(node.right_way, root, v)
        if u_side >= 0 and v_side >= 0:
            return
        if corner in (u, v):
            if self.passes(corner, door, gone):
                self.whole(corner, node.right_turn, gone, door, polygon, number)
            return
        facing = _cross(u, v, corner)
        if _edge_on(facing, u, v, corner):
            self.edge_on(corner, gone, door, polygon, number)
            return
        if facing < 0:
            return
        left, left_turn, left_way = v, int(self.turns[door, 1]), _way(corner, v)
        if v_side > 0:
            left, left_turn, left_way = _between(u, v, u_side, v_side), NOWHERE, node.right_way
        behind, right_turn = int(self.behind[door]), int(self.turns[door, 0])
        self.add(
            _Node(
                corner,
                node.right_turn,
                gone,
                left,
                left_turn,
                left_way,
                u,
                right_turn,
                _way(corner, u),
                door,
                behind,
                polygon,
                number,
            )
        )


def search(
    starts: Ints,
    behind: NDArray[np.int32],
    sides: Wide,
    turns: Ints,
    above: Ints,
    heads: Ints,
    depths: Ints,
    within: Ints,
    start: int,
    goal: int,
    ax: float,
    ay: float,
    bx: float,
    by: float,
) -> tuple[Ints, float]:
    """The doors of the shortest way from (ax, ay) in polygon `start` to (bx, by) in polygon `goal`,
    and its length, infinite for no way.

    The doors of polygon p are `starts[p]` up to `starts[p + 1]`: `sides` (K, 4) from u to v with
    the polygon on the left, `behind` (K,) the polygon there, and `turns` (K, 2) the numbers of the
    corners at u and v, -1 where no shortest way turns. `above`, `heads`, `depths` and `within` are
    the tree of blocks, as `fieldcraft.kernels.any_angle_blocks.blocks` tells it.
    """
    if start == goal:
        return np.empty(0, dtype=np.int64), math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
    lines = _upwards(above, heads, start), _upwards(above, heads, goal)
    allowed = {int(above[polygon]) for polygon in lines[0] ^ lines[1]}
    ways = _Search(starts, behind, sides, turns, within, allowed, goal, (bx, by))
    ways.begin(start, (ax, ay))
    while ways.heap:
        length, number = heapq.heappop(ways.heap)
        node = ways.nodes[number]
        if node.polygon == goal:
            way = []
            while number >= 0:
                way.append(ways.nodes[number].door)
                number = ways.nodes[number].before
            return np.array(way[::-1], dtype=np.int64), length
        if node.turn < 0 or node.gone <= ways.reached[node.turn] * EQUAL:
            ways.expand(number)
    return np.empty(0, dtype=np.int64), math.inf


def _upwards(above: Ints, heads: Ints, polygon: int) -> set[int]:
    """The polygons at which the blocks above one hang together, itself and the root of its tree
    among them.
    """
    line = {polygon}
    while above[polygon] >= 0:
        polygon = int(heads[above[polygon]])
        line.add(polygon)
    return line


def _ahead(node: _Node, goal: Place) -> float:
    """How far it is at least from the root of a node through its door to the goal; the goal is
    mirrored to the side behind the door.
    """
    left, right, root = node.left, node.right, node.root
    x, y = goal
    ex, ey = right[0] - left[0], right[1] - left[1]
    size = ex * ex + ey * ey
    off = ex * (y - left[1]) - ey * (x - left[0])
    if off < 0 and size > 0:
        x, y = x + 2 * off * ey / size, y - 2 * off * ex / size
    if (left[0] - root[0]) * (y - root[1]) - (left[1] - root[1]) * (x - root[0]) > 0:
        return _apart(root, left) + _apart(left, (x, y))
    if (right[0] - root[0]) * (y - root[1]) - (right[1] - root[1]) * (x - root[0]) < 0:
        return _apart(root, right) + _apart(right, (x, y))
    return _apart(root, (x, y))


def _way(a: Place, b: Place) -> Place:
    return b[0] - a[0], b[1] - a[1]


def _apart(a: Place, b: Place) -> float:
    return math.sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]))


def _side(way: Place, root: Place, place: Place) -> float:
    """Above 0 where a place lies to the left of a direction from a root."""
    return way[0] * (place[1] - root[1]) - way[1] * (place[0] - root[0])


def _cross(u: Place, v: Place, place: Place) -> float:
    """Above 0 where a place lies on the inside of a door."""
    return (v[0] - u[0]) * (place[1] - u[1]) - (v[1] - u[1]) * (place[0] - u[0])


def _edge_on(facing: float, u: Place, v: Place, root: Place, sine: float = EDGE_ON) -> bool:
    """Whether a root lies on the line of a door."""
    ex, ey, dx, dy = v[0] - u[0], v[1] - u[1], root[0] - u[0], root[1] - u[1]
    return facing * facing <= sine * sine * ((ex * ex + ey * ey) * (dx * dx + dy * dy))


def _between(u: Place, v: Place, one: float, other: float) -> Place:
    """Where a line cuts a door that lies so far to its sides at both ends."""
    share = one / (one - other)
    return u[0] + share * (v[0] - u[0]), u[1] + share * (v[1] - u[1])
