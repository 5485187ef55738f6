"""Recorded data of experiments: its folder and its digests."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from fieldcraft.base.errors import InvalidValue
from fieldcraft.commands.recipe import DATA, data_beside
from research.shared.study import Options

DATA_OPTIONS: Options = {
    "--data": {
        "type": Path,
        "metavar": "DIR",
        "help": f"the folder of recorded data (default: the environment variable {DATA}, or a"
        " folder shared/data here or above)",
    }
}


def data_folder(given: str | os.PathLike[str] | None) -> Path:
    """Return the folder of recorded data: the argument, the environment variable, or `shared/data`
    here or above.

    Raises
    ------
    InvalidValue
        If there is none.
    """
    if given is not None:
        return Path(given)
    if os.environ.get(DATA):
        return Path(os.environ[DATA])
    found = data_beside(Path.cwd() / "here")
    if found is None:
        raise InvalidValue(
            "This experiment reads recorded data",
            got="no folder of it",
            remedy=f"Pass --data DIR, or set the environment variable {DATA}",
        )
    return found


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of a folder's .txt files."""
    digest = hashlib.sha256()
    for file in sorted(path.glob("*.txt")) if path.is_dir() else [path]:
        try:
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
        except OSError as error:
            raise InvalidValue(
                "A recording can be read", got=f"{file}: {error.strerror}", remedy="Check the path"
            ) from None
    return digest.hexdigest()
