"""Compiled loops over arrays, in families named after the calls that use them.

`kernels.values.peaks` is a family: a file of functions over arrays and numbers, imported at its
first use, since importing Numba takes longer than all the rest of fieldcraft. `__init__.pyi` lists
the families for editors and type checkers.

Each kernel has one source. Where `FIELDCRAFT_REFERENCE=1` is set, or neither the native library nor
Numba is there, it runs uncompiled, with the same bits.

Kernels check nothing and allocate only scratch. Their arguments come in one order:

1. the ground: walls, links, edges;
2. other arrays that are read: fields, prices, places;
3. numbers: settings, then the part of the work, such as `first` and `last`;
4. arrays that are written;
5. scratch.

What always travels together is one record, a NamedTuple that the caller builds once: `Polygons` are
those of a mesh with their portals. A record or a tuple counts as written if one of its arrays is,
and as read if it holds an array.
"""

from fieldcraft.kernels import (
    agents,
    distances,
    paths,
    pictures,
    pursuit,
    radial,
    shared,
    sight,
    sources,
    spread,
    trail,
    values,
)
from fieldcraft.kernels.compiling.kernel_table import FAMILIES
from fieldcraft.kernels.compiling.tier import compiled

__all__ = [
    "FAMILIES",
    "agents",
    "compiled",
    "distances",
    "paths",
    "pictures",
    "pursuit",
    "radial",
    "shared",
    "sight",
    "sources",
    "spread",
    "trail",
    "values",
]
