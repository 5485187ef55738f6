"""The site: `make docs` builds it with Sphinx from the guides as they are and from the
docstrings.
"""

import inspect
import re
import sys
from pathlib import Path

import fieldcraft

HOME = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOME / "docs"))

project = "fieldcraft"
author = "The fieldcraft authors"
copyright = author
release = version = fieldcraft.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "notebooks", "live"]
root_doc = "index"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
napoleon_google_docstring = False
napoleon_use_rtype = False

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {
    name: name for name in ("ArrayLike", "NDArray", "Space", "Cost", "Readable")
}

html_theme = "furo"
html_title = "fieldcraft"
html_static_path: list[str] = []
html_extra_path: list[str] = []
# Words of type descriptions, such as "shape", are no cross-references.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure", "ref.python"]


def _as_rst(
    app: object, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Mark the code in a docstring, before napoleon reads its sections."""
    lines[:] = [*_code("\n".join(lines)).split("\n"), ""]


def _code(text: str) -> str:
    """Single backticks as double ones, and stars that are no markup; lines of a session and of a
    table stay.
    """
    return "\n\n".join(
        part if ">>>" in part or "====" in part else _marked(part)
        for part in re.split(r"\n[ ]*\n", text)
    )


def _marked(paragraph: str) -> str:
    parts = re.split(r"(`+[^`]*`+)", paragraph)
    return "".join(
        (
            f"``{part.strip('`')}``"
            if part.startswith("`")
            else re.sub(r"(?<![\\*])([*|])(?!\*)", r"\\\1", part)
        )
        for part in parts
    )


def _pages(app: object, config: object) -> None:
    """Write a page for each public module: its functions and classes, all names of its
    `__all__`.
    """
    import importlib

    listed = re.findall(
        r"`(fieldcraft[\w.]*)`", (HOME / "docs" / "public.md").read_text(encoding="utf-8")
    )
    folder = HOME / "docs" / "api"
    folder.mkdir(exist_ok=True)
    known: set[int] = set()
    names = [name for name in dict.fromkeys(listed) if name != "fieldcraft_worlds"]
    for name in names:
        module = importlib.import_module(name)
        about = (inspect.getdoc(module) or "").split("\n\n")[0]
        page = [name, "=" * len(name), "", f".. currentmodule:: {name}", "", _code(about), ""]
        for each in sorted(
            getattr(module, "__all__", []), key=lambda word: (word.islower(), word.lower())
        ):
            found = getattr(module, each)
            kind = (
                "autoclass"
                if inspect.isclass(found)
                else "autofunction"
                if callable(found)
                else None
            )
            if inspect.ismodule(found) or kind is None:
                continue
            again = ["   :no-index:"] if id(found) in known else []
            known.add(id(found))
            page += [
                f".. {kind}:: {each}",
                *(["   :members:"] if kind == "autoclass" else []),
                *again,
                "",
            ]
        _write(folder / f"{name}.rst", "\n".join(page))
    head = [
        "API",
        "===",
        "",
        "Every public name, from its docstring.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
    ]
    _write(folder / "index.rst", "\n".join([*head, *(f"   {name}" for name in names), ""]))


def _write(page: Path, text: str) -> None:
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def _charted(app: object, name: str, source: list[str]) -> None:
    """Draw the tables of benchmarks as charts."""
    from charts import with_charts

    if name == "benchmarks":
        source[0] = with_charts(source[0])


def setup(app) -> None:  # type: ignore[no-untyped-def]
    """Called by Sphinx."""
    app.connect("config-inited", _pages)
    app.connect("source-read", _charted)
    app.connect("autodoc-process-docstring", _as_rst, priority=400)
