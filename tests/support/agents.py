"""Agents that step together."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import fieldcraft as fc

seeds = st.integers(0, 2**16)
aheads = st.sampled_from([0, 0, 3, 8])


def space_of(kind: str, seed: int, walls: float = 0.2) -> fc.Space:
    blocked = np.random.default_rng(seed).random((7, 9)) < walls
    if kind == "hex":
        return fc.HexGrid(9, 7, walls=blocked)
    if kind == "ring of hexagons":
        return fc.HexGrid(9, 7, walls=blocked, wrap="x")
    if kind == "torus":
        return fc.Grid(9, 7, walls=blocked, neighbors=8, wrap=True)
    if kind == "mesh":
        y, x = np.indices((8, 10))
        corners = np.stack([x, y], axis=-1).reshape(-1, 2)
        at = (10 * y + x)[:-1, :-1][~blocked]  # two triangles for each open cell
        lower, upper = [at, at + 1, at + 10], [at + 1, at + 11, at + 10]
        return fc.Graph.from_polygons(corners, np.concatenate([lower, upper], axis=1).T)
    grid = fc.Grid(9, 7, walls=blocked, neighbors=8 if kind == "eight" else 4)
    return grid.to_graph() if kind == "graph" else grid


KINDS = ["four", "eight", "hex", "graph", "mesh", "torus", "ring of hexagons"]

spaces = st.builds(space_of, st.sampled_from(KINDS), seeds)


def open_cells(space: fc.Space) -> Any:
    return np.flatnonzero(~space.walls.reshape(-1))


def steps_of(space: fc.Space) -> set[tuple[int, int]]:
    return set(zip(space.adjacency.origins.tolist(), space.adjacency.ends.tolist(), strict=True))


def check(space: fc.Space, before: Any, after: Any) -> None:
    """Judge one step: no shared cell, no swap, no crossing, no move but along the steps of the
    space.
    """
    assert len(set(after.tolist())) == len(after)
    steps = steps_of(space)
    moves = [(a, b) for a, b in zip(before.tolist(), after.tolist(), strict=True) if a != b]
    assert set(moves) <= steps
    assert not {(b, a) for a, b in moves} & set(moves)
    if isinstance(space, fc.Grid) and moves:
        begins, ends = (space.position_of(np.array(cells)) for cells in zip(*moves, strict=True))
        middles = space.wrapped(begins + space.shortest_vectors(ends - begins) / 2)
        assert len(np.unique(middles, axis=0)) == len(middles)


def arrive(
    space: fc.Space, cells: list[int], goals: list[int], most: int, ahead: int, **options: Any
) -> int:
    """Return after how many steps all agents have been at their goals at the same time."""
    crowd = fc.steering.PIBT(space, look_ahead=ahead, seed=3, **options)
    now = np.array(cells)
    for turn in range(most):
        if (now == goals).all():
            return turn
        after = crowd.step(now, goals)
        check(space, now, after)
        now = after
    raise AssertionError(f"{int((now != goals).sum())} of {len(goals)} agents not there")
