"""Terms of the project: the private words that gave way to standard terms stay away, in the names
of the code and in the documentation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
CODE = sorted(
    path
    for folder in ("packages", "research", "tools")
    for path in (HOME / folder).rglob("*.py")
    if not {"tests", "templates", ".venv"} & {*path.relative_to(HOME).parts}
)
PAGES = sorted(
    [
        *(HOME / "docs").rglob("*.md"),
        *(HOME / "packages").glob("*/README.md"),
        HOME / "README.md",
        HOME / "CONTRIBUTING.md",
    ]
)

BANNED = {
    "awaited": "lazy",
    "behaviour": "behavior",
    "bleed": "spread on mark",
    "breathe": "poll",
    "colour": "color",
    "comers": "migrants",
    "deed": "logged command",
    "former": "renamed",
    "freight": "transfer planes",
    "grip": "input state",
    "herd": "agent shard",
    "hideouts": "hiding places",
    "mistrust": "invalidate",
    "neighbour": "neighbor",
    "outlooks": "visibility cache",
    "packing": "serialization",
    "promised": "lazy",
    "seep": "diffusion",
    "sheet": "page",
    "tally": "counters",
}
"""The terms that are gone, and what replaced them."""

BANNED_IN_NAMES = BANNED | {
    "aims": "targets",
    "apart": "one_per_cell, spacing, distance",
    "asked": "given, requested",
    "barred": "blocked",
    "blots": "stamps",
    "door": "portal, opening",
    "guess": "estimate",
    "hands": "input frame",
    "heard": "received",
    "hold": "keep, contain",
    "house": "package",
    "kept": "cached, remaining",
    "knob": "parameter control",
    "legs": "segments, steps",
    "looks": "views",
    "loose": "deferred, affected",
    "march": "step plan, advance",
    "mend": "repair, update",
    "mirror": "derived state, reflection",
    "prints": "footprints",
    "resist": "attenuate, set_resistance",
    "rim": "border, outline, halo",
    "room": "scratch, layer, space",
    "said": "text, message",
    "shut": "blocked",
    "standing": "alive",
    "strands": "components",
    "told": "sent, reported",
    "way": "path, edges, direction",
    "whole": "integer, total, full",
}
"""Ordinary English in prose, but not in the names of code."""

STAY = {
    ("fieldcraft_worlds/games/flock/settings.py", "room"),
    ("fieldcraft_worlds/games/tether/state.py", "aims"),
    ("fieldcraft_worlds/games/towers/settings.py", "room"),
}
"""Fields of settings and states that stay: their names are part of the digests of games."""


def identifiers(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def banned_in(text: str, terms: dict[str, str]) -> list[str]:
    """Return the banned terms among the words of an identifier or a sentence, plurals included."""
    words = re.findall(r"[A-Z]?[a-z]+", text)
    return [word for word in map(str.lower, words) if {word, word.removesuffix("s")} & {*terms}]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("_count_herds", ["herds"]),
        ("Herd", ["herd"]),
        ("agentHerd", ["herd"]),
        ("shepherd", []),
        ("What a step does to colours", ["colours"]),
        ("open_door", ["door"]),
    ],
)
def test_the_check_finds_banned_terms(name: str, found: list[str]) -> None:
    assert banned_in(name, BANNED_IN_NAMES) == found


def test_names_use_standard_terms() -> None:
    assert CODE
    wrong = [
        f"{path.relative_to(HOME)}: {name}: {word} is called"
        f" {BANNED_IN_NAMES.get(word.removesuffix('s'), 'otherwise')}"
        for path in CODE
        for name in sorted({*identifiers(ast.parse(path.read_text(encoding="utf-8")))})
        for word in banned_in(name, BANNED_IN_NAMES)
        if not any(path.as_posix().endswith(file) and name == field for file, field in STAY)
    ]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(HOME).as_posix())
def test_pages_use_standard_terms(page: Path) -> None:
    text = re.sub(r"\]\([^)]*\)", "]", page.read_text(encoding="utf-8"))  # addresses of links
    wrong = [
        f"line {number}: {word}"
        for number, line in enumerate(text.splitlines(), 1)
        for word in banned_in(line, BANNED)
    ]
    assert wrong == []
