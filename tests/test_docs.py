"""The code in the README and the guides runs as it stands there."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

import fieldcraft

HOME = Path(__file__).resolve().parents[1]
PAGES = [HOME / "README.md", *sorted((HOME / "docs").rglob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(HOME)))
def test_code_on_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    for block in blocks(page):
        exec(compile(block, str(page), "exec", dont_inherit=True), names)


@pytest.mark.parametrize("page", [*PAGES, HOME / "CONTRIBUTING.md"], ids=lambda page: str(page.relative_to(HOME)))
def test_links_on_the_page_lead_somewhere(page: Path) -> None:
    lost = [
        target
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if not target.startswith(("http:", "https:")) and not (page.parent / target).exists()
    ]
    assert lost == []


def test_every_picture_can_be_drawn_anew() -> None:
    spec = importlib.util.spec_from_file_location("pictures", HOME / "docs" / "pictures.py")
    assert spec is not None and spec.loader is not None
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    shown = {target for page in PAGES for target in re.findall(r"images/([\w/]+)\.(?:png|webp)", page.read_text(encoding="utf-8"))}
    known = {*pictures.known(), *pictures.BROWSER}
    assert {name.split("/")[0] for name in shown} <= known
    scripts = [HOME / "examples" / f"{name}.py" for name in pictures.EXAMPLES]
    scripts += [HOME / "recipes" / f"{recipe}.toml" for recipe, _ in pictures.RECIPES.values()]
    assert [str(script) for script in scripts if not script.exists()] == []


def test_the_package_docstring_is_true() -> None:
    assert doctest.testmod(fieldcraft).failed == 0


def public_modules() -> list[str]:
    """The modules of the page about what is public, and that of experiments."""
    table = (HOME / "docs" / "public.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `fieldcraft")]
    return [*(name for row in rows for name in re.findall(r"`([\w.]+)`", row)), "fieldcraft_worlds.experiments"]


@pytest.mark.parametrize("module", public_modules())
def test_every_public_name_has_a_line_among_the_names(module: str) -> None:
    pytest.importorskip({"fieldcraft.adapters.rl": "gymnasium"}.get(module, "fieldcraft"))
    page = (HOME / "docs" / "names.md").read_text(encoding="utf-8")
    missing = [name for name in importlib.import_module(module).__all__ if not re.search(rf"\b{name}\b", page)]
    assert missing == []
