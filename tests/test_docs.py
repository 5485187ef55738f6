"""The code in the README and the guides runs as it stands there."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import fieldcraft
from fieldcraft.demo import SHIPPED

HOME = Path(__file__).resolve().parents[1]
PAGES = [
    HOME / "README.md",
    *sorted((HOME / "docs").rglob("*.md")),
    *sorted((HOME / "research").glob("*.md")),
]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


def blocks(page: Path) -> list[str]:
    return re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(HOME))
)
def test_code_on_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    for block in blocks(page):
        exec(compile(block, str(page), "exec", dont_inherit=True), names)


@pytest.mark.parametrize(
    "page", [*PAGES, HOME / "CONTRIBUTING.md"], ids=lambda page: str(page.relative_to(HOME))
)
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
    shown = {
        target
        for page in PAGES
        for target in re.findall(
            r"images/([\w/]+)(?:-\w+)?\.(?:png|webp)", page.read_text(encoding="utf-8")
        )
    }
    known = {*pictures.known(), *pictures.ELSEWHERE}
    assert {name.split("/")[0] for name in shown} <= known
    scripts = [HOME / "examples" / f"{name}.py" for name in pictures.EXAMPLES]
    scripts += [SHIPPED / f"{recipe}.toml" for recipe, _ in pictures.RECIPES.values()]
    assert [str(script) for script in scripts if not script.exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_anchors_on_the_page_are_headings(page: Path) -> None:
    lost = []
    for target, anchor in re.findall(
        r"\]\(([^)#\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8")
    ):
        other = page if not target else page.parent / target
        if not target.startswith(("http:", "https:")) and other.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {
                re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
                for heading in headings
            }
            lost += [f"{target}#{anchor}"] * (anchor not in slugs)
    assert lost == []


def _with_sessions() -> list[str]:
    """The modules whose docstrings show a session."""
    source = HOME / "packages" / "fieldcraft" / "src"
    files = [
        file
        for file in (source / "fieldcraft").rglob("*.py")
        if ">>> " in file.read_text(encoding="utf-8")
    ]
    return sorted(
        ".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        for file in files
    )


@pytest.mark.parametrize("module", _with_sessions())
def test_sessions_in_docstrings_are_true(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"fc": fieldcraft, "np": np}
    assert doctest.testmod(importlib.import_module(module), extraglobs=names).failed == 0


def _of_docs(name: str) -> ModuleType:
    """A program of the docs, by its name."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", HOME / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NOTEBOOKS = sorted((HOME / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::RuntimeWarning", "ignore::ResourceWarning"
)  # of Jupyter
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_their_guides_and_run(path: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient")
    nbformat = pytest.importorskip("nbformat")
    shown = nbformat.read(path, as_version=4)
    guide = (HOME / "docs" / f"{path.stem}.md").read_text(encoding="utf-8")
    assert shown == _of_docs("notebook").notebook_of(guide), "run `make notebooks`"
    nbclient.NotebookClient(
        shown, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()


def test_there_are_five_notebooks() -> None:
    assert len(NOTEBOOKS) == 5


def test_tables_of_ratios_become_charts() -> None:
    page = (
        "| case | ms | peer | ratio |\n|---|---|---|---|\n| a | 1 | NumPy | 10x |\n| | | SciPy |"
        " 1,000x |\n| b | 2 | C | 0.1x |\n\nEnd\n"
    )
    drawn = _of_docs("charts").with_charts(page)
    assert drawn.startswith(page[: page.index("\nEnd")]) and drawn.endswith("\nEnd\n")
    assert drawn.count("<rect") == 3 and "a: SciPy" in drawn and drawn.count("#d0672f") == 1
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height', drawn)]
    assert widths[1] == pytest.approx(3 * widths[0], rel=0.01)
    assert _of_docs("charts").with_charts("| a | b |\n|---|---|\n| 1 | 2 |\n").count("<svg") == 0
