"""Caches of results of functions of a space, or of a part of one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol, TypeVar


class _WithWalls(Protocol):
    """What `cached_until_walls_change` needs of a space."""

    @property
    def walls_version(self) -> int: ...


_Key = TypeVar("_Key")
_Space = TypeVar("_Space", bound=_WithWalls)
_Found = TypeVar("_Found")

CACHE = "_cache"
"""The attribute that caches results of functions of an object; copies start without it."""


def cached(compute: Callable[[_Key], _Found]) -> Callable[[_Key], _Found]:
    """Decorate a function of a space, or of a part of one, whose result never changes; it is cached
    with the object.
    """
    name = f"{compute.__module__}.{compute.__qualname__}"

    @functools.wraps(compute)
    def cached_compute(key: _Key) -> _Found:
        found: dict[str, _Found] = vars(key).setdefault(CACHE, {})
        if name not in found:
            found[name] = compute(key)
        return found[name]

    return cached_compute


def cached_until_walls_change(compute: Callable[[_Space], _Found]) -> Callable[[_Space], _Found]:
    """Decorate a function of a space and its walls; its result is cached with the space until walls
    change.
    """
    name = f"{compute.__module__}.{compute.__qualname__}"

    @functools.wraps(compute)
    def cached_compute(space: _Space) -> _Found:
        version = space.walls_version
        found: dict[str, tuple[int, _Found]] = vars(space).setdefault(CACHE, {})
        last = found.get(name)
        if last is None or last[0] != version:
            last = found[name] = (version, compute(space))
        return last[1]

    return cached_compute
