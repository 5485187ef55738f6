"""The keyframes of a session."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass

_LEAST = 12  # keyframes


@dataclass(frozen=True)
class Keyframe:
    """A world after `moment` steps and the first `applied` orders of the log."""

    moment: int
    applied: int
    data: bytes


class Keyframes:
    """Keyframes of one run in the order of time, of at most `most_bytes` in total, but at least 12.

    If there are more, the one is dropped whose neighbors in time are closest relative to its age:
    the last seconds stay dense, the first minutes become sparse, and the first keyframe stays.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._frames: list[Keyframe] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def moments(self) -> list[int]:
        """Their moments, ascending."""
        return [frame.moment for frame in self._frames]

    def add(self, frame: Keyframe) -> None:
        """Add a keyframe that is not earlier than the last one, and drop surplus ones."""
        if self._frames and self._frames[-1].moment == frame.moment:
            self._bytes -= len(self._frames.pop().data)
        self._frames.append(frame)
        self._bytes += len(frame.data)
        while self._bytes > self._most and len(self._frames) > _LEAST:
            now = frame.moment
            crowded = min(
                range(1, len(self._frames) - 1),
                key=lambda i: (
                    (self._frames[i + 1].moment - self._frames[i - 1].moment)
                    / (now - self._frames[i].moment + 1)
                ),
            )
            self._bytes -= len(self._frames.pop(crowded).data)

    def before(self, moment: int) -> Keyframe:
        """Return the last keyframe at or before a moment."""
        return self._frames[bisect.bisect_right(self.moments, moment) - 1]

    def forget_after(self, moment: float, orders: float = math.inf) -> None:
        """Drop keyframes after a moment, or with more than `orders` orders of the log."""
        while self._frames[-1].moment > moment or self._frames[-1].applied > orders:
            self._bytes -= len(self._frames.pop().data)

    def copy(self) -> Keyframes:
        """Return a copy."""
        twin = Keyframes(self._most)
        twin._frames = list(self._frames)
        twin._bytes = self._bytes
        return twin
