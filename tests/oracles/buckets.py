"""The cells that wait in a search: the specification of their order."""

from __future__ import annotations

import heapq

__all__ = ["Buckets"]


class Buckets:
    """Numbers in buckets: the bucket of the least key first, in it the one that came last."""

    def __init__(self) -> None:
        self._stacks: dict[int, list[int]] = {}
        self._keys: list[int] = []
        self.now = 0

    def push(self, key: int, cell: int) -> None:
        """Put a cell on top of a bucket."""
        if key not in self._stacks:
            self._stacks[key] = []
            heapq.heappush(self._keys, key)
        self._stacks[key].append(cell)

    def pop(self) -> int:
        """The next cell, -1 where there is none; `now` is the key of its bucket."""
        while self._keys:
            self.now = self._keys[0]
            if self._stacks[self.now]:
                return self._stacks[self.now].pop()
            del self._stacks[heapq.heappop(self._keys)]
        return -1
