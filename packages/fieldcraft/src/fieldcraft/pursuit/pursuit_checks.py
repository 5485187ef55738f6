"""Checks of the arguments and states of floods, beliefs and searches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit.transitions import backend
from fieldcraft.space import Space
from fieldcraft.space.space_ranges import within_range


def not_a_state(rule: str, got: str) -> InvalidValue:
    """Return the error for a state that breaks a rule."""
    remedy = "Pass the result of state(), on the same space with the same parameters"
    return InvalidValue(f"The {rule}", got=got, remedy=remedy)


def plain_numbers(
    state: Mapping[str, Any], name: str, shape: tuple[int, ...], kinds: str = "f"
) -> NDArray[Any]:
    """Return a copy of an array of a state; `InvalidValue` unless it has this shape and finite
    numbers of one of these kinds.
    """
    found = np.zeros(0)
    if isinstance(state, Mapping):
        found = np.array(state.get(name))
    if found.shape != shape or found.dtype.kind not in kinds or not np.isfinite(found).all():
        raise not_a_state(
            f"{name} of a state are numbers of shape {shape}",
            f"{found.dtype} of shape {found.shape}",
        )
    return found


def check_shape(state: Mapping[str, Any], space: Space) -> None:
    """Raise `InvalidValue` unless a state is of a map with the shape of this space."""
    shape = plain_numbers(state, "shape", (len(space.shape),), kinds="i")
    if tuple(shape.tolist()) != space.shape:
        raise not_a_state(
            f"shape of a state is that of the map, {space.shape}", f"{tuple(shape.tolist())}"
        )


def plain_integer(state: Mapping[str, Any], name: str, *, below: int = 2**62) -> int:
    """Return a whole number from 0 to below `below` of a state, or raise `InvalidValue`.

    An array without axes counts as its number: `numpy.load` returns numbers in this form.
    """
    found = state.get(name)
    if isinstance(found, np.ndarray) and found.ndim == 0:
        found = found[()]
    if isinstance(found, (int, np.integer)) and found >= below:
        raise not_a_state(f"{name} of a state is below {below}", f"{found:g}")
    return checks.integer(name, found)


def check_flood(
    start: int,
    state: NDArray[np.int64],
    ignited: NDArray[np.int64],
    lit: NDArray[np.int64],
    barrier_cells: NDArray[np.int64],
    marks: NDArray[np.int64],
) -> None:
    """Refuse a state with indices outside of its arrays."""
    count = len(state)
    front, hot, tail, tail_end, steps = marks.tolist()
    behind = barrier_cells[:tail_end]
    is_sound = (
        0 <= front <= hot <= count
        and 0 <= tail <= tail_end <= count
        and 0 <= steps < 2**31
        and int(state.min()) >= 0
        and int(state.max()) <= kernels.pursuit.flood_steps.BLOCKED
        and int(ignited.min()) >= -1
        and int(ignited.max()) <= steps
        and np.count_nonzero(behind == start) <= 1
        and _lists(lit[:hot], state == kernels.pursuit.flood_steps.HEAT)
        and _lists(behind[behind != start], state == kernels.pursuit.flood_steps.BARRIER)
    )
    if not is_sound:
        raise not_a_state(
            "state, lit, barrier_cells and marks of a state are those of one flood", "others"
        )


def _lists(listed: NDArray[np.int64], cells: NDArray[np.bool_]) -> bool:
    """Return whether a list has exactly the numbers of some cells, each once."""
    if len(listed) != np.count_nonzero(cells):
        return False
    if len(listed) and not 0 <= int(listed.min()) <= int(listed.max()) < len(cells):
        return False
    found = np.zeros(len(cells), dtype=np.bool_)
    found[listed] = True
    return bool((found == cells).all())


def interval_of(step: float, speed: float, every: float | None) -> float:
    """Return the seconds from step to step, a whole number of ticks: as given, or the time of a
    typical step at a speed.
    """
    if every is not None:
        return clock.seconds(clock.ticks("every", every, minimum=1))
    try:
        return clock.seconds(clock.ticks("every", step / speed, minimum=1))
    except (InvalidValue, OverflowError):
        raise InvalidValue(
            "A target takes some time for a step, at most 1,000,000,000 seconds",
            got=f"a speed of {speed:g} for steps of {step:g}",
            remedy="Pass world units per second, or every=",
        ) from None


def checked_velocity(velocity: ArrayLike | None, dimensions: int) -> NDArray[np.float64]:
    """Return a velocity, 0 where it is not known."""
    if velocity is None:
        return np.zeros(dimensions)
    found = checks.position(velocity, "velocity is one vector", dimensions=dimensions)
    too_fast = np.abs(found) > checks.LARGEST
    rule = f"The components of a velocity are at most {checks.LARGEST:g} in size"
    checks.none_wrong(rule, found, too_fast, "Correct the velocity")
    return found


def share_below_one(name: str, value: object) -> float:
    """Return a share in [0, 1), or raise `InvalidValue`."""
    share = checks.fraction(name, value)
    if share == 1:
        raise InvalidValue(
            f"{name} is below 1",
            got=f"{name}=1",
            remedy="Pass 0.5, say; fc.pursuit.motion.Stand() never moves",
        )
    return share


def share_above_zero(name: str, value: object) -> float:
    """Return a share in (0, 1], or raise `InvalidValue`."""
    pace = checks.fraction(name, value)
    if pace == 0:
        raise InvalidValue(
            f"{name} is above 0",
            got=f"{name}=0",
            remedy="Pass 0.5, say; fc.pursuit.motion.Stand() never moves",
        )
    return pace


def checked_range(name: str, value: ArrayLike) -> tuple[float, float]:
    """Return two numbers of at least 0, the least and the most, or raise `InvalidValue`."""
    low, high = checks.numbers(name, value, 2).tolist()
    if not 0 <= low <= high:
        raise InvalidValue(
            f"{name} is the least and the most, at least 0",
            got=f"{(low, high)}",
            remedy="Pass the lower one first",
        )
    return low, high


def target_number(target: int, count: int) -> int:
    """Return the number of one of `count` targets, or raise `InvalidValue`."""
    return checks.integer("target", target, maximum=count - 1)


def resolve_last_seen(space: Space, last_seen: ArrayLike) -> tuple[int, NDArray[np.float64]]:
    """Return the cell and the world position of a cell or a position."""
    if isinstance(last_seen, (int, np.integer)) and not isinstance(last_seen, bool):
        return int(last_seen), space.position_of(last_seen)
    point, single = checks.positions(last_seen, dimensions=space.dimensions)
    if not single:
        raise InvalidValue(
            "last_seen is one position",
            got=f"shape {np.shape(last_seen)}",
            remedy="Make a Pursuit for each target",
        )
    backend(space).check_near(point[0])
    return int(space.cell_at(point[0])), point[0]


def heading_of(
    velocity: ArrayLike | None, dimensions: int
) -> tuple[NDArray[np.float64] | None, float | None]:
    """Return the direction and the size of a velocity, None if it is not known."""
    if velocity is None:
        return None, None
    given = checks.array("The parts of a velocity", velocity)
    if (
        given.shape not in ((2,), (dimensions,))
        or given.dtype.kind not in "iuf"
        or not (np.abs(given) <= checks.LARGEST).all()
    ):
        axes = "(x, y)" if dimensions == 2 else "(x, y) or (x, y, z)"
        raise InvalidValue(
            f"velocity is one vector {axes} of numbers up to {checks.LARGEST:g}",
            got=f"velocity={velocity!r}"[:90],
            remedy="Pass world units per second, or None and a speed if the direction is not known",
        )
    move = np.zeros(dimensions)
    move[: len(given)] = given
    size = float(np.sqrt((move**2).sum()))
    if size == 0:
        raise InvalidValue(
            "velocity is one vector that is not 0",
            got=f"velocity={velocity!r}",
            remedy="Pass None and a speed if the direction is not known",
        )
    return move / size, size


def cells_behind(
    space: Space,
    last_seen: NDArray[np.float64],
    heading: NDArray[np.float64] | None,
    angle: float,
    reach: float,
) -> NDArray[np.bool_]:
    """Return the cells more than an angle away from the heading, up to the distance `reach`."""
    if heading is None:
        return np.zeros(len(space), dtype=np.bool_)
    away = space.offsets_from(last_seen)
    distance = np.sqrt((away**2).sum(axis=1))
    turned = away @ heading < math.cos(angle) * distance - 1e-12 * distance
    return np.asarray(turned & (distance <= within_range(space, reach)))
