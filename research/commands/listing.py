"""The list of all studies: `python -m research`."""

from __future__ import annotations

import importlib
import pkgutil
import posixpath

import research
from research.shared.about import About


def studies() -> dict[str, About]:
    """Return what each study is about, by the name of its folder."""
    found = {}
    for folder in pkgutil.iter_modules(research.__path__):
        about = getattr(importlib.import_module(f"research.{folder.name}"), "ABOUT", None)
        if about is not None:
            found[folder.name] = about
    return found


def lines() -> list[str]:
    """Return the list as it is printed."""
    found = []
    for name, about in studies().items():
        found += [
            f"{name}: {about.question}",
            f"    {about.result}",
            f"    data: {about.data}; time: {about.time}",
            f"    python -m {about.command}",
        ]
        if about.trial != about.command:
            found.append(f"    to try it: python -m {about.trial}")
        found += [f"    {posixpath.normpath('research/' + about.page)}", ""]
    return found


def markdown() -> list[str]:
    """Return the list as the table of research/README.md."""
    return [
        "| study | question | result | data | time |",
        "|---|---|---|---|---|",
        *(
            f"| [{name}]({about.page}): `{about.command}` | {about.question} | {about.result}"
            f" | {about.data} | {about.time} |"
            for name, about in studies().items()
        ),
    ]
