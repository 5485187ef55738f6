"""The recipes that come with the library, and the command `demo`, which runs one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

SHIPPED = Path(__file__).resolve().parent / "recipes"
"""The folder of the recipes."""


def recipe_path(path: Path) -> Path:
    """Return the path of a recipe: a file, or the name of a recipe in the package."""
    shipped = SHIPPED / f"{path.stem}.toml"
    is_name = path == Path(path.stem)
    if is_name and not path.exists() and shipped.exists():
        return shipped
    return path


def add_demo(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    run: Callable[[argparse.Namespace], None],
) -> None:
    """Add the command `fieldcraft demo`, which `run` runs."""
    names = ", ".join(sorted(path.stem for path in SHIPPED.glob("*.toml")))
    demo = commands.add_parser(
        "demo",
        help="run the first of the recipes that come with fieldcraft",
        description=f"Runs the recipe `demo`. `fieldcraft run NAME` runs others: {names}.",
    )
    demo.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="default: out")
    demo.add_argument("--quiet", action="store_true", help="print nothing but errors")
    demo.set_defaults(act=run, recipe=SHIPPED / "demo.toml", set=[], data=None)
