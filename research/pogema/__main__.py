"""Run the study: `python -m research.pogema DATA --judge PYTHON --out out/pogema`.

DATA is a folder with `maps.json` and `published.csv`, PYTHON one that has `pogema` 1.4.0. A study
that was interrupted goes on where it stopped. Where the environment names the sources of EPIBT
(`RESEARCH_EPIBT=folder`), that program plays the same episodes.
`--calibrate` compares instances instead, and `--film` records one episode of the warehouse.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from fieldcraft.view import save_png
from research.pogema import judge, peer
from research.pogema.calibration import calibration
from research.pogema.film import film
from research.pogema.player import VARIANTS, Episode, play
from research.pogema.table import (
    PEER,
    PLANNER,
    Case,
    Row,
    against_planner,
    peers,
    picture,
    published,
    read_rows,
    table,
    write_row,
)
from research.shared.entry import exit_code

ROWS = ("03-warehouse:32,64,96,128,160,192", "02-mazes:64", "04-movingai:256", "01-random:64")
LIGHT = ("01-random:8", "02-mazes:8", "03-warehouse:32")
WAREHOUSE = "03-warehouse"
_FILMED = 192  # agents
MARKERS = str.maketrans("@$.", "$@!")
"""The map that was published beside the results of the warehouse has the markers of `maps.json`
exchanged: episodes begin in cells that `maps.json` marks as places for goals, and lead to those
that it marks as places to start; no other cells are drawn.
"""


class Judge:
    """The package `pogema` in a Python of its own, with the maps of a set."""

    def __init__(self, python: str, maps: dict[str, dict[str, list[str]]]) -> None:
        self.maps = maps
        self._process = subprocess.Popen(
            [python, "-I", "-W", "ignore", judge.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, case: Case, exchanged: bool, **more: Any) -> Any:
        """Return the instance of a case, or what the package counts for `moves`."""
        rows = self.maps[case.set][case.map]
        if exchanged:
            rows = [row.translate(MARKERS) for row in rows]
        request = {
            "rows": rows,
            "agents": case.agents,
            "seed": case.seed,
            "steps": case.steps,
        } | more
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the judge has failed on {case}")
        return json.loads(answer)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    """Play what has not been played, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m research.pogema", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--judge", default="python", help="a Python that has pogema")
    parser.add_argument("--out", type=Path, default=Path("out/pogema"))
    parser.add_argument("--rows", nargs="*", default=ROWS, help="SET:AGENTS,AGENTS ...")
    parser.add_argument("--episodes", type=int, default=64, help="at most so many of each row")
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--replays", type=int, default=1, help="episodes of each row to replay")
    parser.add_argument("--as-given", action="store_true", help="leave the warehouse's markers")
    parser.add_argument("--calibrate", action="store_true", help="compare instances at light load")
    parser.add_argument("--film", type=Path, help="record the warehouse with 192 agents, seed 0")
    chosen = parser.parse_args()
    theirs = published(chosen.data / "published.csv")
    judging = Judge(chosen.judge, json.loads((chosen.data / "maps.json").read_text()))
    try:
        if chosen.calibrate:
            print("\n".join(_calibrated(judging, theirs, chosen.episodes)))
        elif chosen.film:
            case = Case(WAREHOUSE, _FILMED, next(iter(judging.maps[WAREHOUSE])), 0)
            film(judging.ask(case, True), VARIANTS["full"], chosen.film)
        else:
            _run(judging, theirs, chosen)
    finally:
        judging.close()


def _calibrated(judging: Judge, theirs: list[Row], most: int) -> list[str]:
    lines = [
        "| set, agents (episodes) | markers | goals without other agents | published"
        f" {PLANNER} | no more than without others | correlation |",
        "|" + "---|" * 6,
    ]
    found = {row.case: row for row in theirs if row.variant == PLANNER}
    for light in LIGHT:
        rows = [found[case] for _, case in _cases(theirs, [light], most)]
        if rows:
            both = rows[0].case.set == WAREHOUSE
            lines += calibration(rows, lambda row, turned: judging.ask(row.case, turned), both)
    return lines


def _run(judging: Judge, theirs: list[Row], chosen: argparse.Namespace) -> None:
    chosen.out.mkdir(parents=True, exist_ok=True)
    path = chosen.out / "episodes.csv"
    done = {(row.case, row.variant) for row in read_rows(path)}
    names = list(chosen.variants)
    program = _peer(chosen.out)
    if program is not None:
        names.append(PEER)
    for index, case in _cases(theirs, chosen.rows, chosen.episodes):
        missing = [name for name in names if (case, name) not in done]
        if not missing:
            continue
        exchanged = case.set == WAREHOUSE and not chosen.as_given
        instance = judging.ask(case, exchanged)
        for name in missing:
            if program is not None and name == PEER:
                played = peer.play(program, instance)
                write_row(path, Row(case, name, played.throughput, played.seconds))
                continue
            episode = play(instance, VARIANTS[name])
            if name == "full" and index < chosen.replays:
                _confirm(judging, case, exchanged, episode, len(instance["walls"][0]))
            write_row(path, Row(case, name, episode.throughput, episode.seconds))
        print(case, flush=True)
    ours = read_rows(path)
    lines = table(ours, theirs, chosen.variants)
    lines += ["", *against_planner(ours, theirs)]
    if any(row.variant == PEER for row in ours):
        lines += ["", *peers(ours, theirs)]
    (chosen.out / "table.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    if any(row.case.set == WAREHOUSE for row in ours):
        save_png(chosen.out / "warehouse.png", picture(ours, theirs, WAREHOUSE))


def _peer(out: Path) -> Path | None:
    """Return the program of the peer, built where its sources are at hand."""
    folder = peer.sources()
    if folder is None:
        return None
    return peer.build(folder, out / "epibt")


def _cases(theirs: list[Row], rows: list[str], most: int) -> list[tuple[int, Case]]:
    """Return the published instances of the rows, evenly chosen, and the number of each in its
    row; the first of all rows come first.
    """
    wanted = {
        (name, int(agents))
        for name, _, counts in (row.partition(":") for row in rows)
        for agents in counts.split(",")
    }
    groups = defaultdict(list)
    for case in sorted(row.case for row in theirs if row.variant == PLANNER):
        if (case.set, case.agents) in wanted:
            groups[case.set, case.agents].append(case)
    found = []
    for cases in groups.values():
        every = max(1, len(cases) // most)
        found += list(enumerate(cases[::every][:most]))
    return sorted(found)


def _confirm(judging: Judge, case: Case, exchanged: bool, episode: Episode, width: int) -> None:
    """Let the package replay an episode, and compare what it counts."""
    places = np.stack(np.divmod(episode.cells, width), axis=-1)
    counted = judging.ask(case, exchanged, moves=np.diff(places, axis=0).tolist())
    if abs(counted - episode.throughput) > 1e-9:
        raise RuntimeError(f"pogema counts {counted}, the study {episode.throughput}")


if __name__ == "__main__":
    sys.exit(exit_code("research.pogema", main))
