"""The time of a game: so many steps a second."""

from __future__ import annotations

__all__ = ["Paced"]


class Paced:
    """A base of settings that have a `rate`, steps a second."""

    rate: int

    def steps(self, seconds: float) -> int:
        """How many steps a time takes, at least 1."""
        return max(1, round(seconds * self.rate))
