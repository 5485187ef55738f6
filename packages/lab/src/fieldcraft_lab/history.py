"""The totals of maps over time, for the plot of a page."""

from __future__ import annotations

from typing import Any

_MOST_ROWS = 2000


class History:
    """The totals of a run by moment, at most 2,000 of them, evenly thinned out."""

    def __init__(self) -> None:
        self._rows: dict[int, Any] = {}
        self._furthest = 0

    def add(self, moment: int, totals: Any, furthest: int) -> None:
        """Add the totals of a moment; drop those after `furthest`, which no longer happen."""
        if furthest < self._furthest:
            self._rows = {at: row for at, row in self._rows.items() if at <= furthest}
        self._furthest = furthest
        self._rows[moment] = totals
        if len(self._rows) > _MOST_ROWS:
            self._rows = dict(sorted(self._rows.items())[::2])

    def rows(self) -> list[tuple[int, Any]]:
        """Return moments with their totals, in order."""
        return sorted(self._rows.items())

    def copy(self) -> History:
        """Return a copy, for a fork."""
        twin = History()
        twin._rows = dict(self._rows)
        twin._furthest = self._furthest
        return twin
