"""CSV tables of recorded worlds, read line by line and within limits."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from fieldcraft.base import checks
from fieldcraft.base.errors import BadTimeline
from fieldcraft.base.files import read_bytes

MAX_BYTES = 2**27
MAX_LINE = 2**16
MAX_ROWS = 1_000_000
MAX_SECONDS = 1e9
_MAX_STRENGTH = 3.4e38
MAX_COORDINATE = 1e12


class Table:
    """A CSV file with a header line, read once from top to bottom.

    `columns` are the names of the header without surrounding blanks. `line` is the number of the
    line that `rows` yielded last; the methods that convert the text of a cell name it in errors.
    All problems of the file raise `BadTimeline`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = checks.path("path", path)
        self.line = 0
        raw = read_bytes(self.path, MAX_BYTES, "A recording", BadTimeline, "Cut it into parts")
        self._file = io.BytesIO(raw)
        first = self._next_line()
        if first is None:
            raise BadTimeline(
                "A recording starts with a header line",
                got=f"{self.path}: an empty file",
                remedy="Check how it was written",
            )
        self.columns = [name.strip() for name in self._split(first.removeprefix("\ufeff"))]
        if len(set(self.columns)) != len(self.columns):
            raise self.refusal(
                "The columns of a header have different names",
                repr(max(self.columns, key=self.columns.count)),
                "Rename or drop one of them",
            )

    def refusal(self, rule: str, got: str, remedy: str = "") -> BadTimeline:
        """Return the error for the current line."""
        printable = "".join(
            letter if letter.isprintable() else repr(letter)[1:-1] for letter in got[:80]
        )
        if len(got) <= 80:
            shown = printable
        else:
            shown = printable[:77] + "..."
        return BadTimeline(rule, got=f"{shown} in line {self.line} of {self.path}", remedy=remedy)

    def require(self, names: Sequence[str], what: str) -> list[int]:
        """Return the indices of columns; `what` names the file in the error for missing ones."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise self.refusal(
                f"{what} has the columns {', '.join(names)}",
                f"no {', '.join(missing)}, but {', '.join(self.columns)}",
                "Rename the columns of its first line",
            )
        return [self.columns.index(name) for name in names]

    def find(self, name: str) -> int | None:
        """Return the index of a column; None if the file does not have it."""
        if name in self.columns:
            return self.columns.index(name)
        return None

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of each line that is not blank, one per column."""
        count = 0
        while True:
            text = self._next_line()
            if text is None:
                return
            if not text or text.isspace():
                continue
            cells = self._split(text)
            if len(cells) != len(self.columns):
                raise self.refusal(
                    f"A line has as many cells as the header, {len(self.columns)}",
                    f"{len(cells)} cells",
                    "Complete or remove the line; if it is the last one, the file was cut off",
                )
            count += 1
            if count > MAX_ROWS:
                raise self.refusal(
                    f"A recording has at most {MAX_ROWS:,} rows",
                    f"row {count:,}",
                    "Cut it into parts, or keep every n-th sample",
                )
            yield cells

    def number(self, text: str, name: str, low: float, high: float) -> float:
        """Return a cell as a float from `low` to `high`."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in text:
            raise self.refusal(
                f"{name} is a finite number", repr(text), "Write digits, with a point for decimals"
            )
        if not low <= value <= high:
            raise self.refusal(f"{name} is from {low:g} to {high:g}", text, "Check the units")
        return value

    def integer(self, text: str, name: str) -> int:
        """Return a cell as a whole number of at least 0."""
        if not (text.isascii() and text.strip().isdigit() and len(text) <= 18):
            raise self.refusal(
                f"{name} is a whole number of at least 0 with at most 18 digits", repr(text)
            )
        return int(text)

    def seconds(self, text: str) -> float:
        """Return a cell as a time."""
        return self.number(text, "seconds", 0.0, MAX_SECONDS)

    def coordinate(self, text: str, name: str) -> float:
        """Return a cell as a world coordinate."""
        return self.number(text, name, -MAX_COORDINATE, MAX_COORDINATE)

    def strength(self, text: str) -> float:
        """Return a cell as a strength."""
        return self.number(text, "strength", -_MAX_STRENGTH, _MAX_STRENGTH)

    def _next_line(self) -> str | None:
        """Return the next line without its end; None at the end of the file."""
        raw = self._file.readline(MAX_LINE + 1)
        if not raw:
            return None
        self.line += 1
        if len(raw) > MAX_LINE:
            raise self.refusal(
                f"A line has at most {MAX_LINE:,} bytes",
                "a longer one",
                "Check that this is a CSV file with line breaks",
            )
        try:
            return raw.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise self.refusal(
                "A recording is UTF-8 text",
                f"byte 0x{raw[error.start]:02x} at column {error.start + 1}",
                "Check that this is a CSV file",
            ) from None

    def _split(self, text: str) -> list[str]:
        """Return the cells of a line."""
        if '"' not in text:
            return text.split(",")
        try:
            return next(csv.reader([text], strict=True))
        except csv.Error as error:
            raise self.refusal(
                "Quotes in a line are closed, and doubled inside a quoted cell",
                str(error),
                "Correct the quotes of that line",
            ) from None
