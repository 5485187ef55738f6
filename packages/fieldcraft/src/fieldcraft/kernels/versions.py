"""Which of a kernel's versions answers a call: told by the arguments that are None in some and
arrays of other numbers in others.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from fieldcraft.kernels.signatures import Argument

__all__ = ["chooser"]


def chooser(
    versions: Sequence[tuple[Argument, ...]], answers: Sequence[Any]
) -> Callable[[tuple[Any, ...]], Any]:
    """The function from the arguments of a call to the answer of the version that they fit, or None
    where they fit none.

    It looks at as few arguments as tell all versions apart. Raises ValueError for versions that
    nothing tells apart.
    """
    kinds = list(zip(*versions, strict=True))
    telling = [
        place
        for place, found in enumerate(kinds)
        if all(each.axes for each in found) or any(_is_none(each) for each in found)
    ]
    for count in range(1, len(telling) + 1):
        for places in itertools.combinations(telling, count):
            nones = {place for place in places if any(_is_none(each) for each in kinds[place])}
            keys = [
                tuple(_kind(version[place], place in nones) for place in places)
                for version in versions
            ]
            if len(set(keys)) == len(versions):
                return _told(places, dict(zip(keys, answers, strict=True)), nones)
    raise ValueError(
        "The versions of a kernel differ in which arguments are None, or in the numbers of an array"
    )


def _told(
    places: tuple[int, ...], answers: dict[tuple[Hashable, ...], Any], nones: set[int]
) -> Callable[[tuple[Any, ...]], Any]:
    if len(places) == 1 and not nones:
        (place,) = places
        by_kind = {kind: answer for (kind,), answer in answers.items()}
        return lambda arguments: by_kind.get(_found(arguments[place]))
    return lambda arguments: answers.get(
        tuple(
            [
                arguments[place] is None if place in nones else _found(arguments[place])
                for place in places
            ]
        )
    )


def _found(value: Any) -> Hashable:
    return (value.dtype, value.ndim) if isinstance(value, np.ndarray) else None


def _is_none(argument: Argument) -> bool:
    return not argument.dtype and not argument.items


def _kind(argument: Argument, is_none_asked: bool) -> Hashable:
    return _is_none(argument) if is_none_asked else (np.dtype(argument.dtype), argument.axes)
