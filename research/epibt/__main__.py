"""Run the study: `RESEARCH_EPIBT=folder python -m research.epibt --out out/epibt`.

The folder is a clone of `lunjohnzhang/EPIBT` with its maps, agents and tasks. A study that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from research.epibt.maps import MAPS, agent_counts, instance, write_instance
from research.pogema import peer
from research.pogema.player import VARIANTS, Variant, play
from research.pogema.referee import check_rules
from research.shared.entry import exit_code
from research.shared.statistics import paired

PEER = "EPIBT"
OURS = {
    "full": VARIANTS["full"],
    "all rows": Variant(memory=2**34, weight=1.0),  # of distances, one for each goal
    "more effort": VARIANTS["more effort"],
    "no look-ahead": VARIANTS["no look-ahead"],
}
_COMPARED = ("full", "all rows")
_FIELDS = ("map", "agents", "turn", "steps", "planner", "throughput", "seconds")


@dataclass(frozen=True, order=True)
class Case:
    """One instance: a map, how many agents, where the list of tasks begins, and the steps."""

    map: str
    agents: int
    turn: int
    steps: int


Results = dict[tuple[Case, str], peer.Played]


def main() -> None:
    """Play what has not been played, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m research.epibt", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/epibt"))
    parser.add_argument("--maps", nargs="*", default=list(MAPS), choices=list(MAPS))
    parser.add_argument("--agents", nargs="*", type=int, help="only these counts")
    parser.add_argument("--turns", type=int, default=1, help="instances of each count")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--planners", nargs="*", default=[PEER, *OURS], choices=[PEER, *OURS])
    chosen = parser.parse_args()
    folder = peer.sources()
    if folder is None:
        parser.error(f"{peer.SOURCES} has to name a clone of lunjohnzhang/EPIBT")
    chosen.out.mkdir(parents=True, exist_ok=True)
    path = chosen.out / "episodes.csv"
    for name in chosen.maps:
        for turn in range(chosen.turns):
            _play_map(folder, name, turn, chosen, path)
    lines = table(read_results(path))
    (chosen.out / "table.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def _play_map(folder: Path, name: str, turn: int, chosen: argparse.Namespace, path: Path) -> None:
    """Play all counts of agents on a map. The peer needs one preparation for all of them."""
    done = read_results(path)
    files = agent_counts(folder / "tests" / name)
    counts = [count for count in files if not chosen.agents or count in chosen.agents]
    cases = {count: Case(name, count, turn, chosen.steps) for count in counts}
    for planner in chosen.planners:
        missing = [count for count in counts if (cases[count], planner) not in done]
        if planner == PEER and missing:
            program = peer.build(folder, chosen.out / "epibt")
            with tempfile.TemporaryDirectory() as place:
                settings = write_instance(
                    Path(place), folder / "tests" / name, [files[count] for count in missing], turn
                )
                found = peer.run(program, settings | {"steps_num": chosen.steps}, Path(place))
            for count, played in zip(missing, found, strict=True):
                write_result(path, cases[count], planner, played)
        elif planner in OURS:
            for count in missing:
                made = instance(folder / "tests" / name, files[count], chosen.steps, turn)
                episode = play(made, OURS[planner], seed=turn)
                check_rules(made["walls"], episode.cells)
                played = peer.Played(episode.throughput, episode.seconds)
                write_result(path, cases[count], planner, played)


def read_results(path: Path) -> Results:
    """Return what has been played, possibly nothing."""
    if not path.exists():
        return {}
    with path.open() as file:
        return {
            (
                Case(row["map"], int(row["agents"]), int(row["turn"]), int(row["steps"])),
                row["planner"],
            ): peer.Played(float(row["throughput"]), float(row["seconds"]))
            for row in csv.DictReader(file)
        }


def write_result(path: Path, case: Case, planner: str, played: peer.Played) -> None:
    """Put a result to the end of the file."""
    new = not path.exists()
    with path.open("a") as file:
        out = csv.writer(file)
        if new:
            out.writerow(_FIELDS)
        place = case.map, case.agents, case.turn, case.steps, planner
        out.writerow([*place, played.throughput, f"{played.seconds:.6f}"])
    print(case, planner, played, flush=True)


def table(results: Results) -> list[str]:
    """Return a table in Markdown: goals a step and milliseconds a step of each planner."""
    planners = [PEER, *OURS]
    differences = [f"{each} - {PEER}" for each in _COMPARED]
    lines = [
        f"| map, agents, steps (instances) | {' | '.join([*planners, *differences])} |",
        "|" + "---|" * (len(planners) + len(differences) + 1),
    ]
    groups = defaultdict(list)
    for case in sorted({case for case, _ in results}):
        groups[case.map, case.agents, case.steps].append(case)
    for (name, agents, steps), cases in groups.items():
        cells = [
            _cell([results[case, each] for case in cases if (case, each) in results])
            for each in planners
        ]
        cells += [_difference(results, cases, each) for each in _COMPARED]
        place = f"{MAPS[name]} {agents}, {steps} ({len(cases)})"
        lines.append(f"| {place} | {' | '.join(cells)} |")
    return lines


def _cell(played: Sequence[peer.Played]) -> str:
    if not played:
        return "-"
    goals = np.mean([each.throughput for each in played])
    return f"{goals:.2f} ({1000 * np.mean([each.seconds for each in played]):.1f} ms)"


def _difference(results: Results, cases: Sequence[Case], planner: str) -> str:
    """Return how many more goals a step one of ours reaches, as a share of the peer's, with an
    interval where there are several instances, and in how many it is ahead.
    """
    both = [case for case in cases if {(case, PEER), (case, planner)} <= results.keys()]
    if not both:
        return "-"
    ours = np.array([results[case, planner].throughput for case in both])
    theirs = np.array([results[case, PEER].throughput for case in both])
    share = 100 / theirs.mean()
    if len(both) == 1:
        return f"{share * (ours[0] - theirs[0]):+.1f} %"
    found = paired(ours, theirs)
    low, high = share * found.low, share * found.high
    won = np.count_nonzero(ours > theirs)
    return f"{share * found.value:+.1f} % ({low:+.1f} to {high:+.1f}), {won} of {len(both)}"


if __name__ == "__main__":
    sys.exit(exit_code("research.epibt", main))
