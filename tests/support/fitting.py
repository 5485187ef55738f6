"""Recordings for tests of fits."""

import numpy as np

import fieldcraft as fc

SPREAD = fc.Spread(decay=0.3, momentum=1.0, floor=0.0, pin=False)
WALLS = np.zeros((9, 12), dtype=bool)
WALLS[2:7, 5] = True
SPACES = {
    "grid": fc.Grid(walls=WALLS, neighbors=8),
    "hexagons": fc.HexGrid(9, 7),
    "graph": fc.Graph(
        np.random.default_rng(4).uniform(0, 6, (20, 2)),
        [(a, (a * k + 1) % 20) for a in range(20) for k in (1, 2, 3)],
    ),
}


def recording(space, rng, moments=6, sources=7, groups=("tank", "scout")):
    """A timeline of entities that are seen now and then."""
    builder = fc.recordings.TimelineBuilder()
    cells = np.flatnonzero(~space.walls.reshape(-1))
    for number in range(sources):
        name = groups[number % len(groups)]
        for second in np.sort(rng.uniform(0, moments, 3)).tolist():
            place = tuple(space.position_of(int(rng.choice(cells))).tolist())
            builder.add(second, str(number), name, place, rng.uniform(0.5, 3))
    return builder.build()
