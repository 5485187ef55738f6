"""Search parties."""

from __future__ import annotations

from typing import Any

import numpy as np

import fieldcraft as fc
from fieldcraft.pursuit import SearchParty
from support.chases import a_map

CAVE = fc.generate_map("cave", 47, 36, seed=4, neighbors=8)
SPACES = {
    "grid": CAVE,
    "graph": CAVE.to_graph(),
    "hex": fc.HexGrid(20, 17, walls=np.random.default_rng(2).random((17, 20)) < 0.2),
    "mesh": a_map("mesh"),
    "waypoints": a_map("waypoints"),
}


def party(space: Any, **options: Any) -> tuple[SearchParty, int]:
    """A party after somebody who was lost in the largest part of a map."""
    parts = np.asarray(space.parts()).reshape(-1)
    walls = space.walls.reshape(-1)
    largest = np.bincount(parts[~walls]).argmax()
    last = int(np.flatnonzero((parts == largest) & ~walls)[40])
    search = SearchParty(space, 3.0 * space.typical_step, **options)
    search.lost(space.position_of(last), (2.0, 1.0))
    return search, last
