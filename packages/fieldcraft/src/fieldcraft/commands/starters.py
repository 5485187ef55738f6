"""The command `new`: starters to copy."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import shutil
from pathlib import Path
from typing import NamedTuple

from fieldcraft.base import checks, install
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.files import reason_of

_TEMPLATES = Path(__file__).resolve().parent / "templates"


def _from(extras: str) -> str:
    """Return what pip installs for extras of the library, quoted for a shell."""
    return f'"{install.requirement(extras)}"'


class Starter(NamedTuple):
    """A kind of starter."""

    about: str
    run: str
    """The command that runs it."""
    module: str
    """The module that it needs."""
    packages: str
    """What pip installs for it."""


STARTERS = {
    "pygame": Starter("a game in a window", "python main.py", "pygame", _from("view")),
    "roguelike": Starter("a dungeon on tcod", "python main.py", "tcod", _from("roguelike,view")),
    "sc2": Starter("a StarCraft II bot", "python rehearse.py", "sc2", _from("sc2,view")),
    "mesa": Starter("an agent simulation", "python main.py", "mesa", _from("solara,view")),
    "gym": Starter(
        "an environment to learn in",
        "python main.py",
        "gymnasium",
        f"{_from('view')} gymnasium",
    ),
    "notebook": Starter(
        "a Jupyter notebook",
        "jupyter lab main.ipynb",
        "jupyterlab",
        f"{_from('view')} jupyterlab",
    ),
}
"""The starters by the names of their kinds."""


def create(kind: str, folder: Path) -> list[Path]:
    """Copy a starter into a folder, and return the files that were written.

    Raises
    ------
    InvalidValue
        If the folder exists and is not empty, or cannot be written. Nothing is left there then.
    """
    source = _TEMPLATES / checks.choice("kind", kind, tuple(STARTERS))
    files = sorted(path for path in source.iterdir() if path.suffix in (".py", ".ipynb"))
    made: list[Path] = []
    try:
        _refuse_occupied(folder)
        for parent in reversed((folder, *folder.parents)):
            if not parent.exists():
                parent.mkdir()
                made.append(parent)
        for path in files:
            target = folder / path.name
            made.append(target)
            shutil.copyfile(path, target)
    except BaseException as error:
        for each in reversed(made):
            with contextlib.suppress(OSError):
                if each.is_dir():
                    each.rmdir()
                else:
                    each.unlink()
        if isinstance(error, OSError) or "\0" in str(folder):
            raise InvalidValue(
                "A starter goes into a folder that can be written",
                got=f"{str(folder)!r}: {reason_of(error)}",
                remedy="Choose another name",
            ) from error
        raise
    return [folder / path.name for path in files]


def _refuse_occupied(folder: Path) -> None:
    """Raise `InvalidValue` for a folder that exists and is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidValue(
            "A starter goes into a new folder",
            got=f"{folder}, which exists",
            remedy="Choose another name",
        )


def add_new(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `fieldcraft new`."""
    kinds = "\n".join(f"  {kind:<10} {starter.about}" for kind, starter in STARTERS.items())
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
    starter = STARTERS[chosen.kind]
    for file in files:
        print(f"wrote {file}")
    if importlib.util.find_spec(starter.module) is None:
        print(f"\nIt needs {starter.module}{install.WHERE}:\n  pip install {starter.packages}")
    print(f"\nRun it:\n  cd {chosen.name}\n  {starter.run}")
