"""The obstacles of a walk over a grid from spot to spot, and not from cell to cell."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.space.grid import Grid
from fieldcraft.space.neighborhood import Terrain, beside, surroundings

__all__ = [
    "EAST",
    "NORTH",
    "NORTH_EAST",
    "NORTH_WEST",
    "SOUTH",
    "SOUTH_EAST",
    "SOUTH_WEST",
    "WALL",
    "WEST",
    "passages",
    "quiet",
]

EAST, WEST, NORTH, SOUTH = 1, 2, 4, 8
NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST = 16, 32, 64, 128
WALL = 255

Bytes = NDArray[np.uint8]
_SIDES = ((EAST, 1, 0), (WEST, -1, 0), (NORTH, 0, 1), (SOUTH, 0, -1))
_CORNERS = (
    (NORTH_EAST, 0, 2),
    (NORTH_WEST, 1, 2),
    (SOUTH_EAST, 0, 3),
    (SOUTH_WEST, 1, 3),
)  # and their places in _SIDES

_MOST_RINGS = 8
_quiet: WeakKeyDictionary[Grid, dict[int, tuple[int, Bytes]]] = WeakKeyDictionary()
_known: WeakKeyDictionary[Grid, tuple[int, Bytes]] = WeakKeyDictionary()


def passages(space: Grid) -> Bytes:
    """The sides and corners of each cell that can't be passed: uint8 of shape (height, width),
    read-only, kept until walls change.

    Row 0 holds the smallest y, whichever way the map's arrays are turned: `floor((y - origin_y) /
    cell_size)`. North is where y grows. A side is barred if a wall, the rim or the terrain keeps
    one from walking through it. A corner is barred if both sides
    at it may be passed, but not all the ways around it: somebody with a width bumps into it. A wall
    is `WALL`.

    Raises
    ------
    InvalidValue
        For a grid on which steps cut corners between two walls: nothing that moves from spot to
        spot can.
    """
    if space.corners == "cut":
        raise InvalidValue(
            "Agents that move from spot to spot cut no corners",
            got="a grid with corners='cut'",
            remedy='Move them on a grid with corners="never" or "if-one-open", or from cell to cell'
            " by distances.step",
        )
    version = space.walls_version
    known = _known.get(space)
    if known is None or known[0] > version:
        found = _built(*_ground(space), space.terrain, space.wrap)
    elif known[0] == version:
        return known[1]
    else:
        found = _patched(known[1], space, space.walls_changed(known[0]))
    found.flags.writeable = False
    _known[space] = (version, found)
    return found


def quiet(space: Grid, rings: int) -> Bytes:
    """Where nothing is barred in a cell and the `rings` around it: uint8 of shape (height, width),
    1 or 0, rows as in `passages`.

    It spares looks at what is near. Kept until walls change; 0 everywhere for more rings than pay.
    """
    version = space.walls_version
    shelf = _quiet.setdefault(space, {})
    known = shelf.get(rings)
    if known is not None and known[0] == version:
        return known[1]
    busy = passages(space) != 0
    if rings > _MOST_RINGS:
        busy[:] = True
    else:
        for dx, dy in ((1, 0), (0, 1)):
            spread = busy.copy()
            for ring in range(1, rings + 1):
                spread |= beside(busy, dx * ring, dy * ring, False, space.wrap) | beside(
                    busy, -dx * ring, -dy * ring, False, space.wrap
                )
            busy = spread
    found: Bytes = (~busy).astype(np.uint8)
    found.flags.writeable = False
    shelf[rings] = (version, found)
    return found


def _ground(space: Grid) -> tuple[NDArray[np.bool_], Bytes | None]:
    """Walls and classes with the smallest y first."""
    turn = slice(None, None, -1 if space.y_up else 1)
    return space.walls[turn], None if space.terrain is None else space.terrain.classes[turn]


def _patched(old: Bytes, space: Grid, changed: NDArray[np.int64]) -> Bytes:
    if space.y_up:
        changed = (space.height - 1 - changed // space.width) * space.width + changed % space.width
    walls, classes = _ground(space)
    found = surroundings(changed, space.shape, 1, space.wrap)
    if found is None:
        return _built(walls, classes, space.terrain, space.wrap)
    inner, window, part = found
    near = None if classes is None else classes[window]
    mended = old.copy()
    mended[inner] = _built(walls[window], near, space.terrain, False)[part]
    return mended


def _built(
    walls: NDArray[np.bool_], classes: Bytes | None, terrain: Terrain | None, wrap: bool
) -> Bytes:
    barred = []
    for _, dx, dy in _SIDES:
        closed = beside(walls, dx, dy, True, wrap)
        if terrain is not None and classes is not None:
            closed = closed | ~terrain.enter[classes, beside(classes, dx, dy, 0, wrap)]
        barred.append(closed)
    found = np.zeros(walls.shape, dtype=np.uint8)
    for (bit, _, _), closed in zip(_SIDES, barred, strict=True):
        found |= closed * np.uint8(bit)
    for bit, across, along in _CORNERS:
        first = beside(barred[along], *_SIDES[across][1:], True, wrap)
        second = beside(barred[across], *_SIDES[along][1:], True, wrap)
        found |= (~barred[across] & ~barred[along] & (first | second)) * np.uint8(bit)
    found[walls] = WALL
    return found
