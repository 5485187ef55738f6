"""Keeping what was worked out from a space beside it, as long as it lives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from fieldcraft.space.protocol import Space

__all__ = ["kept", "kept_until_walls_change"]

_Key = TypeVar("_Key")
_Space = TypeVar("_Space", bound="Space")
_Found = TypeVar("_Found")


def kept(work_out: Callable[[_Key], _Found]) -> Callable[[_Key], _Found]:
    """Decorate what is worked out from a space, or a part of one, that never changes: it is done
    once.
    """
    known: WeakKeyDictionary[Any, tuple[_Found]] = WeakKeyDictionary()

    @functools.wraps(work_out)
    def asked(key: _Key) -> _Found:
        last = known.get(key)
        if last is None:
            last = known[key] = (work_out(key),)
        return last[0]

    return asked


def kept_until_walls_change(work_out: Callable[[_Space], _Found]) -> Callable[[_Space], _Found]:
    """Decorate what is worked out from a space and its walls: it is done anew when it is asked for
    after a change of them.
    """
    known: WeakKeyDictionary[Any, tuple[int, _Found]] = WeakKeyDictionary()

    @functools.wraps(work_out)
    def asked(space: _Space) -> _Found:
        version = space.walls_version
        last = known.get(space)
        if last is None or last[0] != version:
            last = known[space] = (version, work_out(space))
        return last[1]

    return asked
