"""Output files that take their places together."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.files import reason_of


class Staging:
    """A temporary folder beside the final one for files that are being written; leaving it without
    `commit` leaves no trace.
    """

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder = folder
        self.names = names

    def __enter__(self) -> Staging:
        self._made = [
            parent for parent in (self.folder, *self.folder.parents) if not parent.exists()
        ]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._parts = tempfile.TemporaryDirectory(prefix=".fieldcraft-", dir=self.folder)
        except (OSError, ValueError) as error:
            raise InvalidValue(
                "The output folder can be written",
                got=f"{self.folder}: {reason_of(error)}",
                remedy="Choose another with --out",
            ) from None
        self._committed = False
        return self

    def __exit__(self, *reason: object) -> None:
        self._parts.cleanup()
        if not self._committed:
            for parent in self._made:
                with contextlib.suppress(OSError):
                    parent.rmdir()

    def part(self, name: str) -> Path:
        """Return where to write the file `name` for now."""
        file = Path(self._parts.name) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def commit(self) -> tuple[Path, ...]:
        """Move all files into place and return where they are."""
        self._committed = True
        placed = []
        for name in self.names:
            file = self.folder / name
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                self.part(name).replace(file)
            except (OSError, ValueError) as error:
                raise InvalidValue(
                    "An output takes the place of a file",
                    got=f"{file}: {reason_of(error)}",
                    remedy="Rename it, or choose another folder",
                ) from None
            placed.append(file)
        return tuple(placed)
