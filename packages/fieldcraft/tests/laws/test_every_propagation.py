"""Laws that hold for every propagation: threads, budgets, saves, copies and the compiler change no
bit.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from support.propagations import others
from support.tiers import plain
from support.worlds import open_cells

VECTORS = fc.Trail(0.9, vector=True, blur=5)
CASES = [
    fc.Spread(0.05, 0.6, half_life=2.0),
    fc.Spread(0.01, 0.6, "cubic", pin=False),
    fc.Radial(9),
    fc.Radial(9, metric="path", blend="max"),
    fc.Fade(3.0, 1.0, mark_spread=0.4),
    fc.Fade(half_life=3.0, mark_spread=0.2, diffusion=0.2),
    fc.Trail(),
    VECTORS,
    fc.Trail(edges="lose"),
    fc.Flood(0.12, steps=9),
    fc.Diffuse(0.8, half_life=3.0),
    fc.Diffuse(0.3, half_life=3.0, drift=(2.0, -1.0)),
]
PROPAGATIONS = [*CASES, *others(*map(type, CASES))]


def ground(kind: str, width: int, height: int) -> Any:
    """A space with walls: a grid, hexagons, or a grid written as a graph."""
    walls = np.random.default_rng(0).random((height, width)) < 0.02
    if kind == "hexes":
        return fc.HexGrid(width, height, walls=walls)
    grid = fc.Grid(width, height, walls=walls, neighbors=8)
    return grid.to_graph() if kind == "graph" else grid


def feed(layer: Any, every: int) -> None:
    """Add sources, marks or deposits to a layer, whichever it takes."""
    spots = layer.space.position_of(open_cells(layer.space)[3::every])
    amounts = np.random.default_rng(1).uniform(-5, 9, len(spots))
    if isinstance(layer, fc.layer.MemoryLayer):
        layer.mark(spots, np.abs(amounts), radius=2.5, falloff="linear")
    elif layer.propagation._takes_sources:
        layer.sync(range(len(spots)), spots, amounts)
    else:
        layer.deposit(
            spots, amounts[:, None] * (1, -0.5) if layer.propagation == VECTORS else amounts
        )


PAIRS = [
    (propagation, kind)
    for propagation in PROPAGATIONS
    for kind in ("grid", "hexes", "graph")
    if kind != "graph" or not isinstance(propagation, fc.Trail)
]


@pytest.mark.parametrize("propagation", PROPAGATIONS, ids=str)
def test_threads_and_budgets_change_nothing(propagation: Any) -> None:
    space, before, seen = ground("grid", 600, 450), pool.threads(), []
    for threads, budget in ((1, None), (3, None), (3, 1)):
        pool.set_threads(threads)
        imap = fc.InfluenceMap(space)
        layer = imap.add_layer("a", propagation, every=0.1)
        feed(layer, 999)
        imap.advance(0.3, budget_work=budget)
        while layer.lag:
            shown, updates = layer.read(), layer.updates
            imap.advance(0.0, budget_work=2)
            assert layer.updates != updates or layer.values.tobytes() == shown.tobytes()
        seen.append(layer.values.tobytes())
    pool.set_threads(before)
    assert layer.values.any() and len(set(seen)) == 1


@pytest.mark.parametrize(("propagation", "kind"), PAIRS)
def test_copies_and_loaded_maps_continue_alike(propagation: Any, kind: str, tmp_path: Path) -> None:
    imap = fc.InfluenceMap(ground(kind, 40, 30))
    feed(imap.add_layer("a", propagation, every=0.1), 50)
    imap.advance(0.35)
    feed(imap["a"], 70)
    imap.save(tmp_path / "a.map")
    twins = [imap, imap.copy(), fc.InfluenceMap.load(tmp_path / "a.map")]
    cells = open_cells(imap.space)[100:104]
    for twin in twins:
        twin.space.set_walls(cells)
    for twin in twins:
        twin.advance(0.1)
        feed(twin["a"], 90)
        twin.advance(0.4)
        assert twin["a"].values.any() and twin["a"].propagation == propagation
    assert len({twin["a"].values.tobytes() for twin in twins}) == 1


@pytest.mark.skipif(not kernels.compiled(), reason="the text serves already")
@pytest.mark.parametrize(("propagation", "kind"), PAIRS)
def test_compiled_kernels_give_the_bits_of_their_text(propagation: Any, kind: str) -> None:
    seen = []
    for tier in (nullcontext, plain):
        with tier():
            imap = fc.InfluenceMap(ground(kind, 17, 13))
            layer = imap.add_layer("a", propagation, every=0.1)
            for every in (50, 21):
                feed(layer, every)
                imap.advance(0.4)
            seen.append(layer.values.tobytes())
    assert layer.values.any() and seen[0] == seen[1]
