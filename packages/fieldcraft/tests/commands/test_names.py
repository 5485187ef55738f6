"""The list of all public names."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

import fieldcraft as fc
from fieldcraft.commands import names
from fieldcraft.commands.names import public_names

HOME = Path(__file__).resolve().parents[4]


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


def test_names_lists_each_name_that_the_documentation_writes_after_a_module() -> None:
    listed = {name for _, lines in names.sections() for name in lines}
    used = set()
    for page in (*(HOME / "docs").glob("*.md"), HOME / "README.md"):
        used |= set(re.findall(r"\bfc((?:\.\w+)+)", page.read_text(encoding="utf-8")))
    unlisted = set()
    for name in used:
        module, *path = ("fc" + name).split(".")
        thing: object = fc
        for part in path:
            if not isinstance(thing, ModuleType):
                break
            thing = getattr(thing, part)
            module += f".{part}"
        short = f"fc.{module.rsplit('.', 1)[-1]}"
        is_listed = bool({module, short} & listed) or path[0] in ("gpu", "lab")
        if not isinstance(thing, ModuleType) and not is_listed:
            unlisted.add(module)
    assert unlisted == set()


def test_the_page_of_all_names_is_that_of_the_code() -> None:
    page = HOME / "docs" / "names.md"
    assert page.read_text(encoding="utf-8") == names.as_page(), "run `make names`"
