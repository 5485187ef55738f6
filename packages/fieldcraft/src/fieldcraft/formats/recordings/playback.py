"""Playback of a timeline: the entities present at a moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import UnknownName

if TYPE_CHECKING:
    from fieldcraft.formats.recordings.timeline import Timeline


@dataclass(frozen=True)
class Living:
    """The entities of a group that are present at one moment, by ascending key.

    Attributes
    ----------
    keys : ndarray of int64, (N,)
        Indices into `Timeline.ids`: the keys for `layer.sync`.
    positions : ndarray of float64, (N, 2)
        World positions.
    strengths : ndarray of float64, (N,)
        Strengths, after the fading of old samples.
    ages : ndarray of float64, (N,)
        Seconds since each was last seen.
    """

    keys: NDArray[np.int64]
    positions: NDArray[np.float64]
    strengths: NDArray[np.float64]
    ages: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.keys)


class Playback:
    """A position in a timeline that advances from moment to moment.

    `advance_to` takes time for the rows in between, `living` for the number of entities. Going back
    starts again at 0 seconds.

    Parameters
    ----------
    timeline : Timeline
        The recording.
    faint : float, optional
        A share in [0, 1): entities whose strength has faded below this share of their last sample
        are left out until their next row. Entities of strength 0 are always left out, because a
        source of 0 would hold its cell at 0.
    """

    def __init__(self, timeline: Timeline, *, faint: float = 0.0) -> None:
        self.timeline = timeline
        self.faint = checks.fraction("faint", faint)
        self._restart()

    def _restart(self) -> None:
        self.seconds = 0.0
        self._next = 0
        self._row = np.full(len(self.timeline.ids), -1, dtype=np.int64)
        self.advance_to(0.0)

    def advance_to(self, seconds: float) -> Playback:
        """Go to a moment, at least 0 seconds, and return this player; rows of exactly that time
        count.
        """
        moment = checks.not_negative("seconds", seconds)
        if moment < self.seconds:
            self._restart()
        end = int(np.searchsorted(self.timeline.seconds, moment, side="right"))
        if end > self._next:
            np.maximum.at(
                self._row, self.timeline.entities[self._next : end], np.arange(self._next, end)
            )
            self._next = end
        self.seconds = moment
        return self

    def living(self, group: str | None = None) -> Living:
        """Return the entities that are present now, of one group or (None) of all; raises
        `UnknownName` for other groups.
        """
        timeline = self.timeline
        keys = np.flatnonzero(self._row >= 0)
        rows = self._row[keys]
        there = ~np.isnan(timeline.positions[rows, 0])
        if group is not None:
            if checks.text("group", group) not in timeline.groups:
                raise UnknownName("group in the timeline", group, timeline.groups)
            there &= timeline.group_of[rows] == timeline.groups.index(group)
        keys = keys[there]
        rows = rows[there]
        ages = self.seconds - timeline.seconds[rows] + timeline.ages[rows]
        shares = np.exp2(-ages / timeline.half_lives[rows])
        strengths = timeline.strengths[rows] * shares
        seen = (shares >= self.faint) & (strengths.astype(np.float32) != 0)
        return Living(keys[seen], timeline.positions[rows[seen]], strengths[seen], ages[seen])
