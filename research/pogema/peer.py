"""The program EPIBT: built from its sources, and played on instances of lifelong path finding.

An instance is a dictionary: `walls` as rows of 0 and 1, `starts` as one (row, column) for each
agent, `goals` as a list of them for each agent, and `steps`.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

COMMIT = "8f538e74a3833d064ef0d62ee9cf05a70e4083a1"
"""The commit of `lunjohnzhang/EPIBT` that the study was made with."""
SOURCES = "RESEARCH_EPIBT"
"""The variable of the environment that names the folder of a clone."""
DEPTH = 4  # steps that an operation has
_PARTS = (
    "src/main.cpp",
    "src/utils/*.cpp",
    "src/environment/*.cpp",
    "src/planner/pibt/*.cpp",
    "src/planner/epibt/*.cpp",
    "src/scheduler/greedy/*.cpp",
)
_DISTANCES = "src/environment/heuristic_matrix"
_ON_DEMAND = (
    (".hpp", "std::vector<std::vector<uint16_t>> matrix;", "mutable {found}"),
    (".hpp", "void build(uint32_t source, const Graph &graph)", "{found} const"),
    (".cpp", "::build(uint32_t source, const Graph &graph)", "{found} const"),
    (".cpp", "launch_threads(", "if (false) {found}"),
    (
        ".cpp",
        "return matrix[target][source];",
        "if (matrix[target].empty()) build(target, get_graph()); {found}",
    ),
    (
        ".cpp",
        "std::priority_queue<std::pair<uint32_t, uint32_t>,"
        " std::vector<std::pair<uint32_t, uint32_t>>, std::greater<>> heap;",
        """struct {{
        std::vector<std::pair<uint32_t, uint32_t>> nodes;
        size_t next = 0;
        bool empty() const {{ return next == nodes.size(); }}
        std::pair<uint32_t, uint32_t> top() const {{ return nodes[next]; }}
        void pop() {{ next++; }}
        void push(std::pair<uint32_t, uint32_t> node) {{ nodes.push_back(node); }}
    }} heap;""",
    ),
)
"""The program computes the distances between all pairs of cells before it begins: a quarter of an
hour on a large map. With these changes of its text it computes those to a goal when it first needs
them, and takes nodes in the order in which it found them, which is that of their distances since
every step costs 1. Its plans are the same, and distances are no part of the time that it measures.
"""
_OPTIONS = (
    "-std=c++20",
    "-O3",
    "-include",
    "algorithm",
    "-DTHREADS_NUM=1",
    f"-DEPIBT_DEPTH={DEPTH}",
    "-DEPIBT_REVISIT=10",
    "-DENABLE_EPIBT_IO",
)
SETTINGS = {
    "map_type": "RANDOM",
    "planner_type": "EPIBT",
    "scheduler_type": "CONST",
    "graph_guidance_type": "DISABLE",
    "step_time": 100_000,
}
"""Each agent has a constant list of goals. The program may plan 100 s a step: it measures
wall-clock time, and with less it would break off steps where other programs use the processor. The
type of the map only matters to its guidance, which is off.
"""


@dataclass(frozen=True)
class Played:
    """What the program did: goals reached a step, and seconds of planning a step."""

    throughput: float
    seconds: float


def sources() -> Path | None:
    """Return the folder of the sources that the environment names, if any."""
    named = os.environ.get(SOURCES)
    if not named:
        return None
    folder = Path(named)
    if not (folder / "src/main.cpp").exists():
        raise FileNotFoundError(
            f"{SOURCES} names a clone of lunjohnzhang/EPIBT: {folder / 'src/main.cpp'} is missing"
        )
    return folder


def build(folder: Path, program: Path) -> Path:
    """Compile the sources with g++, or with zig where there is none, unless that is done."""
    program = program.resolve()
    if program.exists():
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    print(f"Compiling {folder}, once; it takes minutes.", flush=True)
    copy = program.with_name(f"{program.name}_sources")
    shutil.copytree(folder / "src", copy / "src", dirs_exist_ok=True)
    _compute_distances_on_demand(copy)
    folder = copy
    if shutil.which("g++"):
        compiler = ["g++"]
    else:
        compiler = [sys.executable, "-m", "ziglang", "c++"]
    files = [str(file) for part in _PARTS for file in sorted(folder.glob(part))]
    command = [*compiler, *_OPTIONS, f"-I{folder / 'src'}", *files, "-lpthread"]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def _compute_distances_on_demand(folder: Path) -> None:
    for ending, found, changed in _ON_DEMAND:
        path = folder / f"{_DISTANCES}{ending}"
        text = path.read_text()
        if text.count(found) != 1:
            raise ValueError(f"{path} is not that of commit {COMMIT}: {found!r} is not there once")
        path.write_text(text.replace(found, changed.format(found=found)))


def play(program: Path, instance: dict[str, Any]) -> Played:
    """Let the program play an instance, all agents at their starts, in a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _write_map(folder / "map.txt", np.array(instance["walls"], dtype=bool))
        _write_agents(folder / "agents_0.csv", instance["starts"])
        _write_tasks(folder / "tasks.csv", instance["goals"], len(instance["walls"][0]))
        settings = SETTINGS | {
            "map_file": folder / "map.txt",
            "tasks_path": folder / "tasks.csv",
            "agents_path": folder,
            "output_path": folder / "out",
            "steps_num": instance["steps"],
        }
        return run(program, settings, folder)[0]


def run(program: Path, settings: dict[str, Any], folder: Path) -> list[Played]:
    """Run the program with these settings; return one result for each file of agents.

    The program measures wall-clock time. It has one thread, so what other programs took of it is
    left out by the share of processor time in the time of the whole run.
    """
    config = folder / "settings.config"
    config.write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
    before = os.times()
    began = time.perf_counter()
    subprocess.run([str(program), str(config)], check=True, stdout=subprocess.DEVNULL, cwd=folder)
    elapsed = time.perf_counter() - began
    after = os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    share = min(1.0, used / elapsed)
    tests = Path(settings["output_path"]).iterdir()
    return [
        _read_metrics(test / "metrics.csv", share)
        for test in sorted(tests, key=lambda test: int(test.name))
    ]


def _read_metrics(path: Path, share: float) -> Played:
    with path.open() as file:
        found = dict(csv.reader(file))
    return Played(float(found["throughput"]), share * float(found["avg planner time (ms)"]) / 1000)


def _write_map(path: Path, walls: np.ndarray) -> None:
    rows = ["".join(row) for row in np.where(walls, "@", ".")]
    head = ["type octile", f"height {walls.shape[0]}", f"width {walls.shape[1]}", "map"]
    path.write_text("\n".join([*head, *rows]) + "\n")


def _write_agents(path: Path, starts: Any) -> None:
    lines = [f"{i},{row},{column}" for i, (row, column) in enumerate(starts)]
    path.write_text("\n".join(["agent id,row,col", *lines]) + "\n")


def _write_tasks(path: Path, goals: Any, width: int) -> None:
    """Write all first goals, then all second goals: the program deals them out in turn.

    Agents with fewer goals than others get their first ones again; they cannot reach so many.
    """
    most = max(len(each) for each in goals)
    numbers = [np.array(each) @ np.array([width, 1]) for each in goals]
    table = np.array([np.resize(each, most) for each in numbers])
    path.write_text("\n".join(["targets", *map(str, table.T.reshape(-1).tolist())]) + "\n")
