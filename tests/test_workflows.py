"""Workflows may read the repository and no more, and their actions are pinned by commit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[1] / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_workflows_have_few_permissions_and_pinned_actions(file: Path) -> None:
    text = file.read_text()
    assert re.search(r"^permissions:\n  contents: read\n", text, re.MULTILINE)
    actions = re.findall(r"uses: (\S+)", text)
    assert actions and all(re.search(r"@[0-9a-f]{40}$", action) for action in actions)
