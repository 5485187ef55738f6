"""Worlds larger than an array, or than a machine: `from fieldcraft import cluster`.

>>> from fieldcraft import cluster
>>> world = cluster.World(folder, size=(65536, 65536), block=1024)                    # doctest: +SKIP
>>> threat = world.add_layer("threat", fc.Spread(decay=0.02, momentum=0.6), every=0.1)  # doctest: +SKIP
"""

from fieldcraft.cluster.distances import WorldDistances
from fieldcraft.cluster.layer import WorldLayer, digest_of
from fieldcraft.cluster.layers import WorldMemoryLayer, WorldRadialLayer, WorldSpreadLayer, WorldTrailLayer
from fieldcraft.cluster.report import Report
from fieldcraft.cluster.running import Running, run
from fieldcraft.cluster.shelves import WorkerLost
from fieldcraft.cluster.swarm import WorldSwarm
from fieldcraft.cluster.world import World

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
