"""Worlds larger than an array, or than a machine: `import fieldcraft_cluster as cluster`.

>>> import fieldcraft_cluster as cluster
>>> world = cluster.World(folder, size=(65536, 65536), block=1024)  # doctest: +SKIP
>>> threat = world.add_layer("threat", fc.Spread(0.02, 0.6), every=0.1)  # doctest: +SKIP
"""

from fieldcraft_cluster.distances import WorldDistances
from fieldcraft_cluster.layer import WorldLayer, digest_of
from fieldcraft_cluster.layers import (
    WorldMemoryLayer,
    WorldRadialLayer,
    WorldSpreadLayer,
    WorldTrailLayer,
)
from fieldcraft_cluster.report import Report
from fieldcraft_cluster.running import Running, run
from fieldcraft_cluster.shelves import WorkerLost
from fieldcraft_cluster.swarm import WorldSwarm
from fieldcraft_cluster.world import World

__all__ = [
    "Report",
    "Running",
    "WorkerLost",
    "World",
    "WorldDistances",
    "WorldLayer",
    "WorldMemoryLayer",
    "WorldRadialLayer",
    "WorldSpreadLayer",
    "WorldSwarm",
    "WorldTrailLayer",
    "digest_of",
    "run",
]
