"""Maps from files of other programs, and generated maps.

The formats are imported when a file is loaded; functions for one format are in its module:
`fieldcraft.formats.maps.tiled`, `.ldtk`, `.image`, `.movingai`, `.starcraft`, `.ros`, `.geotiff`,
`.waypoints`, `.navigation`, `.polyanya`, `.obj`, `.gltf`.
"""

from fieldcraft.formats.maps.generate import KINDS, generate_map
from fieldcraft.formats.maps.loading import load_map
from fieldcraft.formats.maps.mazes import MAZE_ALGORITHMS
from fieldcraft.formats.maps.scenarios import load_scenarios

__all__ = ["KINDS", "MAZE_ALGORITHMS", "generate_map", "load_map", "load_scenarios"]


def __dir__() -> list[str]:
    return __all__
