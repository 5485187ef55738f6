"""Context steering: choose a direction by what lies in each, instead of adding up forces that
cancel out.

After Fray, "Context Steering: Behavior-Driven Steering at the Macro Scale", Game AI Pro 2 (2015).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.query.ground import Readable, crowd
from fieldcraft.query.on_grid import GridGround
from fieldcraft.space import Grid, Space, grid_of
from fieldcraft.space.passages import passages
from fieldcraft.steering import on_grid
from fieldcraft.steering.arguments import cells_long, grid, limits, points, vectors

__all__ = ["context", "directions"]

_AGENTS = 100  # as many pay for waking a thread
_SLOTS = (4, 64)

Wide = NDArray[np.float64]


def directions(slots: int = 16) -> Wide:
    """The unit vectors between which `context` chooses, (slots, 2): the first along x, the others
    evenly round towards y.
    """
    return _directions(checks.integer("slots", slots, minimum=_SLOTS[0], maximum=_SLOTS[1]))


@functools.cache
def _directions(count: int) -> Wide:
    found = np.array(
        [
            (math.cos(2 * math.pi * k / count), math.sin(2 * math.pi * k / count))
            for k in range(count)
        ]
    )
    found.flags.writeable = False
    return found


def context(
    positions: ArrayLike,
    velocities: ArrayLike,
    interest: Readable | ArrayLike,
    danger: Readable | ArrayLike | None = None,
    *,
    max_speed: ArrayLike,
    reach: float | None = None,
    slots: int = 16,
    tolerance: float = 0.0,
    room: float | None = None,
    space: Grid | None = None,
) -> Wide:
    """Towards what is interesting, in a direction that is not dangerous: (N, 2) world units per
    second, or (2,) for one agent.

    Each agent looks in `slots` directions. Of those, the ones stay whose danger is the lowest (to
    within `tolerance`), and of these it takes the one of most interest, turned a little towards its
    neighbours by theirs; of equals the one nearest to where it is heading. With no interest left
    but danger in sight, it goes against the dangers' sum; with neither it wants to stand still.
    What comes back is the velocity wanted, at full speed, minus the own.

    Parameters
    ----------
    positions : array_like
        (N, 2) world units, or one (x, y) pair, on the map.
    velocities : array_like
        (N, 2) world units per second, or one pair for all.
    interest, danger : Readable or array_like / Readable or array_like, optional
        A layer or expression, of which an agent sees, in each direction, the highest value above 0
        up to the first wall, the less of it the further away (from all of it in the next cell,
        evenly down to almost nothing at `reach`). Or numbers of at least 0, (N, slots): what you
        make of anything else, see `directions`.
    max_speed : array_like
        World units per second; one number, or one per agent.
    reach : float, optional
        How far agents look, world units; needed for layers.
    slots : int, optional
        How many directions, 4 to 64.
    tolerance : float, optional
        How much more danger than the lowest is borne.
    room : float, optional
        Directions in which a wall is nearer than this are taken only if there are no others; world
        units, at most `reach`, by default half a cell.
    space : Grid, optional
        The grid whose walls count, by default that of the layers; without any, none do.

    Raises
    ------
    OutsideMap
        For positions off the map.
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    at, single = points(positions)
    moving = vectors("Velocities", velocities, len(at))
    speeds = limits("max_speed", max_speed, len(at))[:, np.newaxis]
    ways = directions(slots)
    bearable = checks.not_negative("tolerance", tolerance)
    maps = [
        _seen(name, value, len(at), len(ways))
        for name, value in (("interest", interest), ("danger", danger))
    ]
    ground = (
        grid(space)
        if space is not None
        else next((seen.space for seen in maps if isinstance(seen, GridGround)), None)
    )
    if reach is None and ground is not None:
        raise InvalidValue(
            "Agents look at layers and walls up to a distance",
            got="no reach",
            remedy="Pass reach, in world units",
        )
    far = 1.0 if reach is None else checks.positive("reach", reach)
    free, least = np.ones((len(at), len(ways))), 0.0
    if ground is not None:
        cells_long("Looks ahead", np.array([far]), ground)
        least = min(
            (0.5 * ground.cell_size if room is None else checks.not_negative("room", room)) / far,
            1.0,
        )
        _look(ground, at, ways, far, free)
    views = [
        seen if isinstance(seen, np.ndarray) else _read(seen, at, ways, far, free) for seen in maps
    ]
    chosen = np.empty(at.shape)
    inputs = *views, free, ways, moving, bearable, least
    crowd(kernels.context.choose, inputs, (chosen,), len(at), _AGENTS)
    forces = chosen * speeds - moving
    return forces[0] if single else forces


def _seen(
    name: str, value: Readable | ArrayLike | None, count: int, slots: int
) -> GridGround | Wide:
    """A layer to look at, or what is seen in each direction already."""
    space = getattr(value, "space", None)
    if isinstance(space, Space):
        grid_of(
            space,
            f"Looking at {name} in a layer",
            remedy=(
                "Read it yourself in steering.directions(16), by fc.sample, and pass an array of"
                " shape (N, 16)"
            ),
        )
        return GridGround(value)  # type: ignore[arg-type]
    if value is None:
        return np.zeros((count, slots))
    array: NDArray[Any] = checks.array(name, value)  # type: ignore[arg-type]
    array = array[np.newaxis] if array.ndim == 1 and count == 1 else array
    if (
        array.shape != (count, slots)
        or array.dtype.kind not in "iufb"
        or not np.isfinite(array).all()
        or (array < 0).any()
    ):
        raise InvalidValue(
            f"{name} is a layer, or a finite number of at least 0 per agent and direction",
            got=f"{array.dtype} of shape {array.shape} for {count} agents and {slots} directions"
            + (
                ""
                if array.dtype.kind not in "iuf" or np.isfinite(array).all()
                else ", some of it not finite"
            ),
            remedy=f"Pass imap[name], or an array of shape ({count}, {slots})",
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def _look(space: Grid, at: Wide, ways: Wide, reach: float, free: Wide) -> None:
    """How far agents see, into `free`."""
    wrong = np.full(1, -1, dtype=np.int64)
    frame = (*space.origin, space.cell_size, space.wrap)
    inputs = passages(space), at, ways, frame, reach / space.cell_size
    crowd(kernels.moving.rays, inputs, (wrong, free), len(at), _AGENTS)
    if wrong[0] >= 0:
        on_grid.refuse_outside(space, at, int(wrong[0]))


def _read(seen: GridGround, at: Wide, ways: Wide, reach: float, free: Wide) -> Wide:
    """The values of a layer that agents see in each direction."""
    space, found = seen.space, np.empty((len(at), len(ways)))
    count = max(1, math.ceil(reach / space.cell_size * (1 - 1e-9)))
    frame = (*space.origin, space.cell_size, space.y_up, space.wrap)
    inputs = seen.values, at, ways, free, frame, reach, count
    crowd(kernels.context.read, inputs, (found,), len(at), _AGENTS)
    return found
