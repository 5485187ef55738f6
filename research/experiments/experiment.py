"""A study that has a name on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from fieldcraft.errors import InvalidValue

if TYPE_CHECKING:
    from research.experiments.study import Study

__all__ = ["Experiment", "numbers", "words"]

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Experiment:
    """A study that has a name on the command line: what it asks, what it takes, and how the study
    is made from that.
    """

    name: str
    help: str
    description: str
    example: str
    arguments: Callable[[argparse.ArgumentParser], None]
    study: Callable[[argparse.Namespace], Study]


def words(text: str) -> list[str]:
    """The words of a list with commas, as arguments give it."""
    return [word.strip() for word in text.split(",") if word.strip()]


def numbers(option: str, text: str, kind: Callable[[str], Number]) -> list[Number]:
    """The numbers of a list with commas, as the argument `option` gives it; raises `InvalidValue`
    for what is none of that kind.
    """
    try:
        return [kind(word) for word in words(text)]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise InvalidValue(
            f"{option} takes {what} with commas between",
            got=repr(text)[:80],
            remedy="Write 1,2,5, say",
        ) from None
