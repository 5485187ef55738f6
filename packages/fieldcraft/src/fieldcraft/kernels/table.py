"""The families of kernels: the files that the library uses."""

from __future__ import annotations

__all__ = ["FAMILIES"]

FAMILIES = (
    # layers
    "spread",
    "spread_tiles",
    "spread_settled",
    "graph_spread",
    "radial",
    "graph_radial",
    "changes",
    "fade",
    "flood",
    "stamps",
    "trail",
    "trail_plan",
    "graph_trail",
    "diffuse",
    # several layers
    "compose",
    "teams",
    # paths
    "moves",
    "distance",
    "distance_search",
    "distance_repair",
    "flow",
    "shortest_path_uniform",
    "shortest_path_weighted",
    "step_down",
    "smoothing",
    "reach",
    "danger",
    "graph_flow",
    "graph_search",
    "any_angle",
    "any_angle_blocks",
    # queries
    "best",
    "best_on_foot",
    "explore",
    "peaks",
    "regions",
    "route",
    "sample",
    "uphill",
    # sight
    "sees",
    "shots",
    "visible",
    # movement
    "guides",
    "look_ahead",
    "mesh_moving",
    "moving",
    "neighbors",
    "pibt",
    "swarm",
    # pursuit
    "belief",
    "rollouts",
    "path_segments",
    # maps and pictures
    "paint",
)
