"""The list of studies is whole, and stands in the page of the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from research import __main__ as cli
from research.commands.listing import markdown, studies

HOME = Path(__file__).parents[2]


def test_every_folder_with_a_study_is_listed() -> None:
    tools = {"commands", "recordings", "shared", "tests", "tuning", "recipes"}
    folders = {path.parent.name for path in HOME.glob("*/*.py")} - tools
    assert studies().keys() == folders


@pytest.mark.parametrize("name", studies())
def test_a_study_names_its_page_and_a_command_that_exists(name: str) -> None:
    about = studies()[name]
    page, _, heading = about.page.partition("#")
    text = (HOME / page).resolve().read_text()
    headings = [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]
    anchors = [
        "".join(c for c in line.lower().replace(" ", "-") if c.isalnum() or c in "-_")
        for line in headings
    ]
    assert not heading or heading in anchors
    for command in (about.command, about.trial):
        module = command.split()[0]
        assert module == "research" or (HOME / module.split(".")[1] / "__main__.py").exists()


def test_without_a_command_the_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    printed = capsys.readouterr().out
    for name, about in studies().items():
        assert f"{name}: {about.question}\n" in printed
        assert f"    python -m {about.command}\n" in printed
        assert f"python -m {about.trial}\n" in printed
    assert ".." not in printed and "    docs/paths.md#cross-the-street" in printed


def test_the_page_has_the_same_table() -> None:
    assert "\n".join(markdown()) in (HOME / "README.md").read_text()
