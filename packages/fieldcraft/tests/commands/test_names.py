"""The list of all public names."""

from __future__ import annotations

from pathlib import Path

import pytest

import fieldcraft as fc
from fieldcraft.commands import names
from fieldcraft.commands.names import public_names


def test_names_prints_twelve_names_first_and_all_of_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    fc.names()
    first, *_ = capsys.readouterr().out.split("\n\n")
    assert len(first.splitlines()) == 1 + 12
    listed = [name for _, lines in names.sections() for name in lines]
    assert len(listed) == len(set(listed))
    missing = {f"fc.{name}" for name in public_names(fc)} - {*listed, "fc.steering", "fc.view"}
    assert missing == set()
    assert all(line and len(line) < 160 for _, lines in names.sections() for line in lines.values())


def test_the_page_of_all_names_is_that_of_the_code() -> None:
    page = Path(__file__).resolve().parents[4] / "docs" / "names.md"
    assert page.read_text(encoding="utf-8") == names.as_page(), "run `make names`"
