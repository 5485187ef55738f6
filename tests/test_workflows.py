"""Workflows may read the repository and no more, and their actions are pinned by commit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[1] / ".github" / "workflows").glob("*.yml"))


def test_classifiers_name_what_is_tested() -> None:
    project = Path(__file__).parents[1] / "packages" / "fieldcraft" / "pyproject.toml"
    named = project.read_text()
    tested = "".join(file.read_text() for file in FILES)
    runners = {"MacOS": "macos-", "Microsoft :: Windows": "windows-", "POSIX :: Linux": "ubuntu-"}
    assert set(re.findall(r'"Operating System :: ([^"]+)"', named)) == set(runners)
    assert all(runner in tested for runner in runners.values())
    pythons = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', named)
    assert pythons and all(f'"{python}"' in tested for python in pythons)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_workflows_have_few_permissions_and_pinned_actions(file: Path) -> None:
    text = file.read_text()
    assert re.search(r"^permissions:\n  contents: read\n", text, re.MULTILINE)
    actions = re.findall(r"uses: (\S+)", text)
    assert actions and all(re.search(r"@[0-9a-f]{40}$", action) for action in actions)
