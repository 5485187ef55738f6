"""Tables on a terminal and in Markdown, and the word on whether a figure is what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

MISSED = "missed"
"""The verdict on a figure that is not what was asked for."""


@dataclass
class Table:
    """Rows of text under a title; `notes` stand below it."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Append a row with one text per column."""
        if len(cells) != len(self.columns):
            raise ValueError(
                f"a row of {self.title!r} needs {len(self.columns)} cells, got {len(cells)}:"
                f" {cells}"
            )
        self.rows.append(cells)

    def missed(self) -> list[str]:
        """The rows with a target that was missed, each in one line."""
        return [", ".join([self.title, *filter(None, row)]) for row in self.rows if MISSED in row]

    def text(self) -> str:
        """The table for a terminal: the first column to the left, the others to the right."""
        widths = [
            max(len(row[i]) for row in [self.columns, *self.rows]) for i in range(len(self.columns))
        ]

        def line(cells: Sequence[str]) -> str:
            first = cells[0].ljust(widths[0])
            return "  ".join(
                [
                    first,
                    *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)),
                ]
            ).rstrip()

        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        return "\n".join(
            [self.title, rule, line(self.columns), rule, *map(line, self.rows), rule, *self.notes]
        )

    def markdown(self) -> str:
        """The table for a document."""

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

        align = "| --- |" + " ---: |" * (len(self.columns) - 1)
        notes = [f"\n{note}" for note in self.notes]
        return "\n".join(
            [f"## {self.title}", "", line(self.columns), align, *map(line, self.rows), *notes, ""]
        )


@dataclass
class Report:
    """What a suite hands back: its tables, what has to be said before them, and every value that
    was wrong (which fails the run).
    """

    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def at_least(value: float, required: float | None, aim: float | None = None) -> str:
    """The verdict on a ratio that should be large."""
    if required is None:
        return ""
    if value < required:
        return MISSED
    return "met" if aim is None or value < aim else "met, aim too"


def at_most(value: float, required: float | None) -> str:
    """The verdict on a cost that should be small."""
    if required is None:
        return ""
    return "met" if value <= required else MISSED


def target(ratio: float | None) -> str:
    """Return a ratio that was asked for, such as 15x, and nothing where none was."""
    if ratio is None:
        return ""
    return f"{ratio:g}x"


def milliseconds(seconds: float) -> str:
    """A duration in milliseconds with three or four figures."""
    value = seconds * 1e3
    if value >= 100:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.4f}"


def times(ratio: float) -> str:
    """A ratio such as 4.1x."""
    if ratio >= 100:
        return f"{ratio:.0f}x"
    return f"{ratio:.1f}x" if ratio >= 10 else f"{ratio:.2f}x"
