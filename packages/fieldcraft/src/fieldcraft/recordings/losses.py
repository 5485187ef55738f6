"""Losses: where and when something was lost in a recording - units of a match, the ball of a
game.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.recordings.replay import event_table
from fieldcraft.recordings.table import Table

__all__ = ["Losses", "read_losses", "read_turnovers"]

_COLUMNS = ("game_loop", "event", "unit_id", "unit_type", "player", "x", "y", "killer_player")
_POSSESSION = ("frame", "ball_x", "ball_y", "ball_status", "team_possession")


@dataclass(frozen=True)
class Losses:
    """The losses of a recording, by rising time; all columns have one row for each.

    `seconds` float64 (N,); `positions` float64 (N, 2), world units; `groups`, the names of those
    who lost, and `kinds`, what was lost: types of units, or "ball".
    """

    seconds: NDArray[np.float64]
    positions: NDArray[np.float64]
    groups: tuple[str, ...]
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.seconds)

    def between(self, first: float, last: float) -> Losses:
        """The losses after `first` seconds, up to and with `last`."""
        low, high = checks.finite("first", first), checks.finite("last", last)
        begin, end = np.searchsorted(self.seconds, [low, max(low, high)], side="right").tolist()
        return Losses(
            self.seconds[begin:end],
            self.positions[begin:end],
            self.groups[begin:end],
            self.kinds[begin:end],
        )


def read_losses(path: str | Path, *, loops_per_second: float = 22.4) -> Losses:
    """Reads the losses of a StarCraft II match: units and buildings of a player that died by
    another player's hand.

    `path` is a replay or its event table, as `read_starcraft` takes it, with the column
    killer_player. What dies of itself (larvae, drones that become buildings, units whose time is
    up) or by its owner's hand is no loss. A unit's kind is the last one that the events before
    told. The groups are "player 1" and "player 2"; positions are those where it died, at the
    centers of cells.

    Raises `BadTimeline` with the line and the remedy for anything malformed.
    """
    rate = checks.positive("loops_per_second", loops_per_second)
    kinds: dict[str, str] = {}
    owners: dict[str, str] = {}
    found = _Found()
    with event_table(path) as table:
        columns = table.require(_COLUMNS, "A StarCraft II event table")
        for row in table.rows():
            loop, event, unit, kind, player, x, y, killer = (
                row[column].strip() for column in columns
            )
            if event in ("born", "init", "morph") and kind:
                kinds[unit] = kind
            if event in ("born", "init", "owner"):
                owners[unit] = player
            owner = owners.get(unit, player)
            if event != "died" or killer in ("", "0", owner) or owner in ("", "0"):
                continue
            place = (table.coordinate(x, "x") + 0.5, table.coordinate(y, "y") + 0.5)
            moment = table.seconds(repr(table.whole(loop, "game_loop") / rate))
            found.add(
                moment, place, f"player {table.whole(owner, 'player')}", kinds.get(unit, kind)
            )
    return found.losses()


def read_turnovers(path: str | Path, *, frames_per_second: float = 25.0) -> Losses:
    """Reads where the ball of a football game was lost: where possession passed to the other team
    while the ball was in play.

    `path` is a wide tracking table, as `read_football` takes it, with the columns frame, ball_x,
    ball_y, ball_status ("alive" or "dead") and team_possession. The groups are the teams that lost
    the ball, the kind is "ball", and the position that of the ball in the first frame of the new
    possession. The first frame is at 0 seconds.

    Raises `BadTimeline` with the line and the remedy for anything malformed.
    """
    rate = checks.positive("frames_per_second", frames_per_second)
    found = _Found()
    first = -1
    holder = ""
    with Table(path) as table:
        columns = table.require(_POSSESSION, "A tracking table with possession")
        for row in table.rows():
            frame, x, y, status, team = (row[column].strip() for column in columns)
            number = table.whole(frame, "frame")
            first = number if first < 0 else first
            if not team:
                continue
            if holder and team != holder and status == "alive":
                moment = table.seconds(repr((number - first) / rate))
                found.add(
                    moment,
                    (table.coordinate(x, "ball_x"), table.coordinate(y, "ball_y")),
                    holder,
                    "ball",
                )
            holder = team
    return found.losses()


class _Found:
    def __init__(self) -> None:
        self.rows: list[tuple[float, tuple[float, float], str, str]] = []

    def add(self, seconds: float, position: tuple[float, float], group: str, kind: str) -> None:
        self.rows.append((seconds, position, group, kind))

    def losses(self) -> Losses:
        """All that was found, by rising time; of one time in the order of the recording."""
        rows = sorted(self.rows, key=lambda row: row[0])
        seconds = np.array([row[0] for row in rows], dtype=np.float64)
        positions = np.array([row[1] for row in rows], dtype=np.float64).reshape(-1, 2)
        seconds.flags.writeable = positions.flags.writeable = False
        return Losses(
            seconds, positions, tuple(row[2] for row in rows), tuple(row[3] for row in rows)
        )
