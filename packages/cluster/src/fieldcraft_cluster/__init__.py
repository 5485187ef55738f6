"""Worlds larger than an array, or than a machine: `import fieldcraft_cluster as cluster`.

>>> import tempfile
>>> import fieldcraft as fc
>>> import fieldcraft_cluster as cluster
>>> world = cluster.World(tempfile.mkdtemp(), size=(65536, 65536), block=1024)
>>> threat = world.add_layer("threat", fc.Spread(decay=0.02, momentum=0.6), every=0.1)
>>> _ = threat.add_sources([(40000.5, 1000.5)], 9.0)
>>> world.advance(0.5).steps
{'threat': 5}
"""

from fieldcraft_cluster.layer import WorldLayer, digest_of
from fieldcraft_cluster.running import run
from fieldcraft_cluster.store import WorkerLost
from fieldcraft_cluster.world import World

__all__ = [
    "WorkerLost",
    "World",
    "WorldLayer",
    "digest_of",
    "run",
]
