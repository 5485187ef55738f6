"""The law of repairs: whatever happens to walls, edges, costs and traffic, repaired distance maps,
flee maps and flow fields equal new ones bit for bit, whether a map is repaired or searched again.

With FIELDCRAFT_REPAIRS the law is run for so many changes, from the seed FIELDCRAFT_REPAIRS_SEED
on.
"""

from __future__ import annotations

import os
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.paths.search import distances
from support.examples import examples
from support.repairs import Repairs
from support.worlds import EVERY

CHANGES = int(os.environ.get("FIELDCRAFT_REPAIRS", 0))
SEED = int(os.environ.get("FIELDCRAFT_REPAIRS_SEED", 0))
IN_A_WORLD = 25

NEVER = 10**6
WAYS: dict[str, dict[str, Any]] = {
    "as it is chosen": {"_MOST_CHANGED": distances._MOST_CHANGED},
    "always repaired": {
        "_MOST_CHANGED": NEVER,
        "_SAMPLED_WITH_COSTS": NEVER,
        "_SAMPLED_WITH_ONE_COST": NEVER,
        "_ABANDONED": NEVER,
    },
    "searched again at once": {"_MOST_CHANGED": 0, "_ALWAYS_REPAIRED": 0},
    "searched again after an estimate": {
        "_MOST_CHANGED": NEVER,
        "_SAMPLED_WITH_COSTS": 0,
        "_SAMPLED_WITH_ONE_COST": 0,
        "_MOST_SAMPLED": 1,
        "_ALWAYS_SAMPLED": 0,
        "_FEWEST_SAMPLES": 1,
        "_ABANDONED": NEVER,
    },
    "abandoned": {
        "_MOST_CHANGED": NEVER,
        "_SAMPLED_WITH_COSTS": NEVER,
        "_SAMPLED_WITH_ONE_COST": NEVER,
        "_ABANDONED": 0,
        "_ALWAYS_REPAIRED": 2,
    },
}
"""What decides between a repair and a new search, so that small maps reach every way."""


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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", EVERY)
@examples(2, deadline=None)
@given(seed=st.integers(0, 2**20), changes=st.integers(1, IN_A_WORLD))
def test_repaired_maps_equal_new_ones(kind: str, way: str, seed: int, changes: int) -> None:
    with patch.multiple(distances, **WAYS[way]):
        change(kind, seed, changes)


@pytest.mark.timeout(0)
@pytest.mark.skipif(not CHANGES, reason="FIELDCRAFT_REPAIRS is the number of changes")
def test_repaired_maps_equal_new_ones_after_many_changes() -> None:
    made, seed = 0, SEED
    while made < CHANGES:
        for kind in EVERY:
            for way, settings in WAYS.items():
                print(f"\r{made} changes; {kind}, {way}, seed {seed} ", end="", flush=True)
                with patch.multiple(distances, **settings):
                    change(kind, seed, IN_A_WORLD)
                made += IN_A_WORLD
        seed += 1
    print(f"\n{made} changes, 0 differences")
