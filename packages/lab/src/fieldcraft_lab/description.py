"""The description of a world for a page, and the page itself."""

from __future__ import annotations

import base64
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.view.palettes import TEAM_COLORS, diverging, parse_color, sequential, tinted
from fieldcraft_lab.live import Live
from fieldcraft_lab.live_recipe import LiveRecipe
from fieldcraft_lab.pictures import rows_of_kinds


def described(live: Live, shape: dict[str, Any], initial: dict[str, Any]) -> dict[str, Any]:
    """Return everything about a world that does not change while it runs; `initial` are the
    settings of its layers at the beginning.
    """
    kinds = live.kinds()
    own = {name: f"of {name}" for name in (*live.tables(), *kinds)}
    teams = live.teams()
    recipe = None
    if isinstance(live, LiveRecipe):
        recipe = live.recipe.path.name
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
        "tables": {
            page: _tables(team_colors, light)
            | {own[name]: _encoded(table) for name, table in live.tables(light=light).items()}
            | {own[name]: _encoded(_table_of(found)) for name, found in kinds.items()}
            for page, light in (("dark", False), ("light", True))
        },
        "own": own,
        "kinds": kinds,
        "colors": list(dict.fromkeys([*team_colors, *TEAM_COLORS])),
        "teams": teams,
        "limits": live.limits(),
        "actions": live.actions,
        "recipe": recipe,
    }


def edit_of(moment: int, orders: tuple[Any, ...]) -> dict[str, Any]:
    """Return an edit as the page lists it: its last order, without the path of a brush."""
    last = orders[-1]
    values = {key: value for key, value in vars(last).items() if key != "stroke"}
    return {"moment": moment, "do": type(last).__name__.lower(), **values}


@cache
def _tables(more: tuple[str, ...], light: bool) -> dict[str, str]:
    """Return the color tables of every page, and those of more colors, 3 bytes a row, as base64.
    They are those of pictures.
    """
    tables = {
        "sequential": sequential(light=light),
        "diverging": diverging(light=light),
        **{color: tinted(color, light=light) for color in (*TEAM_COLORS, *more)},
    }
    return {name: _encoded(table) for name, table in tables.items()}


def _table_of(kinds: list[tuple[str, str]]) -> NDArray[np.uint8]:
    """Return the table of a map of kinds: as many rows as others, each the color of one kind."""
    colors = np.array([parse_color(color) for _, color in kinds], dtype=np.uint8)
    return colors[rows_of_kinds(len(kinds))]


def _encoded(table: NDArray[np.uint8]) -> str:
    return base64.b64encode(table.tobytes()).decode()


@cache
def page() -> bytes:
    """Return the page as one file that needs no other; scripts are joined in the order of their
    names.
    """
    parts = resources.files("fieldcraft_lab") / "page"
    names = sorted(part.name for part in parts.iterdir() if part.name.endswith(".js"))
    script = "\n".join((parts / name).read_text(encoding="utf-8") for name in names)
    text = (parts / "index.html").read_text(encoding="utf-8")
    text = text.replace("/*STYLE*/", (parts / "style.css").read_text(encoding="utf-8"))
    return text.replace("/*SCRIPT*/", f'"use strict";\n(() => {{\n{script}\n}})();\n').encode()
