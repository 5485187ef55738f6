"""The site: `make docs` builds it with Sphinx from the guides and the docstrings.

It needs Sphinx, MyST and Furo, and what the library itself needs. Other libraries are mocked.
"""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from sphinx.ext.autodoc.mock import mock

HOME = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(path) for path in sorted((HOME / "packages").glob("*/src"))]

# No kernel runs here, so none has to be compiled.
os.environ.setdefault("FIELDCRAFT_REFERENCE", "1")
import fieldcraft  # noqa: E402
from fieldcraft.commands.names import public_names  # noqa: E402

project = "fieldcraft"
author = "The fieldcraft authors"
copyright = author
release = version = fieldcraft.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "notebooks", "live"]
root_doc = "index"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
napoleon_google_docstring = False
napoleon_use_rtype = False

autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {
    name: name for name in ("ArrayLike", "NDArray", "Space", "Cost", "Readable")
}
autodoc_mock_imports = [
    *(
        "PIL",
        "av",
        "anyio",
        "anywidget",
        "arcade",
        "dask",
        "distributed",
        "gymnasium",
        "ipyvuetify",
    ),
    *(
        "joblib",
        "kloppy",
        "matplotlib",
        "mesa",
        "networkx",
        "optuna",
        "pandas",
        "pettingzoo",
    ),
    *("polars", "pygame", "rasterio", "sc2", "solara", "tcod", "traitlets", "trimesh", "wgpu"),
    *("websockets", "xarray", "yaml", "zstandard"),
]

