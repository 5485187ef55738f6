"""The commands `bundle`, `new` and `demo`: a program in one zip with fieldcraft and its compiled
kernels, starters to copy, and the recipes that come with the library.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldcraft.base import checks, install
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import native

_HERE = Path(__file__).resolve().parent
_PACKAGE = _HERE.parent
_MOMENT = (2020, 1, 1, 0, 0, 0)  # of every file, so that the same files make the same zip


@dataclass(frozen=True)
class Bundle:
    """A zip that `bundle` wrote: its `path`, the number of `files` in it, its `size` in bytes, and
    the names of its compiled `kernels`.
    """

    path: Path
    files: int
    size: int
    kernels: tuple[str, ...]


def bundle(folder: Path, target: Path, kernels: Path | None = None) -> Bundle:
    """Pack a program's folder and fieldcraft beside it into a zip that runs where NumPy and SciPy
    are, without Numba.

    Parameters
    ----------
    folder : Path
        The program's folder, at the root of the zip; hidden files, caches and the zip
        itself are left out.
    target : Path
        The zip to write.
    kernels : Path, optional
        The folder of native libraries for the system that the zip is for. Where none is given,
        the kernels of this installation are used.

    Raises
    ------
    InvalidValue
        If there is no such folder, where it holds a fieldcraft of its own, and where no library of
        these kernels lies.
    """
    folder = folder.resolve()
    target = target.resolve()
    if not folder.is_dir():
        raise InvalidValue(
            "A program's folder is packed",
            got=f"folder={str(folder)!r}",
            remedy="Pass its folder",
        )
    if (folder / _PACKAGE.name).exists():
        raise InvalidValue(
            "fieldcraft comes into the zip by itself",
            got=f"{folder / _PACKAGE.name}",
            remedy="Take it out of the folder",
        )
    place = kernels or native.FOLDER
    objects = [path for path in _files(place) if path.stem.startswith("_native_")]
    libraries = [path for path in objects if path.suffix != ".json"]
    reasons = [native.fault(path) for path in libraries] or ["there is none"]
    if any(reasons):
        raise InvalidValue(
            "The native library in a zip was built from these kernels",
            got=f"{place}: {', '.join(filter(None, reasons))}",
            remedy="Run make setup in a clone, or install a wheel",
        )
    files = {path.relative_to(folder).as_posix(): path for path in _files(folder) if path != target}
    for path in _files(_PACKAGE):
        if not path.stem.startswith("_native_"):
            files[f"{_PACKAGE.name}/{path.relative_to(_PACKAGE).as_posix()}"] = path
    files |= {f"{_PACKAGE.name}/kernels/{path.name}": path for path in objects}
    beside = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _write_zip(beside, files)
        beside.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):
            raise InvalidValue(
                "A zip goes to a path that can be written",
                got=f"{target}: {error.strerror}",
                remedy="Choose another path, or free some space",
            ) from error
        raise
    return Bundle(
        target,
        len(files),
        target.stat().st_size,
        tuple(path.name for path in libraries),
    )


def _write_zip(target: Path, files: dict[str, Path]) -> None:
    """Write files by their names in the zip."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, files[name].read_bytes())


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not hidden and path.suffix not in (".pyc", ".nbi", ".nbc"):
            yield path


def add_bundle(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `bundle`."""
    parser = commands.add_parser(
        "bundle",
        help="pack a program and fieldcraft into one zip that needs no Numba",
        description=(
            "Packs a program's folder, fieldcraft and its compiled kernels into one zip, for this"
            " Python and this system."
        ),
        epilog=("Example: fieldcraft bundle my_bot --out my_bot.zip"),
    )
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="the program's folder: the root of the zip",
    )
    parser.add_argument(
        "--kernels",
        type=Path,
        metavar="DIR",
        help="a folder of native libraries, for another system",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the zip (default: the folder's name with .zip)"
    )
    parser.set_defaults(act=_bundle)


def _bundle(chosen: argparse.Namespace) -> None:
    made = bundle(
        chosen.folder, chosen.out or Path(chosen.folder.resolve().name + ".zip"), chosen.kernels
    )
    print(
        f"{made.path}: {made.files} files, {made.size / 1e6:.1f} MB, with"
        f" {' and '.join(made.kernels)}"
    )


_TEMPLATES = _HERE / "templates"


def _from(extras: str) -> str:
    """Return what pip installs for extras of the library, quoted for a shell."""
    return f'"{install.requirement(extras)}"'


STARTERS = {
    "pygame": ("a game in a window", "python main.py", "pygame", _from("view")),
    "roguelike": ("a dungeon on tcod", "python main.py", "tcod", _from("roguelike,view")),
    "sc2": ("a StarCraft II bot", "python rehearse.py", "sc2", _from("sc2,view")),
    "mesa": ("an agent simulation", "python main.py", "mesa", _from("solara,view")),
    "gym": (
        "an environment to learn in",
        "python main.py",
        "gymnasium",
        f"{_from('view')} gymnasium",
    ),
    "notebook": (
        "a Jupyter notebook",
        "jupyter lab main.ipynb",
        "jupyterlab",
        f"{_from('view')} jupyterlab",
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
                got=f"{str(folder)!r}: {getattr(error, 'strerror', None) or error}",
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
        print(f"\nIt needs {module}{install.WHERE}:\n  pip install {packages}")
    print(f"\nRun it:\n  cd {chosen.name}\n  {run}")


SHIPPED = _HERE / "recipes"
"""The folder of the recipes in the package."""


def recipe_path(path: Path) -> Path:
    """Return the path of a recipe: a file, or the name of a recipe in the package."""
    shipped = SHIPPED / f"{path.stem}.toml"
    if not path.exists() and path.name == path.stem and shipped.exists():
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
