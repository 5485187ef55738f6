"""The command `bundle`: a program in one zip with fieldcraft and its compiled kernels."""

from __future__ import annotations

import argparse
import contextlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import native

_PACKAGE = Path(__file__).resolve().parents[1]
# The time of every file in a zip, so that the same files make the same zip.
_MOMENT = (2020, 1, 1, 0, 0, 0)


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
    faults = [fault for fault in map(native.fault, libraries) if fault]
    if not libraries:
        faults.append("there is none")
    if faults:
        raise InvalidValue(
            "The native library in a zip was built from these kernels",
            got=f"{place}: {', '.join(faults)}",
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
    """Yield the files of a folder that belong into a zip: no hidden ones and no caches."""
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
    target = chosen.out or Path(chosen.folder.resolve().name + ".zip")
    made = bundle(chosen.folder, target, chosen.kernels)
    print(
        f"{made.path}: {made.files} files, {made.size / 1e6:.1f} MB, with"
        f" {' and '.join(made.kernels)}"
    )
