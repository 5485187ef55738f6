"""The families of kernels, by the names that users know them by."""

from __future__ import annotations

__all__ = ["FAMILIES"]

# Each family with the subjects that it belongs to, beside its own name; `fc.warm_up` takes these
# words.
FAMILIES: dict[str, tuple[str, ...]] = {
    # layers
    "spread": ("spread",),
    "spread_tiles": ("spread",),
    "spread_settled": ("spread",),
    "graph_spread": ("spread", "graphs"),
    "radial": ("radial",),
    "graph_radial": ("radial", "graphs"),
    "resisted": ("radial",),
    "changes": ("radial", "fade"),
    "placing": ("spread", "radial"),
    "fade": ("fade",),
    "flood": ("pursuit",),
    "stamps": ("stamp", "trail", "fade"),
    "trail": ("trail",),
    "trail_plan": ("trail",),
    "hex_trail": ("trail",),
    "diffuse": ("diffuse",),
    # several layers
    "compose": ("expressions",),
    "teams": ("teams",),
    # ways
    "moves": ("paths", "shortest_path", "distance_map", "explore_step"),
    "distance": ("paths", "distance_map", "flow_field"),
    "distance_repair": ("paths", "distance_map", "flow_field"),
    "flow": ("paths", "flow_field", "steering"),
    "shortest_path_uniform": ("paths", "shortest_path"),
    "shortest_path_weighted": ("paths", "shortest_path"),
    "smoothing": ("paths", "shortest_path"),
    "reach": ("paths", "reach"),
    "graph_ways": ("paths", "distance_map", "graphs"),
    "graph_repair": ("paths", "distance_map", "graphs"),
    "graph_flow": ("paths", "flow_field", "graphs"),
    "graph_search": ("paths", "shortest_path", "graphs"),
    "any_angle": ("paths", "shortest_path", "graphs"),
    "any_angle_blocks": ("paths", "shortest_path", "graphs"),
    # answers
    "best": ("queries",),
    "best_on_foot": ("queries", "best"),
    "explore": ("queries", "explore_step"),
    "peaks": ("queries",),
    "regions": ("queries",),
    "route": ("queries", "along"),
    "sample": ("queries", "gradient"),
    "sense": ("queries",),
    "uphill": ("queries",),
    # sight
    "sees": ("sight", "visible", "graphs"),
    "shots": ("sight", "incoming"),
    "visible": ("sight",),
    # movement
    "context": ("steering",),
    "mesh_moving": ("steering", "graphs", "paths"),
    "moving": ("steering",),
    "neighbors": ("steering",),
    "swarm": ("steering",),
    "travel": ("steering", "graphs"),
    # guesses
    "belief": ("pursuit",),
    "foresee": ("pursuit",),
    "legs": ("pursuit",),
    # maps and pictures
    "paint": ("view",),
}
