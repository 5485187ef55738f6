"""Distance maps, flow fields and shortest paths."""

from fieldcraft.paths.blocking import would_block
from fieldcraft.paths.distances import DistanceMap
from fieldcraft.paths.flow_base import FlowField
from fieldcraft.paths.making import (
    FirstArrival,
    FleeMap,
    distance_map,
    first_arrival,
    flee_map,
    flow_field,
)
from fieldcraft.paths.path import Path
from fieldcraft.paths.reaching import Reach, reach
from fieldcraft.paths.shortest import shortest_path, shortest_paths
from fieldcraft.paths.timed import TimedPath

__all__ = [
    "DistanceMap",
    "FirstArrival",
    "FleeMap",
    "FlowField",
    "Path",
    "Reach",
    "TimedPath",
    "distance_map",
    "first_arrival",
    "flee_map",
    "flow_field",
    "reach",
    "shortest_path",
    "shortest_paths",
    "would_block",
]
