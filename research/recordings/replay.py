"""Convert a StarCraft II replay to the event table of `read_starcraft`: `python -m
research.recordings.replay MATCH.SC2Replay TABLE.csv`.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import BadTimeline, MissingLibrary
from fieldcraft.formats.recordings.table import MAX_BYTES
from research.shared.entry import exit_code

REPLAY = ".SC2Replay"
_HEADER = ("game_loop", "event", "unit_id", "unit_type", "player", "x", "y", "killer_player")

_Row = tuple[object, ...]


def write_replay_table(replay: str | Path, path: str | Path) -> int:
    """Write the events of a StarCraft II replay as a table for `read_starcraft` and `read_losses`,
    and return the number of rows.

    `replay` is a .SC2Replay of game version 2.0.8 or later; earlier ones have no events of units.
    `path` is the CSV file to write, with the columns game_loop, event, unit_id, unit_type, player,
    x, y, killer_player, in whole cells of the map and y upwards.

    The extra `replay` (the library sc2reader) decodes the file. Raises `MissingLibrary` without it,
    and `BadTimeline` for a file that is no replay, or that can't be written.
    """
    rows = _rows(_decoded(checks.path("replay", replay)))
    target = checks.path("path", path)
    try:
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_HEADER)
            writer.writerows(rows)
    except (OSError, ValueError) as error:
        raise BadTimeline(
            "The table of a replay can be written",
            got=f"{str(target)[:80]!r}: {error}",
            remedy="Pass another path",
        ) from None
    return len(rows)


def _decoded(path: Path) -> Any:
    try:
        import sc2reader  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise MissingLibrary("sc2reader", "replay", "Reading StarCraft II replays") from None
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadTimeline(
                f"A replay has at most {MAX_BYTES // 2**20} MiB",
                got=str(path),
                remedy="Check what it is",
            )
        return sc2reader.load_replay(str(path), load_level=3).tracker_events
    except BadTimeline:
        raise
    except Exception as error:  # the library raises whatever its parsers stumble over
        message = f"{type(error).__name__}: {error}"[:120]
        raise BadTimeline(
            "A replay is a file of StarCraft II that sc2reader can decode",
            got=f"{path}: {message}",
            remedy="Check the file, or update sc2reader",
        ) from None


def _rows(events: Any) -> list[_Row]:
    rows: list[_Row] = []
    for event in events:
        tell = _TOLD.get(type(event).__name__)
        if tell is not None:
            rows += tell(event)
    if not rows:
        raise BadTimeline(
            "A replay has events of units",
            got="none",
            remedy="Replays of before version 2.0.8 have none",
        )
    return rows


def _came(name: str) -> Any:
    def rows_of(event: Any) -> list[_Row]:
        return [
            (
                event.frame,
                name,
                event.unit_id,
                event.unit_type_name,
                event.control_pid,
                event.x,
                event.y,
                "",
            )
        ]

    return rows_of


def _died(event: Any) -> list[_Row]:
    killer = "" if event.killer_pid is None else event.killer_pid
    if event.unit is None or event.unit.owner is None:
        owner = 0
    else:
        owner = event.unit.owner.pid
    return [
        (event.frame, "died", event.unit_id, _kind_of(event.unit), owner, event.x, event.y, killer)
    ]


def _moved(event: Any) -> list[_Row]:
    return [
        (
            event.frame,
            "pos",
            unit.id,
            _kind_of(unit),
            "" if unit.owner is None else unit.owner.pid,
            x,
            y,
            "",
        )
        for unit, (x, y) in event.units.items()
    ]


def _kind_of(unit: Any) -> str:
    if unit is None or unit.name is None:
        return ""
    return str(unit.name)


_TOLD = {
    "UnitBornEvent": _came("born"),
    "UnitInitEvent": _came("init"),
    "UnitDoneEvent": lambda event: [(event.frame, "done", event.unit_id, "", "", "", "", "")],
    "UnitDiedEvent": _died,
    "UnitPositionsEvent": _moved,
    "UnitTypeChangeEvent": lambda event: [
        (event.frame, "morph", event.unit_id, event.unit_type_name, "", "", "", "")
    ],
    "UnitOwnerChangeEvent": lambda event: [
        (event.frame, "owner", event.unit_id, "", event.control_pid, "", "", "")
    ],
}


def main() -> None:
    """Read the replay and write its table."""
    parser = argparse.ArgumentParser(
        prog="python -m research.recordings.replay", description=__doc__
    )
    parser.add_argument("replay", type=Path, help="a file .SC2Replay")
    parser.add_argument("table", type=Path, help="the table of its events, .csv")
    chosen = parser.parse_args()
    print(write_replay_table(chosen.replay, chosen.table), "rows")


if __name__ == "__main__":
    sys.exit(exit_code("research.recordings.replay", main))
