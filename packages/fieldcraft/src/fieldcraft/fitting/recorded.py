"""Recordings to fit: events and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.recordings import Timeline
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.space import Space, checked_space

_MOST_VALUES = 1 << 25
_TIMELINE = "A recording is a Timeline"
_MADE = "Make one with Timeline.read or a TimelineBuilder"


@dataclass(frozen=True, eq=False)
class Recorded:
    """A recording with events or choices in cells at some moments. Made by `Recorded.events` or
    `Recorded.choices`.

    Attributes
    ----------
    space : Space
        The map.
    timeline : Timeline
        The recorded positions.
    seconds : ndarray of float64, (M,)
        The moments, ascending.
    cells : ndarray of int64, (N,)
        The possible cells.
    options : ndarray of float64, (M, N) or (1, N)
        The number of candidates in each cell at a moment.
    happened : ndarray of float64, (M, N)
        The number of events or choices in each cell.
    maps : mapping of str to ndarray of float64, (N,)
        Constant maps of the cells, by their names in formulas.
    """

    space: Space
    timeline: Timeline
    seconds: Floats
    cells: Ints
    options: Floats
    happened: Floats
    maps: Mapping[str, Floats]

    @classmethod
    def events(
        cls,
        space: Space,
        timeline: Timeline,
        seconds: ArrayLike,
        positions: ArrayLike,
        *,
        maps: Mapping[str, ArrayLike] | None = None,
    ) -> Recorded:
        """Return a recording with events at positions: losses, finds, steps.

        All open cells are possible. Only rows up to an event's moment are used to predict it.

        Parameters
        ----------
        space : Space
            The map.
        timeline : Timeline
            The recording.
        seconds : array_like of shape (K,)
            The moments from which the events are predicted. Events with equal seconds are predicted
            together.
        positions : array_like of shape (K, 2)
            The positions of the events. Positions off the map or in a wall count as the nearest
            open cell.
        maps : mapping of str to array_like, optional
            Constant maps, in the shape of the space.

        Raises
        ------
        InvalidValue
            If arrays do not fit together, or if there are no events.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> builder = fc.recordings.TimelineBuilder()
        >>> builder.add(0, "scout", "red", (0.5, 0.5))
        >>> recorded = fc.fitting.Recorded.events(
        ...     fc.Grid(3, 1), builder.build(), [4, 4, 9], [(0.5, 0.5), (1.5, 0.5), (1.5, 0.5)])
        >>> recorded.happened
        array([[1., 1., 0.],
               [0., 1., 0.]])
        """
        cells = np.flatnonzero(~checked_space(space, "Events are on").walls.reshape(-1))
        where = cells_of(space, checks.positions(positions)[0])
        when, rows = np.unique(_moments(seconds, len(where)), return_inverse=True)
        check_size("Moments", len(when), len(cells))
        happened = np.zeros((len(when), len(cells)))
        np.add.at(happened, (rows, np.searchsorted(cells, where)), 1.0)
        return cls._of(space, timeline, when, cells, np.ones((1, len(cells))), happened, maps)

    @classmethod
    def choices(
        cls,
        space: Space,
        timeline: Timeline,
        seconds: ArrayLike,
        candidates: Sequence[ArrayLike],
        chosen: ArrayLike,
        *,
        maps: Mapping[str, ArrayLike] | None = None,
    ) -> Recorded:
        """Return a recording with a choice among several candidates at each moment.

        Parameters
        ----------
        space : Space
            The map.
        timeline : Timeline
            The recording.
        seconds : array_like of shape (K,)
            The moments of the choices.
        candidates : sequence of K array_like of shape (C, 2)
            The positions to choose from; C may differ.
        chosen : array_like of shape (K,)
            The index of the chosen candidate.
        maps : mapping of str to array_like, optional
            Constant maps, in the shape of the space.

        Raises
        ------
        InvalidValue
            If arrays do not fit together, if there are no choices, or if an index is no candidate.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> builder = fc.recordings.TimelineBuilder()
        >>> builder.add(0, "scout", "red", (0.5, 0.5))
        >>> recorded = fc.fitting.Recorded.choices(
        ...     fc.Grid(3, 1), builder.build(), [4], [[(0.5, 0.5), (2.5, 0.5)]], [1])
        >>> recorded.cells, recorded.happened
        (array([0, 2]), array([[0., 1.]]))
        """
        checked_space(space, "Choices are on")
        offered = [
            cells_of(space, checks.positions(each)[0])
            for each in checks.sequence("candidates", candidates)
        ]
        when = _moments(seconds, len(offered))
        rule = "chosen has one index for each choice"
        remedy = "Pass whole numbers"
        picked = checks.array_of(chosen, (len(offered),), "iu", rule, remedy).astype(np.int64)
        wrong = [row for row, each in enumerate(offered) if not 0 <= picked[row] < len(each)]
        if wrong:
            raise InvalidValue(
                "chosen is the index of a candidate",
                got=f"{picked[wrong[0]]} of {len(offered[wrong[0]])} at row {wrong[0]}",
                remedy="Count from 0",
            )
        cells = np.unique(np.concatenate(offered))
        check_size("Moments", len(offered), len(cells))
        options = np.zeros((len(offered), len(cells)))
        happened = np.zeros_like(options)
        for row, each in enumerate(offered):
            np.add.at(options[row], np.searchsorted(cells, each), 1.0)
            happened[row, np.searchsorted(cells, each[picked[row]])] = 1.0
        order = np.argsort(when, kind="stable")
        return cls._of(space, timeline, when[order], cells, options[order], happened[order], maps)

    @classmethod
    def _of(
        cls,
        space: Space,
        timeline: Timeline,
        seconds: Floats,
        cells: Ints,
        options: Floats,
        happened: Floats,
        maps: Mapping[str, ArrayLike] | None,
    ) -> Recorded:
        """Return a recording with its maps and its timeline checked."""
        if maps is None:
            maps = {}
        checks.instance(maps, Mapping, "maps are arrays by name", "Pass a dict")
        known = {}
        for name, values in maps.items():
            shaped = checks.shaped(f"The map {name!r}", values, space.shape, "biuf")
            known[name] = shaped.astype(np.float64).reshape(-1)[cells]
            if not np.isfinite(known[name]).all():
                raise InvalidValue(
                    "Maps are finite in open cells", got=name, remedy="Replace infinite values"
                )
        recording = checks.instance(timeline, Timeline, _TIMELINE, _MADE)
        return cls(space, recording, seconds, cells, options, happened, known)


def cells_of(space: Space, positions: Any) -> Ints:
    """Return the open cells of positions, the nearest ones if they are not open."""
    cells = np.atleast_1d(space.cell_at(positions, outside="clamp"))
    return np.atleast_1d(np.asarray(space.nearest_open(cells), dtype=np.int64))


def _moments(seconds: ArrayLike, count: int) -> Floats:
    """Return checked moments, at least one."""
    when = checks.numbers("seconds", seconds, count)
    checks.none_wrong("seconds are at least 0", when, when < 0, "Count from the recording's start")
    if not count:
        raise InvalidValue(
            "Something happened in a recording", got="no events", remedy="Pass one or more"
        )
    return when


def check_size(what: str, rows: int, cells: int) -> None:
    """Raise for a table that takes too much memory."""
    if rows * cells > _MOST_VALUES:
        raise InvalidValue(
            f"{what} times cells are at most {_MOST_VALUES:,}",
            got=f"{rows:,} x {cells:,}",
            remedy="Take fewer moments, or a coarser map",
        )