html_theme = "furo"
html_title = "fieldcraft"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(HOME / "docs" / "_static" / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
REPOSITORY = os.environ.get("FIELDCRAFT_REPOSITORY", "")
"""Address of the repository, for the link in the footer of each page."""
html_theme_options = (
    {"source_repository": REPOSITORY, "source_branch": "main"} if REPOSITORY else {}
)
# Words of type descriptions, such as "shape", are no cross-references.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure", "ref.python"]

TERMS = {
    "control": {
        "Line of sight and danger": ("line of sight", "field of view"),
        "Sources that radiate": ("Radial",),
        "Teams": ("team", "contested", "influence", "tension", "share", "front line"),
    },
    "index": {"Install": ("install",)},
    "memory": {"An explorer with a memory": ("Fade",)},
    "pheromones": {"How it works": ("Trail", "Swarm")},
    "pursuit": {"Which guess": ("pursuit",), "The belief": ("Belief",)},
    "tasks": {"Remove a source": ("remove",), "Clear a layer": ("clear", "reset")},
    "conventions": {"Save and load": ("save", "load"), "Glossary": ("glossary",)},
    "paths": {
        "Shortest paths": ("shortest path",),
        "Flow fields": ("flow field",),
        "Distance maps": ("distance map", "Dijkstra map"),
    },
    "what_a_step_does": {"Spread: influence that walks": ("Spread",)},
    "tiles": {"Hexagons": ("hexagon", "hex grid"), "Movement points": ("movement range",)},
}
"""Index entries at headings of guides: the search lists these first."""

LINES = 150
"""Lines of signatures and docstrings on a page of the API: about five screens."""


def _as_rst(
    app: object, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Mark the code in a docstring, before napoleon reads its sections."""
    lines[:] = [*_code("\n".join(lines)).split("\n"), ""]


def _code(text: str) -> str:
    """Return text with single backticks as double ones, and stars that are no markup escaped."""
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


def _plain(
    app: object, what: str, name: str, thing: object, options: object, given: str, returned: str
) -> tuple[str | None, str | None]:
    """Write aliases of types by their names."""

    def named(text: str | None) -> str | None:
        return text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)

    return named(given), named(returned)


def _pages(app: object, config: object) -> None:
    """Write the pages of the API: a table for each public module, and pages for each class and each
    group of functions.
    """
    names = _public((HOME / "docs" / "public.md").read_text(encoding="utf-8"))
    folder = HOME / "docs" / "api"
    folder.mkdir(exist_ok=True)
    written: dict[str, str] = {}
    known: set[int] = set()
    with mock(autodoc_mock_imports):
        for name in names:
            written |= _module(importlib.import_module(name), known)
    for old in folder.glob("*.rst"):
        if old.stem not in written:
            old.unlink()
    for stem, text in written.items():
        path = folder / f"{stem}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _public(page: str) -> list[str]:
    """Return the modules that the first column of a table names."""
    column = re.findall(r"^\| (`fieldcraft[^|]*)\|", page, re.MULTILINE)
    found = dict.fromkeys(re.findall(r"`(fieldcraft[\w.]*)`", " ".join(column)))
    return [name for name in found if name != "fieldcraft_worlds"]


def _module(module: ModuleType, known: set[int]) -> dict[str, str]:
    """Return the pages of a module by their names; things in `known` have theirs already."""
    name = module.__name__
    public = {each: getattr(module, each) for each in sorted(public_names(module))}
    classes = {each: thing for each, thing in public.items() if inspect.isclass(thing)}
    calls = {
        each: thing
        for each, thing in public.items()
        if inspect.isroutine(thing) and each not in classes
    }
    errors = {each for each in classes if issubclass(classes[each], BaseException)}
    groups: dict[str, list[str]] = {}
    for each, thing in calls.items():
        parts = thing.__module__.removeprefix(f"{name.split('.')[0]}.").split(".")
        groups.setdefault(parts[0] if name == "fieldcraft" else "", []).append(each)
    pages: dict[str, str] = {}
    listed = [
        *_table("Classes", name, {each: classes[each] for each in classes if each not in errors}),
        *_table("Functions", name, calls),
        *_table("Errors", name, {each: classes[each] for each in sorted(errors)}),
    ]
    for each in classes:
        if each not in errors and id(classes[each]) not in known:
            pages |= _class(name, each, classes[each])
    for group, members in groups.items():
        new = [each for each in members if id(calls[each]) not in known]
        items = [(f".. autofunction:: {each}", _length(calls[each]), each) for each in new]
        title = f"{name}: functions of {group}" if group else f"{name}: functions"
        pages |= _filled(name, f"{name}.{group or 'functions'}-functions", title, items)
    if errors:
        items = [
            (f".. autoclass:: {each}", _length(classes[each]), each) for each in sorted(errors)
        ]
        pages |= _filled(name, f"{name}-all-errors", f"{name}: errors", items)
    known |= {id(thing) for thing in (*classes.values(), *calls.values())}
    about = _code((inspect.getdoc(module) or "").split("\n\n")[0])
    text = [*_head(name, name), about, "", *listed, *_toctree(pages)]
    return pages | {name: "\n".join(text)}


def _class(module: str, name: str, kind: type) -> dict[str, str]:
    """Return the pages of a class: its docstring, a table of its members, and each of them."""
    members = {
        each: value
        for each, value in sorted(vars(kind).items())
        if not each.startswith("_")
        and (inspect.isroutine(value) or isinstance(value, (property, classmethod, staticmethod)))
        and (getattr(value, "__doc__", None) or "")
    }
    items = [(f".. autoclass:: {name}", _length(kind), name)]
    for each, value in members.items():
        attribute = isinstance(value, property) or not callable(getattr(kind, each))
        directive = "autoattribute" if attribute else "automethod"
        items.append((f".. {directive}:: {name}.{each}", _length(value), f"{name}.{each}"))
    table = _table("Members", module, members, prefix=f"{name}.") if len(members) > 1 else []
    return _filled(module, f"{module}.{name}-class", name, items, table)


def _filled(
    module: str, stem: str, title: str, items: list[tuple[str, int, str]], table: Sequence[str] = ()
) -> dict[str, str]:
    """Return pages with items, as many as fit on each; the first has the table."""
    room = LINES - len(table) // 3
    pages: list[list[str]] = [[]]
    for directive, length, _ in items:
        if length > room and pages[-1]:
            pages.append([])
            room = LINES
        room -= length
        pages[-1].append(f"{directive}\n")
    made = {}
    for number, directives in enumerate(pages if items else []):
        head = _head(f"{title}, page {number + 1}" if number else title, module)
        body = directives if number else [*table, *directives]
        made[f"{stem}-{number + 1}" if number else stem] = "\n".join([*head, *body])
    return made


def _head(title: str, module: str) -> list[str]:
    return [title, "=" * len(title), "", f".. currentmodule:: {module}", ""]


def _table(title: str, module: str, things: dict[str, object], prefix: str = "") -> list[str]:
    """Return a table of names with the first sentence of each docstring."""
    if not things:
        return []
    rows = [f".. rubric:: {title}", "", ".. list-table::", "   :widths: 30 70", ""]
    for each, thing in things.items():
        about = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
        ends = [each.start() for each in re.finditer(r"[.:;] |$", about)]
        sentence = about[: next(end for end in ends if about[:end].count("`") % 2 == 0)]
        rows += [
            f"   * - :py:obj:`{each} <{module}.{prefix}{each}>`",
            f"     - {_code(sentence).rstrip('.')}",
        ]
    return [*rows, ""]


def _toctree(pages: dict[str, str]) -> list[str]:
    return [".. toctree::", "   :hidden:", "", *(f"   {stem}" for stem in pages), ""]


def _length(thing: object) -> int:
    """Return about how many lines a thing takes on a page."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    return 3 + sum(1 + len(line) // 90 for line in lines)


_LIVE = """```{raw} html
<iframe class="live" src="live/index.html" title="A map to paint on: drag sources, paint walls"
 loading="lazy"></iframe>
```
"""


def _home(text: str) -> str:
    """Return the first page with what code hosts cannot show: the live map in place of its picture,
    three cards side by side, and the groups of pages in the navigation.
    """
    text, count = re.subn(r"^!\[.*\]\(images/live\.png\)$", lambda _: _LIVE, text, flags=re.M)
    if count != 1:
        raise ValueError("index.md has one picture of the live map")
    for mark, html in (("doors", '<div class="doors">'), ("end of doors", "</div>")):
        text = text.replace(f"<!-- {mark} -->", f"```{{raw}} html\n{html}\n```")
    for group in re.findall(r"^## (.+)\n\n(?=- \[)", text, flags=re.M):
        begin = text.index(f"## {group}\n")
        end = text.find("\n## ", begin)
        part = text[begin : end if end > 0 else len(text)]
        pages = "\n".join(re.findall(r"^- \[.*\]\((\S+)\.md\)$", part, flags=re.M))
        tree = f"```{{toctree}}\n:caption: {group}\n:hidden:\n:maxdepth: 1\n\n{pages}\n```\n"
        text = text.replace(part, f"{part.rstrip()}\n\n{tree}\n")
    return text


def _listed(app: object, name: str, source: list[str]) -> None:
    """Add index entries to guides, and links to decisions and pages of the API."""
    if name == "index":
        source[0] = _home(source[0])
    for heading, terms in TERMS.get(name, {}).items():
        entries = "".join(f"```{{index}} ! single: {term}\n```\n\n" for term in terms)
        marked = f"{entries}## {heading}\n"
        if f"\n## {heading}\n" not in source[0]:
            raise ValueError(f"{name}.md has no heading {heading!r}")
        source[0] = source[0].replace(f"## {heading}\n", marked, 1)
    if name == "decisions/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"
    if name == "public":
        tree = "\n".join(f"api/{each}" for each in _public(source[0]))
        source[0] += f"\n```{{toctree}}\n:caption: Modules\n:maxdepth: 1\n\n{tree}\n```\n"


def setup(app) -> None:  # type: ignore[no-untyped-def]
    """Called by Sphinx."""
    app.connect("config-inited", _pages)
    app.connect("source-read", _listed)
    app.connect("autodoc-process-docstring", _as_rst, priority=400)
    app.connect("autodoc-process-signature", _plain)
