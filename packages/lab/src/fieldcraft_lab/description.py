"""The description of a world for a page, and the page itself."""

from __future__ import annotations

import base64
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.view.palettes import TEAM_COLORS, diverging, sequential, tinted
from fieldcraft_lab.live import Live
from fieldcraft_lab.live_recipe import LiveRecipe


def described(live: Live, shape: dict[str, Any], initial: dict[str, Any]) -> dict[str, Any]:
    """Return everything about a world that does not change while it runs; `initial` are the
    settings of its layers at the beginning.
    """
    own = {name: f"of {name}" for name in live.tables()}
    teams = live.teams()
    team_colors = tuple(color for _, color in teams)
    return {
        "title": live.title,
        "kind": live.kind,
        "shape": shape,
        "step": live.step_seconds,
        "end": live.end,
        "maps": list(live.maps),
        "layers": live.layers(),
        "initial": initial,
        "tables": _tables(team_colors)
        | {own[name]: _encoded(table) for name, table in live.tables().items()},
        "own": own,
        "colors": list(dict.fromkeys([*team_colors, *TEAM_COLORS])),
        "teams": teams,
        "limits": live.limits(),
        "actions": live.actions,
        "recipe": live.recipe.path.name if isinstance(live, LiveRecipe) else None,
    }


def edit_of(moment: int, orders: tuple[Any, ...]) -> dict[str, Any]:
    """Return an edit as the page lists it: its last order, without the path of a brush."""
    last = orders[-1]
    values = {key: value for key, value in vars(last).items() if key != "stroke"}
    return {"moment": moment, "do": type(last).__name__.lower(), **values}


@cache
def _tables(more: tuple[str, ...]) -> dict[str, str]:
    """Return the color tables of every page, and those of more colors, 3 bytes a row, as base64."""
    tables = {
        "sequential": sequential(),
        "diverging": diverging(),
        **{color: tinted(color) for color in (*TEAM_COLORS, *more)},
    }
    return {name: _encoded(table) for name, table in tables.items()}


def _encoded(table: NDArray[np.uint8]) -> str:
    return base64.b64encode(table.tobytes()).decode()


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
