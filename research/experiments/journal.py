"""The rows of an experiment that is under way, on disk, so that an interrupted one goes on."""

from __future__ import annotations

import hashlib
import json
import secrets
from functools import cache
from pathlib import Path
from typing import TextIO

import numpy as np

from fieldcraft.errors import FieldcraftError, InvalidValue
from research.experiments.study import Job, Row, Study, identity, plain

__all__ = ["Journal", "code_digest"]


class Journal:
    """One line of JSON per finished job, under a line that says what for. Use it as a context
    manager.

    A row is complete or not there: what a kill cut off is dropped when the journal is read. Two
    runs may write side by side, for the same job gives the same row.
    """

    def __init__(self, path: Path, study: Study, *, fresh: bool = False) -> None:
        self.path = path
        self._names = list(study.jobs[0])
        self._head = {
            "study": study.name,
            "code": code_digest(),
            "numpy": np.__version__,
            "settings": dict(study.settings),
            "arguments": self._names,
        }
        self._fresh = fresh
        self.rows: dict[str, Row] = {}
        self._file: TextIO | None = None

    def __enter__(self) -> Journal:
        if not self._fresh and self.path.exists():
            self.rows = self._read()
        part = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.part")
        try:
            with part.open("w", encoding="utf-8") as file:
                file.writelines(
                    json.dumps(each) + "\n" for each in (self._head, *self.rows.values())
                )
            part.replace(self.path)
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            part.unlink(missing_ok=True)
            raise InvalidValue(
                "The output folder can be written",
                got=f"{self.path.parent}: {error.strerror or error}",
                remedy="Choose another with --out",
            ) from None
        return self

    def __exit__(self, *reason: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def row(self, job: Job) -> Row | None:
        """The row of a job that is done."""
        return self.rows.get(identity(job))

    def add(self, row: Row) -> None:
        """Keep a row."""
        assert self._file is not None
        self.rows[self._key(row)] = row
        self._file.write(json.dumps(dict(row)) + "\n")
        self._file.flush()

    def reread(self) -> None:
        """Close the file and take the rows from it: Ctrl-C may have come between keeping one and
        writing it.
        """
        self.__exit__()
        self.rows = self._read() if self.path.exists() else {}

    def discard(self) -> None:
        """All is done: the file goes."""
        self.__exit__()
        self.path.unlink(missing_ok=True)

    def _key(self, row: Row) -> str:
        return identity({name: row[name] for name in self._names})

    def _read(self) -> dict[str, Row]:
        try:
            first, *lines = self.path.read_text(
                encoding="utf-8", errors="replace"
            ).splitlines() or [""]
        except OSError as error:
            raise InvalidValue(
                "An unfinished run can be read",
                got=f"{self.path}: {error.strerror or error}",
                remedy="Remove it, or pass --fresh",
            ) from None
        head = _parsed(first)
        if head != self._head:
            differs = (
                "damaged"
                if not isinstance(head, dict)
                else ", ".join(key for key in self._head if head.get(key) != self._head[key])
            )
            raise InvalidValue(
                "An unfinished run goes on with the code and the settings that it began with",
                got=f"{self.path}, which differs in: {differs}",
                remedy="Pass --fresh to begin anew, or another --out",
            )
        rows: dict[str, Row] = {}
        for line in lines:
            row = _parsed(line)
            if isinstance(row, dict) and list(row)[: len(self._names)] == self._names:
                try:
                    rows[self._key(row)] = plain(row, "A row")
                except FieldcraftError:
                    continue
        return rows


def _parsed(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


@cache
def code_digest() -> str:
    """Twelve letters that change whenever a line of fieldcraft or of its worlds does."""
    import fieldcraft
    import fieldcraft_worlds

    digest = hashlib.sha256()
    for home in (Path(str(package.__file__)).parent for package in (fieldcraft, fieldcraft_worlds)):
        for path in sorted(home.rglob("*.py"), key=lambda path: path.relative_to(home).as_posix()):
            digest.update(
                path.relative_to(home.parent).as_posix().encode()
                + b"\0"
                + path.read_bytes()
                + b"\0"
            )
    return digest.hexdigest()[:12]
