"""Losses of units in a recorded StarCraft II match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.formats.recordings.table import Table

_COLUMNS = ("game_loop", "event", "unit_id", "unit_type", "player", "x", "y", "killer_player")


@dataclass(frozen=True)
class Losses:
    """The losses of a recording in order of time; all columns have one row for each.

    `seconds` float64 (N,); `positions` float64 (N, 2), world units; `groups`, the names of the
    players that lost units, and `kinds`, the types of these units.
    """

    seconds: NDArray[np.float64]
    positions: NDArray[np.float64]
    groups: tuple[str, ...]
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.seconds)

    def between(self, first: float, last: float) -> Losses:
        """Return the losses after `first` seconds, up to and including `last`."""
        low, high = checks.finite("first", first), checks.finite("last", last)
        begin, end = np.searchsorted(self.seconds, [low, max(low, high)], side="right").tolist()
        return Losses(
            self.seconds[begin:end],
            self.positions[begin:end],
            self.groups[begin:end],
            self.kinds[begin:end],
        )


def read_losses(path: str | Path, *, loops_per_second: float = 22.4) -> Losses:
    """Read the losses of a StarCraft II match: units and buildings of a player that another player
    killed.

    `path` is an event table as for `read_starcraft`, with the column killer_player. Units without a
    killer (larvae, drones that become buildings, units with a limited life) and units killed by
    their owner are no losses. A unit's kind is the last one in the events before. The groups are
    "player 1" and "player 2"; positions are the places of death, at the centers of cells.

    Raises
    ------
    BadTimeline
        With the line and the remedy for malformed tables.
    """
    rate = checks.positive("loops_per_second", loops_per_second)
    kinds: dict[str, str] = {}
    owners: dict[str, str] = {}
    rows: list[tuple[float, tuple[float, float], str, str]] = []
    table = Table(path)
    columns = table.require(_COLUMNS, "A StarCraft II event table")
    for row in table.rows():
        loop, event, unit, kind, player, x, y, killer = (row[column].strip() for column in columns)
        if event in ("born", "init", "morph") and kind:
            kinds[unit] = kind
        if event in ("born", "init", "owner"):
            owners[unit] = player
        owner = owners.get(unit, player)
        if event != "died" or killer in ("", "0", owner) or owner in ("", "0"):
            continue
        place = (table.coordinate(x, "x") + 0.5, table.coordinate(y, "y") + 0.5)
        moment = table.seconds(repr(table.integer(loop, "game_loop") / rate))
        group = f"player {table.integer(owner, 'player')}"
        rows.append((moment, place, group, kinds.get(unit, kind)))
    rows.sort(key=lambda row: row[0])
    seconds = np.array([row[0] for row in rows], dtype=np.float64)
    positions = np.array([row[1] for row in rows], dtype=np.float64).reshape(-1, 2)
    return Losses(seconds, positions, tuple(row[2] for row in rows), tuple(row[3] for row in rows))
