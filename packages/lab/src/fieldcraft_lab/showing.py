"""The description of a world for a page: its title, its map, its layers with their knobs, where
sources stand.
"""

from __future__ import annotations

import base64
from collections.abc import Container
from functools import cache
from importlib import resources
from typing import Any

from fieldcraft.layer import SourceLayer
from fieldcraft.view.palettes import TEAM_COLORS, diverging, parse_color, sequential, tinted
from fieldcraft_lab.knobs import curve, knobs
from fieldcraft_lab.live import Live, LiveRecipe
from fieldcraft_lab.session import Session

__all__ = [
    "described",
    "knobs_of",
    "listed",
    "page",
    "sources_of",
    "sources_version",
    "state_of",
    "told_edit",
]

_MOST_SOURCES = 2000


def described(session: Session, shape: dict[str, Any]) -> dict[str, Any]:
    """All that does not change while a world runs."""
    live = session.live
    own = {
        name: (f"of {name}", base64.b64encode(table.tobytes()).decode())
        for name, table in getattr(live, "tables", dict)().items()
    }
    imap = getattr(live, "imap", None)
    layers = {} if imap is None else dict(imap.layers)
    return {
        "title": live.title,
        "kind": live.kind,
        "shape": shape,
        "step": live.step_seconds,
        "end": live.end,
        "maps": list(live.maps),
        "layers": {name: _takes(layer) for name, layer in layers.items()},
        "saved": session.beginnings,
        "tables": {**_tables(tuple(color for _, color in _teams(live))), **dict(own.values())},
        "own": {name: told for name, (told, _) in own.items()},
        "colors": list(dict.fromkeys([*(color for _, color in _teams(live)), *TEAM_COLORS])),
        "teams": _teams(live),
        "limits": _limits(live),
        "actions": getattr(live, "actions", []),
        "recipe": str(live.recipe.path.name) if isinstance(live, LiveRecipe) else None,
    }


def state_of(session: Session) -> dict[str, Any]:
    """The knobs and sources of a world."""
    return {"knobs": knobs_of(session), "sources": sources_of(session.live)}


def knobs_of(session: Session) -> dict[str, Any]:
    """The knobs of all layers, and the curves of their falloffs."""
    live: Any = session.live
    own = getattr(live, "knobs", None)
    if own is not None:
        found: dict[str, Any] = own()
        return found
    imap = getattr(live, "imap", None)
    if imap is None:
        return {}
    return {
        name: {
            "knobs": knobs(imap, layer, session.beginnings.get(name)),
            "curve": curve(layer),
        }
        for name, layer in imap.layers.items()
    }


def sources_of(live: Live) -> dict[str, Any]:
    """Where the sources of each layer stand, by id; whether one is moved by something else; or
    marks of another kind.
    """
    own = getattr(live, "marks", None)
    if own is not None:
        found: dict[str, Any] = own()
        return found
    imap = getattr(live, "imap", None)
    told = {}
    for name, layer in {} if imap is None else imap.layers.items():
        if not isinstance(layer, SourceLayer):
            continue
        sources = layer.sources
        keyed = {identity for key in sources.keys if (identity := sources.id_of(key)) is not None}
        told[name] = listed(sources.ids, sources.positions, sources.strengths, keyed)
    return told


def told_edit(moment: int, orders: tuple[Any, ...]) -> dict[str, Any]:
    """An edit as a page lists it: its last order, without the path of a brush."""
    last = orders[-1]
    told = {key: value for key, value in vars(last).items() if key != "stroke"}
    return {"moment": moment, "do": type(last).__name__.lower(), **told}


def sources_version(session: Session) -> tuple[int, ...]:
    """A number for each layer that takes sources, which changes with them."""
    imap = getattr(session.live, "imap", None)
    if imap is None:
        return (session.moment,)
    return tuple(
        layer.sources.version for layer in imap.layers.values() if hasattr(layer, "add_source")
    )


def listed(ids: Any, positions: Any, strengths: Any, keyed: Container[int] = ()) -> dict[str, Any]:
    """The sources of a layer as a page takes them; `keyed` are those that something moves."""
    first = slice(_MOST_SOURCES)
    rows = zip(
        ids[first].tolist(), positions[first, :2].tolist(), strengths[first].tolist(), strict=True
    )
    found = [[identity, *place, strength, identity in keyed] for identity, place, strength in rows]
    return {"sources": found, "all": len(ids)}


def _takes(layer: Any) -> dict[str, Any]:
    """The kinds of things that may be put on a layer."""
    return {
        "sources": isinstance(layer, SourceLayer),
        "deposits": hasattr(layer, "deposit") and not _is_vector(layer),
        "kind": type(layer.propagation).__name__ if layer.propagation is not None else "array",
    }


def _is_vector(layer: Any) -> bool:
    return bool(getattr(layer.propagation, "vector", False))


def _limits(live: Live) -> dict[str, list[float]]:
    """The limits of colors that a recipe says, by map."""
    own = getattr(live, "limits", None)
    found: dict[str, list[float]] = {} if own is None else own()
    if not isinstance(live, LiveRecipe):
        return found
    for output in live.recipe.outputs:
        given = output.look.limits
        for name in output.layers:
            limits = given.get(name) if isinstance(given, dict) else given
            if limits is not None and name not in found:
                found[name] = [float(part) for part in limits]
    return found


def _teams(live: Live) -> list[tuple[str, str]]:
    """The teams of a recipe and their colors."""
    teams = live.recipe.teams if isinstance(live, LiveRecipe) else None
    if teams is None:
        return []
    return [
        (name, "#{:02x}{:02x}{:02x}".format(*parse_color(color)))
        for name, color in zip(teams.names, teams.colors, strict=True)
    ]


@cache
def _tables(more: tuple[str, ...]) -> dict[str, str]:
    """The tables of colors, 3 bytes a row, as base64."""
    tables = {
        "sequential": sequential(),
        "diverging": diverging(),
        **{color: tinted(color) for color in (*TEAM_COLORS, *more)},
    }
    return {name: base64.b64encode(table.tobytes()).decode() for name, table in tables.items()}


@cache
def page() -> bytes:
    """Return the page as one file that needs no other; scripts are joined in the order of their
    names.
    """
    parts = resources.files("fieldcraft_lab") / "page"
    scripts = sorted(
        (part for part in parts.iterdir() if part.name.endswith(".js")), key=lambda part: part.name
    )
    script = "\n".join(part.read_text(encoding="utf-8") for part in scripts)
    text = (parts / "index.html").read_text(encoding="utf-8")
    text = text.replace("/*STYLE*/", (parts / "style.css").read_text(encoding="utf-8"))
    return text.replace("/*SCRIPT*/", f'"use strict";\n(() => {{\n{script}\n}})();\n').encode()
