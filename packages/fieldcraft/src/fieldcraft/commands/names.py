"""The list of all public names, with one line for each."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from types import ModuleType

from fieldcraft.base.missing_names import missing_in_module

FIRST = (
    "Grid",
    "load_map",
    "InfluenceMap",
    "Spread",
    "Radial",
    "Trail",
    "best",
    "sample",
    "distance_map",
    "shortest_path",
    "visible",
    "view.picture",
)
"""The names to begin with."""

GROUPS = {
    "space": "Maps, and what is seen on them",
    "formats": "Maps from files and from generators",
    "layers": "Layers of influence",
    "values": "Calculations with layers",
    "query": "Questions about layers",
    "paths": "Paths",
    "pursuit": "Search and pursuit",
    "fitting": "Learning from recordings",
    "kernels": "Speed",
    "base": "Errors",
    "commands": "Help",
}
"""The titles of groups of names in `fieldcraft`, by the folder that they are defined in."""

SUBMODULES = (
    "steering",
    "view",
    "maps",
    "query",
    "question",
    "pursuit",
    "pursuit.motion",
    "layer",
    "propagation",
    "compose",
    "recordings",
    "fitting",
    "recipe",
    "settings",
    "errors",
)
"""The submodules, as they are written after `fc.`."""

_CONSTANTS = {
    "view.TEAM_COLORS": "The colors of teams in pictures, the first team first",
    "maps.KINDS": "The kinds of maps that `fc.generate_map` makes",
    "maps.MAZE_ALGORITHMS": "The algorithms by which `fc.generate_map` makes mazes",
    "propagation.PROPAGATIONS": "The kinds of propagation by the names that recipes use",
    "recipe.DATA": "The environment variable with the folder of data that recipes read",
}
"""Public names that are neither classes nor functions, and what each is."""

_PACKAGES = {
    "gpu": "graphics cards: which there are, and one to hold layers and swarms",
    "lab": "a live map in the browser and in notebooks",
}


def names() -> None:
    """Print all public names with one line each: twelve to begin with, the rest of `fieldcraft`,
    and its submodules.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.names()  # doctest: +ELLIPSIS
    To begin with
      fc.Grid           Map of square cells
      fc.load_map       Return a grid or a graph from a map file
      ...
    """
    print("\n\n".join(_section(title, lines) for title, lines in sections()))


def sections() -> list[tuple[str, dict[str, str]]]:
    """Return the titles of all groups, and the names with one line each."""
    library = importlib.import_module("fieldcraft")
    found = [("To begin with", {f"fc.{name}": _about(library, name) for name in FIRST})]
    rest = [name for name in public_names(library) if name not in FIRST]
    modules = {name for name in rest if isinstance(getattr(library, name), ModuleType)}
    for folder, title in GROUPS.items():
        lines = {
            f"fc.{name}": _about(library, name)
            for name in rest
            if name not in modules and _folder(getattr(library, name)) == folder
        }
        found.append((title, lines))
    for name in SUBMODULES:
        module = _submodule(name)
        lines = {
            f"fc.{name}.{each}": _about(library, f"{name}.{each}")
            for each in public_names(module)
            if f"{name}.{each}" not in FIRST
            and getattr(module, each) is not vars(library).get(each)
        }
        found.append((f"fc.{name}: {_line(module)}", lines))
    packages = {f"fc.{name}": f"{about} (packages/{name})" for name, about in _PACKAGES.items()}
    found.append(("Packages beside the library", packages))
    return found


def public_names(module: ModuleType) -> list[str]:
    """Return the public names of a module: those of `fieldcraft`, or the `__all__` of another."""
    if module.__name__ == "fieldcraft":
        return sorted({*module._EAGER, *module._HOMES, "steering", "view"})
    return list(getattr(module, "__all__", []))


def missing(name: str) -> AttributeError:
    """Return the error for a name that `fieldcraft` does not have."""
    library = importlib.import_module("fieldcraft")
    return missing_in_module(name, dir(library), _names_of_submodules())


@functools.cache
def _names_of_submodules() -> dict[str, list[str]]:
    """Return the public names of each submodule."""
    return {name: public_names(_submodule(name)) for name in SUBMODULES}


def _submodule(name: str) -> ModuleType:
    """Return a submodule by its name in `SUBMODULES`."""
    module = _found(importlib.import_module("fieldcraft"), name)
    assert isinstance(module, ModuleType)
    return module


def _found(library: ModuleType, name: str) -> object:
    """Return what has a dotted name."""
    thing: object = library
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def _folder(thing: object) -> str:
    """Return the folder of the library that a thing is defined in."""
    return str(getattr(thing, "__module__", "")).removeprefix("fieldcraft.").split(".")[0]


def _about(library: ModuleType, name: str) -> str:
    """Return one line about what has a dotted name."""
    return _CONSTANTS.get(name) or _line(_found(library, name))


def _line(thing: object) -> str:
    """Return the first sentence of a docstring, without its period."""
    about = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    for match in re.finditer(r"[.:;] |\.$|$", about):
        line = about[: match.start()]
        if line.count("`") % 2 == 0:  # not within a name or an expression
            return line
    return about


def _section(title: str, lines: dict[str, str]) -> str:
    """Return a section as text, with the lines in one column."""
    width = max(map(len, lines)) + 2
    return "\n".join([title, *(f"  {name:<{width}}{line}" for name, line in lines.items())])


def as_page() -> str:
    """Return the list as a page of the documentation."""
    parts = [
        "# All names",
        "At the end of this page you know which name does what you want: twelve to begin with, the"
        " rest of `fieldcraft`,\nand its submodules. `fc.names()` prints the same list.",
    ]
    for title, lines in sections():
        module, _, about = title.partition(": ")
        if about:
            parts += [f"## `{module}`", f"{about}."]
        else:
            parts.append(f"## {title}")
        rows = ["| name | what it is for |", "|---|---|"]
        for name, line in lines.items():
            rows.append(f"| `{name}` | {line} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"
