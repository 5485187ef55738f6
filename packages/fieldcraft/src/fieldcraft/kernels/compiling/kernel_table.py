"""The families of kernels: the files that the library uses, by folder."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["FAMILIES", "FOLDERS", "family"]

FOLDERS = {
    "spread": (
        "spread_steps",
        "spread_tiles",
        "spread_settled",
        "graph_spread",
        "diffuse_steps",
    ),
    "radial": (
        "radial_search",
        "graph_radial",
        "source_changes",
        "exclusion",
    ),
    "sources": ("source_rows",),
    "trail": (
        "fade_steps",
        "stamp_sums",
        "trail_steps",
        "trail_plan",
        "graph_trail",
    ),
    "distances": (
        "distance",
        "distance_search",
        "distance_repair",
        "step_down",
        "cells_in_reach",
        "hits",
        "guides",
    ),
    "paths": (
        "flow",
        "shortest_path_uniform",
        "shortest_path_weighted",
        "smoothing",
        "danger",
        "graph_flow",
        "graph_search",
        "any_angle",
        "any_angle_blocks",
    ),
    "sight": (
        "line_cells",
        "sees",
        "shot_cells",
        "visible",
    ),
    "values": (
        "compose",
        "team_sums",
        "best",
        "best_on_foot",
        "narrow_places",
        "explore",
        "peaks",
        "region_labels",
        "route",
        "sample",
        "uphill",
    ),
    "agents": (
        "look_ahead",
        "mesh_moving",
        "moving",
        "pibt_steps",
        "swarm_steps",
    ),
    "pursuit": (
        "flood_steps",
        "belief_steps",
        "rollout_steps",
        "path_segment_steps",
    ),
    "pictures": (
        "frame_pixels",
        "paint",
    ),
    "shared": (
        "links",
        "moves",
        "nearest",
        "agent_neighbors",
        "places",
    ),
}
"""The families of each folder."""

FAMILIES = tuple(f"{folder}.{name}" for folder, names in FOLDERS.items() for name in names)
"""The families with their folders, such as "trail.stamp_sums"."""


def family(package: str, name: str) -> ModuleType:
    """Return the module of a family in the package of a folder; it is imported at its first use."""
    folder = package.rpartition(".")[2]
    if name not in FOLDERS[folder]:
        raise AttributeError(
            f"There is no family of kernels named {folder}.{name}; kernels.FAMILIES lists them.",
            name=name,
        )
    return importlib.import_module(f"{package}.{name}")
