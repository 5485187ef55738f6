"""One thread at a time, and no interruption in between."""

from __future__ import annotations

import threading

from fieldcraft import interruption
from fieldcraft.errors import ConcurrentUse

__all__ = ["Guard"]


class Guard:
    """Entered around each call that reads or changes an influence map, or another thing.

    It refuses a second thread instead of breaking, and holds Ctrl-C back until the call is done.
    """

    def __init__(
        self,
        what: str = "An influence map",
        remedy: str = "Put a lock around it, or give each thread its own with imap.copy()",
    ) -> None:
        self._what, self._remedy = what, remedy
        self._lock = threading.Lock()
        self._owner = 0
        self._depth = 0

    def __reduce__(
        self,
    ) -> tuple[
        type[Guard], tuple[str, str]
    ]:  # whoever shared it shares a new one, which nobody is in
        return Guard, (self._what, self._remedy)

    def __enter__(self) -> None:
        me = threading.get_ident()
        if self._owner == me:
            self._depth += 1
            return
        interruption.hold()
        if not self._lock.acquire(blocking=False):
            interruption.release()
            raise ConcurrentUse(
                f"{self._what} is used by one thread at a time",
                got="a call while another thread is inside one",
                remedy=self._remedy,
            )
        self._owner = me
        self._depth = 1

    def __exit__(self, *exception: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._owner = 0
            self._lock.release()
            interruption.release()
