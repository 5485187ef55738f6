"""One object of each class that answers wrong names with a remedy."""

from __future__ import annotations

from typing import Any

import fieldcraft as fc


def objects() -> dict[str, Any]:
    """Return the objects by the variables that stand for them in the guides."""
    grid = fc.Grid(5, 4)
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("threat", fc.Spread(decay=0.2))
    distances = fc.distance_map(grid, (0.5, 0.5))
    return {
        "fc": fc,
        "grid": grid,
        "imap": imap,
        "layer": layer,
        "source": layer.add_source((1.5, 1.5), 3.0),
        "distances": distances,
        "flow": fc.flow_field(distances),
        "path": fc.shortest_path(grid, (0.5, 0.5), (3.5, 3.5)),
        "spot": fc.best(layer, (0.5, 0.5), 2.0),
        "belief": fc.Belief(grid, speed=1.0),
        "teams": imap.add_teams(["red", "blue"], fc.Radial(2.0)),
        "trail": imap.add_layer("smell", fc.Trail(half_life=2.0)),
        "graph": fc.Graph([(0, 0), (1, 0), (2, 1)], [(0, 1), (1, 2)]),
        "window": fc.window(layer, (1.5, 1.5), 1),
        "pursuit": fc.Pursuit(grid, (1.5, 1.5), speed=1.0),
        "party": fc.SearchParty(grid, 1.0),
        "seen": fc.LastSeen(grid),
        "crowd": fc.steering.Crowd(grid, 0.3),
    }
