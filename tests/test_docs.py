"""The code in the README and the guides runs as it stands there."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import fieldcraft
from fieldcraft.commands.shipped_recipes import SHIPPED

HOME = Path(__file__).resolve().parents[1]
PAGES = [
    HOME / "README.md",
    *sorted((HOME / "docs").rglob("*.md")),
    *sorted((HOME / "research").rglob("*.md")),
    *sorted((HOME / "packages").glob("*/README.md")),
    HOME / "bench" / "README.md",
]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


BLOCK = re.compile(
    r"^```python\n(.*?)^```$(?:\n\n^```output\n(.*?)^```$)?", re.DOTALL | re.MULTILINE
)


def blocks(page: Path) -> list[tuple[str, str]]:
    """The code blocks of a page, each with the output that the page shows, or ""."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(HOME))
)
def test_code_on_the_page_runs(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    for block, output in blocks(page):
        capsys.readouterr()
        exec(compile(block, str(page), "exec", dont_inherit=True), names)
        if output:
            assert capsys.readouterr().out == output


@pytest.mark.parametrize(
    "page",
    [page for page in [*PAGES, HOME / "CONTRIBUTING.md"] if page.name != "experiments.md"],
    ids=lambda page: str(page.relative_to(HOME)),
)
def test_blocks_of_code_fit_on_the_page(page: Path) -> None:
    """The site shows 90 characters, and code hosts about as many. The page of experiments shows
    recorded tables, which are wider.
    """
    blocks = re.findall(r"^```.*?\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert [line for block in blocks for line in block.splitlines() if len(line) > 88] == []


PIP = re.compile(r"pip install ([^#`\n]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_pip_lines_work_from_a_clone(page: Path) -> None:
    for line in PIP.findall(page.read_text(encoding="utf-8")):
        if "fieldcraft" not in line and "packages" not in line:
            continue  # another library
        wanted = [part.strip("\"'") for part in line.split() if part.strip("\"'").startswith(".")]
        assert wanted, line
        for part in wanted:
            folder, _, extras = part.partition("[")
            project = tomllib.loads((HOME / folder / "pyproject.toml").read_text())["project"]
            known = project.get("optional-dependencies", {})
            assert set(extras.rstrip("]").split(",")) <= {"", *known}, part


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_files_that_commands_name_are_in_the_repository(page: Path) -> None:
    blocks = re.findall(r"^```(?:bash)?\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    named = re.findall(r"(?<![\w./-])(?:recipes|examples)/[\w./-]+", "\n".join(blocks))
    assert [name for name in named if not (HOME / name).exists()] == []


@pytest.mark.parametrize("page", sorted((HOME / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_pages_have_no_raw_html(page: Path) -> None:
    """Code hosts show it as text."""
    text = re.sub(
        r"<!--.*?-->|^```.*?^```|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S
    )
    assert re.findall(r"<[a-z/][^>]*>", text) == []
    assert "{raw}" not in page.read_text(encoding="utf-8")


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


WITHOUT_TEXT = {"damage", "first_map", "level_glb", "maps", "learned", "nearest", "pack"}
WITHOUT_TEXT |= {"roguelike", "tower_defence", "two_groups", "within", "without"}


def test_text_in_pictures_is_readable() -> None:
    """Pages show pictures 736 pixels wide. Their text is 13 pixels high, and stays above 10."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    wide = {}
    for path in sorted((HOME / "docs" / "images").iterdir()):
        if path.suffix in (".png", ".webp") and path.stem not in WITHOUT_TEXT:
            with image.open(path) as opened:
                wide[path.stem] = opened.width
    assert {name: width for name, width in wide.items() if width > 956} == {}


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
    pytest.importorskip("nbclient", reason="needs nbclient")
    nbformat = pytest.importorskip("nbformat")
    shown = nbformat.read(path, as_version=4)
    program = _of_docs("notebook")
    guide = program.notebook_of((HOME / "docs" / f"{path.stem}.md").read_text(encoding="utf-8"))
    sources = [[cell.source for cell in each.cells] for each in (shown, guide)]
    assert sources[0] == sources[1], "run `make notebooks`"
    kept = [each for cell in shown.cells for each in cell.get("outputs", ())]
    assert any("image/png" in each.get("data", ()) for each in kept), "run `make notebooks`"
    if path.stem == "tiles":  # the code of all guides runs in `test_code_on_the_page_runs`
        program.run(guide, tmp_path)


def test_there_are_five_notebooks() -> None:
    assert len(NOTEBOOKS) == 5


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in sorted((HOME / "docs").glob("*.md"))
        if page.stem not in ("index", "names", "public")
    ],
    ids=lambda page: page.stem,
)
def test_a_guide_begins_with_what_it_gives_and_a_picture(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.match(r"# .+\n\n(At the end of this|.*\bAt the end)", text), page.name
    top = text[:2500]
    assert re.search(r"^!\[.+\]\(.+\)", text if page.stem == "gallery" else top, re.MULTILINE)
    assert re.search(r"^\*(What to see|[A-Z])", text, re.MULTILINE)
