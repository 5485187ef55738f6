"""The lines that install the packages fit the packages that there are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fieldcraft.base import install

PACKAGES = Path(__file__).resolve().parents[3]


def projects() -> dict[str, Any]:
    """The tables of all packages, by the names of their folders."""
    return {
        path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for path in PACKAGES.glob("*/pyproject.toml")
    }


def test_commands_name_the_package_that_offers_them() -> None:
    offered = {
        command: folder
        for folder, project in projects().items()
        for command in project.get("entry-points", {}).get("fieldcraft.commands", ())
    }
    assert offered == install.COMMANDS


def test_extras_are_those_of_the_package_that_is_named() -> None:
    found = projects()
    for extra, folder in install.PACKAGES.items():
        assert extra == folder or extra in found[folder]["optional-dependencies"]
    for folder in install.PACKAGES.values():
        assert found[folder]["name"] == f"fieldcraft-{folder}"


@pytest.mark.parametrize(
    ("extra", "from_clone", "published"),
    [
        ("view", "./packages/fieldcraft[view]", "fieldcraft[view]"),
        ("lab", "./packages/lab", "fieldcraft-lab"),
        ("rl", "./packages/worlds[rl]", "fieldcraft-worlds[rl]"),
    ],
)
def test_what_pip_installs(
    monkeypatch: pytest.MonkeyPatch, extra: str, from_clone: str, published: str
) -> None:
    assert install.remedy(extra) == (
        f"Install it with: pip install '{from_clone}', in a clone of the repository"
    )
    monkeypatch.setattr(install, "PUBLISHED", True)
    monkeypatch.setattr(install, "WHERE", "")
    assert install.remedy(extra) == f"Install it with: pip install '{published}'"


HOME = PACKAGES.parent
WITH_LINES = [
    *HOME.glob("*.md"),
    *(path for path in HOME.glob("*/**/*.md") if ".venv" not in path.parts),
    *(HOME / "examples").glob("*.py"),
    *(PACKAGES / "fieldcraft" / "src" / "fieldcraft" / "commands" / "templates").rglob("*.*"),
]


def test_pip_lines_work_in_a_clone() -> None:
    found = projects()
    seen = 0
    for path in WITH_LINES:
        if path.name == "CHANGELOG.md":
            continue
        for line in re.findall(r"pip install ([^#`\n]*)", path.read_text(encoding="utf-8")):
            for package, extras in re.findall(
                r"(\S*fieldcraft\S*?|\./\S+?)(?:\[(.*?)\])?[\s\"'\\]", line + " "
            ):
                folder = package.strip("\"'\\").removeprefix("./packages/")
                assert folder in found, f"{path.name}: pip install {line}"
                for extra in filter(None, extras.split(",")):
                    assert extra in found[folder]["optional-dependencies"], f"{path.name}: {line}"
                seen += 1
    assert seen > 10
