"""A study that has a name on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fieldcraft.experiments.study import Study

__all__ = ["Experiment", "words"]


@dataclass(frozen=True)
class Experiment:
    """A study that has a name on the command line: what it asks, what it takes, and how the study is made from that."""

    name: str
    help: str
    description: str
    example: str
    arguments: Callable[[argparse.ArgumentParser], None]
    study: Callable[[argparse.Namespace], Study]


def words(text: str) -> list[str]:
    """The words of a list with commas, as arguments give it."""
    return [word.strip() for word in text.split(",") if word.strip()]
