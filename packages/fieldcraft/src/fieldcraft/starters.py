"""The command `fieldcraft new`: copies a starter, a small program that runs at once."""

from __future__ import annotations

import argparse
import importlib.util
import shutil
from pathlib import Path

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["STARTERS", "add", "create"]

_TEMPLATES = Path(__file__).resolve().parent / "templates"

STARTERS = {
    "pygame": ("a game in a window", "python main.py", "pygame", "fieldcraft[view]"),
    "roguelike": ("a dungeon on tcod", "python main.py", "tcod", "fieldcraft[roguelike,view]"),
    "sc2": ("a StarCraft II bot", "python rehearse.py", "sc2", "fieldcraft[sc2,view]"),
    "mesa": ("an agent simulation", "python main.py", "mesa", "fieldcraft[solara,view]"),
    "gym": (
        "an environment to learn in",
        "python main.py",
        "gymnasium",
        "fieldcraft[view] gymnasium",
    ),
    "notebook": (
        "a Jupyter notebook",
        "jupyter lab main.ipynb",
        "jupyterlab",
        "fieldcraft[view] jupyterlab",
    ),
}
"""For each kind of starter: what it is, how to run it, the module that it needs, and what pip
installs for it.
"""


def create(kind: str, folder: Path) -> list[Path]:
    """Copy a starter into a folder, and return the files that were written.

    Raises
    ------
    InvalidValue
        If the folder exists and is not empty.
    """
    source = _TEMPLATES / checks.choice("kind", kind, tuple(STARTERS))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidValue(
            "A starter goes into a new folder",
            got=f"{folder}, which exists",
            remedy="Choose another name",
        )
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(path for path in source.iterdir() if path.suffix in (".py", ".ipynb"))
    return [Path(shutil.copyfile(path, folder / path.name)) for path in files]


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `fieldcraft new`."""
    kinds = "\n".join(f"  {kind:<10} {parts[0]}" for kind, parts in STARTERS.items())
    new = commands.add_parser(
        "new",
        help="begin a program of your own: pygame, roguelike, sc2, mesa, gym or notebook",
        description=f"Writes one to three files that run at once. Kinds:\n{kinds}",
        epilog="Example: fieldcraft new pygame mygame",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    new.add_argument("kind", metavar="KIND", help=", ".join(STARTERS))
    new.add_argument("name", type=Path, metavar="NAME", help="the folder to create")
    new.set_defaults(act=_new)


def _new(chosen: argparse.Namespace) -> None:
    files = create(chosen.kind, chosen.name)
    _, run, module, packages = STARTERS[chosen.kind]
    for file in files:
        print(f"wrote {file}")
    if importlib.util.find_spec(module) is None:
        print(f'\nIt needs {module}:\n  pip install "{packages}"')
    print(f"\nRun it:\n  cd {chosen.name}\n  {run}")
