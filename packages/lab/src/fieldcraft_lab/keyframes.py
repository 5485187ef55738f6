"""Moments of a session that are kept whole."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass

__all__ = ["Keyframe", "Keyframes"]

_LEAST = 12  # keyframes


@dataclass(frozen=True)
class Keyframe:
    """A world after so many steps, `obeyed` orders of the log among them."""

    moment: int
    obeyed: int
    data: bytes


class Keyframes:
    """Keyframes of one run in the order of time, of at most `most_bytes` together, but at least a
    dozen.

    Where there are too many, one is dropped whose neighbors in time lie close together for its age:
    the last seconds stay dense, the first minutes become sparse, and the first one stays.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._kept: list[Keyframe] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def moments(self) -> list[int]:
        """When they were made, ascending."""
        return [frame.moment for frame in self._kept]

    def add(self, frame: Keyframe) -> None:
        """Keep a moment that is later than all others, or the same as the last one, and thin out
        the rest.
        """
        if self._kept and self._kept[-1].moment == frame.moment:
            self._bytes -= len(self._kept.pop().data)
        self._kept.append(frame)
        self._bytes += len(frame.data)
        while self._bytes > self._most and len(self._kept) > _LEAST:
            now = frame.moment
            crowded = min(
                range(1, len(self._kept) - 1),
                key=lambda i: (
                    (self._kept[i + 1].moment - self._kept[i - 1].moment)
                    / (now - self._kept[i].moment + 1)
                ),
            )
            self._bytes -= len(self._kept.pop(crowded).data)

    def before(self, moment: int) -> Keyframe:
        """The last one at or before a moment."""
        return self._kept[bisect.bisect_right(self.moments, moment) - 1]

    def forget_after(self, moment: float, orders: float = math.inf) -> None:
        """Drop those later than a moment, or with more than so many orders of the log in them."""
        while self._kept[-1].moment > moment or self._kept[-1].obeyed > orders:
            self._bytes -= len(self._kept.pop().data)

    def copy(self) -> Keyframes:
        """The same keyframes, for a run that goes its own way from here."""
        twin = Keyframes(self._most)
        twin._kept, twin._bytes = list(self._kept), self._bytes
        return twin
