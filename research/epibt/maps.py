"""The maps, agents and tasks that are published beside EPIBT, as instances."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.pogema.peer import SETTINGS

MAPS = {
    "random": "random-32-32-20",
    "city": "Paris-1-256",
    "game": "brc202d",
    "sortation": "sortation",
    "warehouse": "warehouse",
}
"""Folders of the published maps, and the names of the maps."""


def agent_counts(folder: Path) -> dict[int, Path]:
    """Return the published files of agents of a map, by how many agents they have."""
    found = sorted(folder.glob("agents_*.csv"))
    return dict(sorted((len(_starts(path)), path) for path in found))


def instance(folder: Path, agents: Path, steps: int, turn: int = 0) -> dict[str, Any]:
    """Return the published instance with the agents of a file.

    As in the program, agent i has the tasks i, i + N, i + 2N ... of the list. `turn` begins the
    list at another place, which makes another instance; 0 is the published one.
    """
    starts = _starts(agents)
    walls = _walls(folder / "map.txt")
    tasks = _tasks(folder, turn)
    count = len(starts)
    first = starts @ np.array([walls.shape[1], 1])
    goals = []
    for agent in range(count):
        dealt = tasks[(np.arange(steps // 2) * count + agent) % len(tasks)]
        before = np.concatenate([first[agent : agent + 1], dealt[:-1]])
        others = dealt[dealt != before]
        goals.append(np.stack(np.divmod(others, walls.shape[1]), axis=-1))
    return {"walls": walls, "starts": starts, "goals": goals, "steps": steps}


def write_instance(place: Path, folder: Path, agents: list[Path], turn: int) -> dict[str, Any]:
    """Write what the program reads into a folder: the agents of each file, and the list of tasks.
    Return its settings.
    """
    for number, path in enumerate(agents):
        shutil.copy(path, place / f"agents_{number}.csv")
    tasks = place / "tasks.csv"
    tasks.write_text("\n".join(["targets", *map(str, _tasks(folder, turn).tolist())]) + "\n")
    files = {"map_file": folder / "map.txt", "tasks_path": tasks, "agents_path": place}
    return SETTINGS | files | {"output_path": place / "out"}


def _walls(path: Path) -> NDArray[np.bool_]:
    rows = path.read_text().split("map\n", 1)[1].split()
    cells = np.array([list(row) for row in rows])
    walls: NDArray[np.bool_] = np.not_equal(cells, ".")
    return walls


def _starts(path: Path) -> NDArray[np.int64]:
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2), dtype=np.int64, ndmin=2)


def _tasks(folder: Path, turn: int) -> NDArray[np.int64]:
    """Return the goal of each task, from a tenth of the list on for each turn. A clone can lack
    the large list of single goals; then they are the first ones of tasks with several.
    """
    path = folder / "tasks_one.csv"
    if not path.exists():
        path = folder / "tasks.csv"
    lines = path.read_text().split()[1:]
    tasks = np.array([int(line.split(",")[0]) for line in lines])
    return np.roll(tasks, -turn * (len(tasks) // 10))
