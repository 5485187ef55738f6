"""What a study is about, for the list of all studies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class About:
    """A study in a few words. `command` made its figures, and `trial` is a run as short as possible
    to try it; both follow `python -m`. `page` is a file, relative to `research/`.
    """

    question: str
    command: str
    trial: str
    data: str
    time: str
    result: str
    page: str
