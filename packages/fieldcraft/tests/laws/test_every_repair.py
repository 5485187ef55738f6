"""The law of repairs: whatever happens to walls, edges, costs and traffic, repaired distance maps,
flee maps and flow fields equal new ones bit for bit.

With FIELDCRAFT_REPAIRS the law is run for so many changes, from the seed FIELDCRAFT_REPAIRS_SEED
on.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.repairs import Repairs
from support.worlds import EVERY

CHANGES = int(os.environ.get("FIELDCRAFT_REPAIRS", 0))
SEED = int(os.environ.get("FIELDCRAFT_REPAIRS_SEED", 0))
IN_A_WORLD = 25


def change(kind: str, seed: int, changes: int) -> None:
    """Compare with new maps after each of some changes of one world."""
    world = Repairs(kind, seed)
    try:
        world.compare()
        for _ in range(changes):
            world.change()
    except Exception as error:
        error.add_note(f"{kind!r}, seed {seed}, {world.cost!r}, {world.options}")
        error.add_note("\n".join(world.log))
        raise


@pytest.mark.parametrize("kind", EVERY)
@examples(4, deadline=None)
@given(seed=st.integers(0, 2**20), changes=st.integers(1, IN_A_WORLD))
def test_repaired_maps_equal_new_ones(kind: str, seed: int, changes: int) -> None:
    change(kind, seed, changes)


@pytest.mark.timeout(0)
@pytest.mark.skipif(not CHANGES, reason="FIELDCRAFT_REPAIRS is the number of changes")
def test_repaired_maps_equal_new_ones_after_many_changes() -> None:
    made, seed = 0, SEED
    while made < CHANGES:
        for kind in EVERY:
            print(f"\r{made} changes; {kind}, seed {seed} ", end="", flush=True)
            change(kind, seed, IN_A_WORLD)
            made += IN_A_WORLD
        seed += 1
    print(f"\n{made} changes, 0 differences")
