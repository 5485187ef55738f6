"""Distance maps, flow fields and shortest paths."""

from fieldcraft.paths.blocking import would_block
from fieldcraft.paths.distance_maps import DistanceMap, distance_map
from fieldcraft.paths.first_arrival import FirstArrival, first_arrival
from fieldcraft.paths.flee_maps import FleeMap, flee_map
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.paths.flow.flow_fields import flow_field
from fieldcraft.paths.path import Path
from fieldcraft.paths.search.path_through_danger import TimedPath
from fieldcraft.paths.search.reach import Reach, reach
from fieldcraft.paths.shortest import shortest_path, shortest_paths

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
