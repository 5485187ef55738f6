"""What a study is about, for the list of all studies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class About:
    """A study in a few words. `command` follows `python -m`; `page` is a file below `research/`."""

    question: str
    command: str
    data: str
    time: str
    result: str
    page: str
