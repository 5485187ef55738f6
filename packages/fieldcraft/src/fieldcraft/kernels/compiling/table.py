"""The families of kernels: the files that the library uses, by folder."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["FAMILIES", "FOLDERS", "family"]

FOLDERS = {
    "spread": (
        "spread",
        "spread_tiles",
        "spread_settled",
        "graph_spread",
        "diffuse",
    ),
    "radial": (
        "radial",
        "graph_radial",
        "changes",
    ),
    "sources": ("source_rows",),
    "trail": (
        "fade",
        "stamps",
        "trail",
        "trail_plan",
        "graph_trail",
    ),
    "distances": (
        "distance",
        "distance_search",
        "distance_repair",
        "step_down",
        "reach",
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
        "sees",
        "shots",
        "visible",
    ),
    "values": (
        "compose",
        "teams",
        "best",
        "best_on_foot",
        "choke_points",
        "explore",
        "peaks",
        "regions",
        "route",
        "sample",
        "uphill",
    ),
    "agents": (
        "look_ahead",
        "mesh_moving",
        "moving",
        "pibt",
        "swarm",
    ),
    "pursuit": (
        "flood",
        "belief",
        "rollouts",
        "path_segments",
    ),
    "pictures": (
        "frames",
        "paint",
    ),
    "shared": (
        "links",
        "moves",
        "nearest",
        "neighbors",
        "places",
    ),
}
"""The families of each folder."""

FAMILIES = tuple(f"{folder}.{name}" for folder, names in FOLDERS.items() for name in names)
"""The families with their folders, such as "trail.stamps"."""


def family(package: str, name: str) -> ModuleType:
    """Return the module of a family in the package of a folder; it is imported at its first use."""
    folder = package.rpartition(".")[2]
    if name not in FOLDERS[folder]:
        raise AttributeError(
            f"There is no family of kernels named {folder}.{name}; kernels.FAMILIES lists them.",
            name=name,
        )
    return importlib.import_module(f"{package}.{name}")
