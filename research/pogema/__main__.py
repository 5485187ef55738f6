"""Run the study: `python -m research.pogema DATA --judge PYTHON --out out/pogema`.

DATA is a folder with `maps.json` and `published.csv`, PYTHON one that has `pogema` 1.4.0. A study
that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from fieldcraft.view import save_png
from research.pogema import judge
from research.pogema.player import VARIANTS, Episode, play
from research.pogema.table import (
    PLANNER,
    Case,
    Row,
    picture,
    published,
    read_rows,
    table,
    write_row,
)

ROWS = ("03-warehouse:32,64,96,128,160,192", "02-mazes:64", "04-movingai:256", "01-random:64")
WAREHOUSE = "03-warehouse"
MARKERS = str.maketrans("@$.", "$@!")
"""The published episodes of the warehouse begin in cells that `maps.json` marks as places for
goals, and lead to those that it marks as places to start; no other cells are drawn.
"""


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
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    theirs = published(chosen.data / "published.csv")
    maps = json.loads((chosen.data / "maps.json").read_text())
    if not chosen.as_given:
        maps[WAREHOUSE] = {
            name: [row.translate(MARKERS) for row in rows] for name, rows in maps[WAREHOUSE].items()
        }
    path = chosen.out / "episodes.csv"
    done = {(row.case, row.variant) for row in read_rows(path)}
    for index, case in _cases(theirs, chosen.rows, chosen.episodes):
        missing = [name for name in chosen.variants if (case, name) not in done]
        if not missing:
            continue
        request = {"rows": maps[case.set][case.map], "agents": case.agents, "seed": case.seed}
        instance = _ask(chosen.judge, request)
        for name in missing:
            episode = play(instance, VARIANTS[name])
            if name == "full" and index < chosen.replays:
                _confirm(chosen.judge, request, episode, len(instance["walls"][0]))
            write_row(path, Row(case, name, episode.throughput, episode.seconds))
        print(case, flush=True)
    ours = read_rows(path)
    lines = table(ours, theirs, chosen.variants)
    (chosen.out / "table.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    if any(row.case.set == WAREHOUSE for row in ours):
        save_png(chosen.out / "warehouse.png", picture(ours, theirs, WAREHOUSE))


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


def _ask(python: str, request: dict[str, Any]) -> Any:
    answer = subprocess.run(
        [python, "-I", "-W", "ignore", judge.__file__],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(answer.stdout)


def _confirm(python: str, request: dict[str, Any], episode: Episode, width: int) -> None:
    """Let the package replay an episode, and compare what it counts."""
    places = np.stack(np.divmod(episode.cells, width), axis=-1)
    counted = _ask(python, request | {"moves": np.diff(places, axis=0).tolist()})
    if abs(counted - episode.throughput) > 1e-9:
        raise RuntimeError(f"pogema counts {counted}, the study {episode.throughput}")


if __name__ == "__main__":
    main()
