"""The totals of maps over time, for the plot of a page."""

from __future__ import annotations

from typing import Any

_MOST_ROWS = 2000


class History:
    """The totals of a run by moment, at most 2,000 of them, evenly thinned out."""

    def __init__(self) -> None:
        self._rows: dict[int, Any] = {}

    def add(self, moment: int, totals: Any) -> None:
        """Add the totals of a moment."""
        self._rows[moment] = totals
        if len(self._rows) > _MOST_ROWS:
            self._rows = dict(sorted(self._rows.items())[::2])

    def forget_from(self, moment: int) -> None:
        """Drop the totals of a moment and of all after it."""
        self._rows = {at: row for at, row in self._rows.items() if at < moment}

    def rows(self) -> list[tuple[int, Any]]:
        """Return moments with their totals, in order."""
        return sorted(self._rows.items())

    def until(self, moment: int) -> History:
        """Return a copy of the totals up to a moment, for a fork."""
        twin = History()
        twin._rows = {at: row for at, row in self._rows.items() if at <= moment}
        return twin
