"""Something with settings, and how well it does with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from research.experiments.study import Job, Row

__all__ = ["Tunable", "asked"]


def asked(job: Job) -> dict[str, Any]:
    """The settings of a job, by dotted name."""
    return dict(json.loads(str(job["settings"])))


@dataclass(frozen=True)
class Tunable:
    """Something with settings, and how well it does with them in one world.

    Parameters
    ----------
    name : str
        On the command line.
    told : str
        What plays, in a line.
    settings : Mapping[str, Any]
        The settings that may be searched, by dotted name, with the values that they usually have.
    objectives : Mapping[str, int]
        What may be sought, by name: 1 for the more the better, -1 for the less.
    run : Callable[[Job], Row]
        From a job (`map`, `width`, `height`, `seed`, and `settings` as JSON) to a number for each
        objective. The same job, the same.
    check : Callable[[Mapping[str, Any]], object]
        Refuses settings that nothing can be played with; they may have bounds of their own.
    kernels : tuple[str, ...], optional
        Those that jobs call.
    own_worlds : bool, optional
        Whether it makes its maps itself, so that worlds differ by their seeds alone.
    """

    name: str
    told: str
    settings: Mapping[str, Any]
    objectives: Mapping[str, int]
    run: Callable[[Job], Row]
    check: Callable[[Mapping[str, Any]], object]
    kernels: tuple[str, ...] = ()
    own_worlds: bool = False
