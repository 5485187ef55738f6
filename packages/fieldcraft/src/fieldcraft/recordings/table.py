"""Reading the CSV tables that recorded worlds come in, line by line and within bounds."""

from __future__ import annotations

import csv
import math
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from fieldcraft import checks
from fieldcraft.errors import BadTimeline

MAX_BYTES = 2**27
MAX_LINE = 2**16
MAX_ROWS = 1_000_000
MAX_SECONDS = 1e9
_MAX_STRENGTH = 3.4e38
_MAX_COORDINATE = 1e12


class Table:
    """A CSV file with a header line, read once from top to bottom.

    `columns` are the header's names without surrounding blanks. `rows()` yields the cells of each
    line; meanwhile `line` is its number, and the methods that take a cell's text name that line
    when they refuse it. Use it as a context manager. Everything wrong with the file raises
    `BadTimeline`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = checks.path("path", path)
        self.line = 0
        try:
            status = self.path.stat()
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from None
        if not stat.S_ISREG(status.st_mode):
            raise BadTimeline(
                "A recording is a file", got=str(self.path), remedy="Name a file in it"
            )
        if status.st_size > MAX_BYTES:
            raise BadTimeline(
                f"A recording has at most {MAX_BYTES // 2**20} MiB",
                got=f"{self.path}: {status.st_size / 2**20:.0f} MiB",
                remedy="Cut it into parts",
            )
        try:
            self._file = self.path.open("rb")
        except OSError as error:
            raise self._unreadable(error) from None
        try:
            first = self._next_line()
            if first is None:
                raise BadTimeline(
                    "A recording starts with a header line",
                    got=f"{self.path}: an empty file",
                    remedy="Check how it was written",
                )
            self.columns = [name.strip() for name in self._split(first.removeprefix("\ufeff"))]
            if len(set(self.columns)) != len(self.columns):
                twice = next(name for name in self.columns if self.columns.count(name) > 1)
                raise self.refusal(
                    "The columns of a header have different names",
                    repr(twice),
                    "Rename or drop one of them",
                )
        except BaseException:
            self._file.close()
            raise

    def _unreadable(self, error: OSError | ValueError) -> BadTimeline:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return BadTimeline(
            "A recording is a readable file",
            got=f"{self.path}: {reason}",
            remedy="Check the path and its permissions",
        )

    def __enter__(self) -> Table:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def refusal(self, rule: str, got: str, remedy: str = "") -> BadTimeline:
        """The error for the current line, to be raised."""
        printable = "".join(
            letter if letter.isprintable() else repr(letter)[1:-1] for letter in got[:80]
        )
        shown = printable if len(got) <= 80 else printable[:77] + "..."
        return BadTimeline(rule, got=f"{shown} in line {self.line} of {self.path}", remedy=remedy)

    def require(self, names: Sequence[str], what: str) -> list[int]:
        """The indices of the columns `names`, all of which `what` must have."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise self.refusal(
                f"{what} has the columns {', '.join(names)}",
                f"no {', '.join(missing)}, but {', '.join(self.columns)}",
                "Rename the columns of its first line",
            )
        return [self.columns.index(name) for name in names]

    def rows(self) -> Iterator[list[str]]:
        """The cells of every line that is not blank, as many as there are columns."""
        count = 0
        while (text := self._next_line()) is not None:
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

    def number(self, text: str, name: str) -> float:
        """A cell as a finite float."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in text:
            raise self.refusal(
                f"{name} is a finite number", repr(text), "Write digits, with a point for decimals"
            )
        return value

    def integer(self, text: str, name: str) -> int:
        """A cell as a whole number of at least 0."""
        if not (text.isascii() and text.strip().isdigit() and len(text) <= 18):
            raise self.refusal(
                f"{name} is a whole number of at least 0 with at most 18 digits", repr(text)
            )
        return int(text)

    def seconds(self, text: str) -> float:
        """A cell as a time."""
        value = self.number(text, "seconds")
        if not 0 <= value <= MAX_SECONDS:
            raise self.refusal(
                f"seconds lie in 0 to {MAX_SECONDS:g}", text, "Let the recording start at 0 seconds"
            )
        return value

    def coordinate(self, text: str, name: str) -> float:
        """A cell as a world coordinate."""
        value = self.number(text, name)
        if abs(value) > _MAX_COORDINATE:
            raise self.refusal(
                f"{name} lies within {_MAX_COORDINATE:g} of 0", text, "Check the units"
            )
        return value

    def strength(self, text: str) -> float:
        """A cell as a strength."""
        value = self.number(text, "strength")
        if abs(value) > _MAX_STRENGTH:
            raise self.refusal(
                f"strength lies within {_MAX_STRENGTH:g} of 0", text, "Scale the strengths down"
            )
        return value

    def _next_line(self) -> str | None:
        try:
            raw = self._file.readline(MAX_LINE + 1)
        except OSError as error:
            raise self._unreadable(error) from None
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
        if '"' not in text:
            return text.split(",")
        try:
            return next(csv.reader([text], strict=True))
        except csv.Error as error:
            raise self.refusal(
                "Quotes in a line are closed, and doubled inside a quoted cell",
                str(error),
                "Mend the quotes of that line",
            ) from None
