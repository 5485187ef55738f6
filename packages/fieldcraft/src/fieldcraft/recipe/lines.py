"""Where in a TOML text each key and each item stands: `tomllib` reads the values but keeps no line
numbers.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right

__all__ = ["Keys", "find_lines"]

Keys = tuple[str | int, ...]
"""The way to a value: names of tables and keys, and indices into arrays."""


def find_lines(text: str) -> dict[Keys, int]:
    """The line, counted from 1, at which each key, table and array item of a valid TOML text
    begins.

    A table that only a deeper header names has the line of that header. The text must be one that
    `tomllib.loads` accepts; for others the answer means nothing.
    """
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.document()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Keys, int] = {}
        self._newlines = [index for index, letter in enumerate(text) if letter == "\n"]
        self._counts: dict[Keys, int] = {}

    def document(self) -> None:
        table: Keys = ()
        self._blanks()
        while self.at < len(self.text):
            line = self._line()
            if self.text.startswith("[[", self.at):
                self.at += 2
                *outer, last = self._key()
                array = (*self._resolved(outer, line), last)
                index = self._counts.get(array, 0)
                self._counts[array] = index + 1
                self.lines.setdefault(array, line)
                table = (*array, index)
                self.lines[table] = line
                self.at += 2
            elif self.text[self.at] == "[":
                self.at += 1
                table = self._resolved(self._key(), line)
                self.at += 1
            else:
                self._pair(table)
            self._blanks()

    def _line(self) -> int:
        return bisect_right(self._newlines, self.at - 1) + 1

    def _resolved(self, names: list[str], line: int) -> Keys:
        """The keys that a header means: a name of an array of tables means its latest table."""
        keys: Keys = ()
        for name in names:
            keys = (*keys, name)
            self.lines.setdefault(keys, line)
            if keys in self._counts:
                keys = (*keys, self._counts[keys] - 1)
        return keys

    def _pair(self, table: Keys) -> None:
        line = self._line()
        keys = table
        for name in self._key():
            keys = (*keys, name)
            self.lines.setdefault(keys, line)
        self.at += 1
        self._spaces()
        self._value(keys)

    def _key(self) -> list[str]:
        """The dotted key here; stops at the sign after it."""
        names = []
        while True:
            self._spaces()
            if self.text[self.at] in "\"'":
                start = self.at
                self._string()
                names.append(str(tomllib.loads(f"key = {self.text[start : self.at]}")["key"]))
            else:
                start = self.at
                while self.text[self.at].isalnum() or self.text[self.at] in "_-":
                    self.at += 1
                names.append(self.text[start : self.at])
            self._spaces()
            if self.text[self.at] != ".":
                return names
            self.at += 1

    def _value(self, keys: Keys) -> None:
        sign = self.text[self.at]
        if sign in "\"'":
            self._string()
        elif sign == "[":
            self._array(keys)
        elif sign == "{":
            self._inline_table(keys)
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\n":
                self.at += 1

    def _array(self, keys: Keys) -> None:
        self.at += 1
        self._blanks()
        index = 0
        while self.text[self.at] != "]":
            item = (*keys, index)
            self.lines[item] = self._line()
            self._value(item)
            self._blanks()
            if self.text[self.at] == ",":
                self.at += 1
                self._blanks()
            index += 1
        self.at += 1

    def _inline_table(self, keys: Keys) -> None:
        self.at += 1
        self._blanks()
        while self.text[self.at] != "}":
            self._pair(keys)
            self._blanks()
            if self.text[self.at] == ",":
                self.at += 1
                self._blanks()
        self.at += 1

    def _string(self) -> None:
        quote = self.text[self.at]
        escapes = quote == '"'
        if self.text.startswith(quote * 3, self.at):
            self.at += 3
            while not self.text.startswith(quote * 3, self.at):
                self.at += 2 if escapes and self.text[self.at] == "\\" else 1
            self.at += 3
            while self.at < len(self.text) and self.text[self.at] == quote:
                self.at += 1
            return
        self.at += 1
        while self.text[self.at] != quote:
            self.at += 2 if escapes and self.text[self.at] == "\\" else 1
        self.at += 1

    def _spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1

    def _blanks(self) -> None:
        """Goes over spaces, line breaks and comments."""
        while self.at < len(self.text):
            if self.text[self.at] in " \t\n":
                self.at += 1
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return
