"""TOML files as text and tables, with the problems found in them and their lines."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import BadSettings
from fieldcraft.base.files import reason_of
from fieldcraft.base.spelling import most_similar

MAX_BYTES = 2**18

MOST_PARTS = 40
"""The most names of a key that are joined by dots, and the most levels of arrays and tables. The
parser takes time and memory with the square of both.
"""

_LONGEST_WORD = 1000  # letters of a name or number: fewer digits than Python prints
_MOST_OVERRIDES = 1000
_MOST_PROBLEMS = 100

Keys = tuple[str | int, ...]
"""The place of a value in a file: names of tables and keys, and indices into arrays."""

_PLACE = re.compile(r"\(at line (\d+), column \d+\)$")
_HEADER = re.compile(r"""\s*\[{1,2}((?:[^]["']|"[^"]*"|'[^']*')+)\]{1,2}\s*(?:#.*)?$""")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_TOKEN = re.compile(
    r"""
    (?P<text>
        \"{3} [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* (?: \"{3} | \Z )
        | '{3} [^']* (?: '(?!'') [^']* )* (?: '{3} | \Z )
        | " (?: [^"\\\n] | \\[^\n] )* "?
        | ' [^'\n]* '?
    )
    | (?P<word> [\w-]+ )
    | (?P<space> [ \t]+ )
    | (?P<comment> \#[^\n]* )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_NAME = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


class SettingsFile:
    """A TOML file as text and as tables, and the problems found in it so far.

    Parameters
    ----------
    path : Path or None
        The file; None for no file.
    overrides : iterable of str
        Texts such as "layers.threat.decay=0.5" that replace values of the file.
    text : str, optional
        Read in place of the file.
    open_ended : bool
        Whether an override may name tables that the file does not have.
    error : type
        What is raised for problems, a kind of `BadSettings`.
    """

    def __init__(
        self,
        path: Path | None,
        overrides: Iterable[str] = (),
        *,
        text: str | None = None,
        open_ended: bool = False,
        error: type[BadSettings] = BadSettings,
    ) -> None:
        self._error = error
        self.path = path
        self._found: dict[tuple[int, str], None] = {}
        self._set: dict[Keys, str] = {}
        self._lines: dict[Keys, int] | None = None
        if text is not None:
            self.text = text
        elif path is not None:
            self.text = self._read(path)
        else:
            self.text = ""
        self._refuse_large()
        self.table: dict[str, Any] = self._parsed()
        for number, override in enumerate(overrides):
            if number == _MOST_OVERRIDES:
                self._refuse(f"--set is passed at most {_MOST_OVERRIDES:,} times. Use a file.")
            problem = self._override(override, open_ended)
            if problem:
                self._found[0, problem] = None
        self.raise_all()

    def value(self, keys: Keys) -> Any:
        """The value at `keys`; None if there is none."""
        place: Any = self.table
        for key in keys:
            try:
                place = place[key]
            except (KeyError, IndexError, TypeError):
                return None
        return place

    def line(self, keys: Keys) -> int:
        """The line of a key, or of the table around it; exact for keys that begin a line."""
        if self._lines is None:
            self._lines = {}
            for place, number in _lines_of(self):
                self._lines.setdefault(place, number)
        for depth in range(len(keys), 0, -1):
            if keys[:depth] in self._lines:
                return self._lines[keys[:depth]]
        return 1

    def report(self, keys: Keys, problem: str) -> None:
        """Add a problem with the value at `keys`."""
        outer = (keys[:depth] for depth in range(len(keys), 0, -1))
        override = next((self._set[place] for place in outer if place in self._set), "")
        line = 0
        if override:
            problem = f"--set {override}: {problem}"
        elif self.text:
            line = self.line(keys)
            problem = f"line {line}: {problem}"
        self._found[line, problem] = None

    def report_in(self, table: Keys, key: str, problem: str) -> None:
        """Add a problem with the value of a key of a table, or with the whole table for ""."""
        place = table
        if key:
            place = (*table, key)
        self.report(place, f"{dotted(table)}: {problem}")

    def report_error(self, keys: Keys, error: Exception) -> None:
        """Add what a check or a call refused."""
        text = str(error).replace("\n", "\n    ")
        if len(keys) > 1:
            text = f"{dotted(keys[:-1])}: {text}"
        self.report(keys, text)

    def raise_all(self) -> None:
        """Raise the error with all problems in the order of their lines, if there are any."""
        found = sorted(self._found, key=lambda found: found[0])
        self._found = {}
        if found:
            problems = [text for _, text in found[:_MOST_PROBLEMS]]
            more = len(found) - len(problems)
            if more:
                problems.append(f"{more:,} more problems")
            self._refuse(*problems)

    def _refuse(self, *problems: str) -> None:
        name = "settings"
        if self.path is not None:
            name = str(self.path)
        raise self._error(name, list(problems))

    def _read(self, path: Path) -> str:
        raw = b""
        text = ""
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
                self._refuse(f"A settings file has at most {MAX_BYTES // 1024} KiB. Name another.")
            raw = path.read_bytes()
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            self._refuse(
                f"line {line}: A settings file is UTF-8 text. Got byte 0x{raw[error.start]:02x}."
                " Check that this is a TOML file."
            )
        except (OSError, ValueError) as error:
            self._refuse(f"The file cannot be read: {reason_of(error)}. Check the path.")
        return text

    def _refuse_large(self) -> None:
        """Refuse a text that the parser would take too much time or memory for."""
        if len(self.text) > MAX_BYTES:
            self._refuse(
                f"Settings have at most {MAX_BYTES:,} letters. Got {len(self.text):,}. Cut them."
            )
        problem, line = structure_problem(self.text)
        if problem:
            self._refuse(f"line {line}: {problem}")

    def _parsed(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except (ValueError, RecursionError) as error:
            problem = str(error)
            line = str(self.text.count("\n") + 1)
            place = _PLACE.search(problem)
            if place:
                line = place[1]
            if isinstance(error, RecursionError):
                self._refuse("Arrays or tables are nested too deeply. Correct the TOML there.")
            self._refuse(f"line {line}: {problem}. Correct the TOML there.")
        return {}

    def _override(self, text: str, open_ended: bool) -> str:
        """Apply one "key=value"; returns the problem with it, if any."""
        name, equals, value = text.partition("=")
        if name.count(".") >= MOST_PARTS:
            return f"--set takes keys of at most {MOST_PARTS} parts. Got {text[:40]!r}. Cut it."
        parts = [part.strip() for part in name.split(".")]
        if not equals or not all(parts):
            return (
                f"--set takes KEY=VALUE. Got {text!r}. Write for example layers.threat.decay=0.5."
            )
        place: Any = self.table
        keys: Keys = ()
        for depth, part in enumerate(parts, start=1):
            key: str | int = part
            if isinstance(place, list):
                found = _index(place, part)
                if found is None:
                    names = [str(item["name"]) for item in place if "name" in item]
                    if names:
                        listed = f" or a name: {', '.join(names)}"
                    else:
                        listed = ""
                    return (
                        f"--set {text}: {dotted(keys)} has {len(place)} items. Got {part!r}. Pass"
                        f" an index below that{listed}."
                    )
                key = found
            elif not isinstance(place, dict):
                return f"--set {text}: {dotted(keys)} is a plain value. Drop what follows it."
            keys = (*keys, key)
            if depth == len(parts):
                place[key] = parse_value(value)
            elif isinstance(place, dict) and part not in place and not open_ended:
                return f"--set {text}: There is no {dotted(keys)}. {nearest(part, place)}."
            elif isinstance(place, dict):
                place = place.setdefault(part, {})
            else:
                place = place[key]
        self._set[keys] = name.strip()
        return ""


def parse_value(text: str) -> Any:
    """Return the value of a TOML text; text that is no TOML value is a string."""
    checks.text("text", text)
    is_plain = "\n" in text or len(text) > MAX_BYTES or structure_problem(text)[0] != ""
    if is_plain:
        return text.strip()
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text.strip()


def structure_problem(text: str) -> tuple[str, int]:
    """Return what is wrong with the structure of a TOML text, which is read once and not parsed,
    and the line; ("", 0) if its keys have few parts and its arrays and tables few levels.
    """
    line = 1
    dots = 0
    level = 0
    for token in _TOKEN.finditer(text):
        found = token[0]
        kind = token.lastgroup
        if found == ".":
            dots += 1
        elif kind not in ("text", "word", "space"):
            dots = 0
        if found in ("[", "{"):
            level += 1
        elif found in ("]", "}"):
            level -= 1
        if dots >= MOST_PARTS:
            return f"A key has at most {MOST_PARTS} parts, joined by dots. Shorten it.", line
        if level > MOST_PARTS:
            problem = "Arrays or tables are nested too deeply"
            return f"{problem}: they have at most {MOST_PARTS} levels. Flatten them.", line
        if kind == "word" and len(found) > _LONGEST_WORD:
            return f"A name or number has at most {_LONGEST_WORD} letters. Shorten it.", line
        line += found.count("\n")
    return "", 0


def dotted(keys: Keys) -> str:
    """Return keys as text: layers.threat, sources[2]."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
        elif text:
            text += f".{key}"
        else:
            text = key
    return text


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint at the known word nearest to a wrong one."""
    words = list(known)
    near = most_similar(word, words)
    if near:
        return f"Perhaps {near!r} is meant"
    return f"Known: {', '.join(words) or 'none'}"


def _index(items: list[Any], part: str) -> int | None:
    """Return the index of an item of an array of tables by its number or its name."""
    names = [item.get("name") if isinstance(item, dict) else None for item in items]
    if part in names:
        return names.index(part)
    if part.isascii() and part.isdigit() and int(part[:9]) < len(items):
        return int(part)
    return None


def _lines_of(file: SettingsFile) -> Iterator[tuple[Keys, int]]:
    """Yield the keys that begin a line, with the number of that line."""
    table: Keys = ()
    counts: dict[Keys, int] = {}
    for number, line in enumerate(file.text.splitlines(), start=1):
        header = _HEADER.match(line)
        match = header or _KEY.match(line)
        if match:
            names = _NAME.findall(match[1])
        else:
            names = []
        if len(names) > MOST_PARTS:  # a line of a text that looks like a key
            continue
        keys: Keys = () if header else table
        for depth, name in enumerate(names, start=1):
            keys = (*keys, name.strip("\"'"))
            yield keys, number
            if header and isinstance(file.value(keys), list):
                counts[keys] = counts.get(keys, -1) + (depth == len(names))
                keys = (*keys, counts[keys])
                yield keys, number
        if header and file.value(keys) is not None:
            table = keys
