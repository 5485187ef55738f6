"""Published maps, agents and tasks become instances with the goals that the program deals out."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.epibt.maps import agent_counts, instance, write_instance


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "map.txt").write_text("type octile\nheight 2\nwidth 3\nmap\n...\n.T@\n")
    (tmp_path / "agents_0.csv").write_text("agent id,row,col\n0,0,0\n1,1,0\n")
    (tmp_path / "agents_1.csv").write_text("agent id,row,col\n0,0,1\n")
    tasks = [0, 1, 2, 0, 2, 1, 1, 3, 0, 2]
    (tmp_path / "tasks_one.csv").write_text("\n".join(["targets", *map(str, tasks)]) + "\n")
    (tmp_path / "tasks.csv").write_text("targets\n2,1\n0,3\n")
    return tmp_path


def test_goals_where_the_agent_stands_are_left_out(folder: Path) -> None:
    counts = agent_counts(folder)
    assert list(counts) == [1, 2]
    made = instance(folder, counts[2], 10)
    assert made["walls"].tolist() == [[False] * 3, [False, True, True]]
    # Agent 0 has the tasks 0, 2, 2, 1, 0 and begins at 0; agent 1 has 1, 0, 1, 3, 2.
    assert made["goals"][0].tolist() == [[0, 2], [0, 1], [0, 0]]
    assert made["goals"][1].tolist() == [[0, 1], [0, 0], [0, 1], [1, 0], [0, 2]]


def test_a_turn_begins_the_list_a_tenth_later(folder: Path) -> None:
    made = instance(folder, agent_counts(folder)[1], 4, turn=1)
    assert made["goals"][0].tolist() == [[0, 2]]  # of 1, where it stands, and 2


def test_lists_of_several_goals_serve_where_that_of_single_ones_is_missing(folder: Path) -> None:
    (folder / "tasks_one.csv").unlink()
    made = instance(folder, agent_counts(folder)[1], 4)
    assert made["goals"][0].tolist() == [[0, 2], [0, 0]]


def test_the_program_gets_the_same_agents_and_tasks(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    counts = agent_counts(folder)
    settings = write_instance(place, folder, [counts[2]], 1)
    assert (place / "agents_0.csv").read_text() == counts[2].read_text()
    assert settings["tasks_path"].read_text().split()[:3] == ["targets", "1", "2"]
    assert settings["agents_path"] == place
