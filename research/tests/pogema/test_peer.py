"""The peer is built from sources, gets instances in its own format, and is read back."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from research.pogema import peer

STAND_IN = """#!{python}
import sys
from pathlib import Path

lines = Path(sys.argv[1]).read_text().splitlines()
settings = dict(line.split(" = ") for line in lines)
assert settings["scheduler_type"] == "CONST"
assert Path(settings["map_file"]).read_text() == "type octile\\nheight 2\\nwidth 3\\nmap\\n...\\n.@.\\n"
agents = (Path(settings["agents_path"]) / "agents_0.csv").read_text().split()
assert agents == ["agent", "id,row,col", "0,0,0", "1,1,2"]
tasks = list(map(int, Path(settings["tasks_path"]).read_text().split()[1:]))
assert tasks == [2, 0, 5, 3, 2, 1], tasks
for k in (0, 10, 2):
    test = Path(settings["output_path"]) / str(k)
    test.mkdir(parents=True)
    steps = settings["steps_num"]
    (test / "metrics.csv").write_text(
        f"metric,value\\nthroughput,{{k}}.5\\nsteps num,{{steps}}\\navg planner time (ms),20\\n"
    )
"""
INSTANCE = {
    "walls": [[0, 0, 0], [0, 1, 0]],
    "starts": [[0, 0], [1, 2]],
    "goals": [[[0, 2], [1, 2]], [[0, 0], [1, 0], [0, 1]]],
    "steps": 7,
}


def program(folder: Path) -> Path:
    path = folder / "program"
    path.write_text(STAND_IN.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_goals_are_dealt_in_turn_and_shorter_lists_begin_again(tmp_path: Path) -> None:
    played = peer.play(program(tmp_path), INSTANCE)
    assert played.throughput == 0.5
    assert 0 < played.seconds <= 0.02


def test_results_are_in_the_order_of_the_files_of_agents(tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text("type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n")
    (tmp_path / "agents_0.csv").write_text("agent id,row,col\n0,0,0\n1,1,2\n")
    (tmp_path / "tasks.csv").write_text("targets\n2\n0\n5\n3\n2\n1\n")
    settings = {
        "map_file": tmp_path / "map.txt",
        "agents_path": tmp_path,
        "tasks_path": tmp_path / "tasks.csv",
        "output_path": tmp_path / "out",
        "scheduler_type": "CONST",
        "steps_num": 7,
    }
    found = peer.run(program(tmp_path), settings, tmp_path)
    assert [each.throughput for each in found] == [0.5, 2.5, 10.5]


def test_sources_are_those_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(peer.SOURCES, raising=False)
    assert peer.sources() is None
    monkeypatch.setenv(peer.SOURCES, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"clone of lunjohnzhang/EPIBT.*main\.cpp"):
        peer.sources()
    (tmp_path / "src").mkdir()
    (tmp_path / "src/main.cpp").touch()
    assert peer.sources() == tmp_path


def test_distances_are_computed_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "clone" / "src/environment"
    place.mkdir(parents=True)
    (place / "heuristic_matrix.hpp").write_text(
        "std::vector<std::vector<uint16_t>> matrix;\n"
        "void build(uint32_t source, const Graph &graph);\n"
    )
    source = place / "heuristic_matrix.cpp"
    source.write_text(
        "void HeuristicMatrix::build(uint32_t source, const Graph &graph) {}\n"
        "std::priority_queue<std::pair<uint32_t, uint32_t>,"
        " std::vector<std::pair<uint32_t, uint32_t>>, std::greater<>> heap;\n"
        "launch_threads(1, all);\nreturn matrix[target][source];\n"
    )
    monkeypatch.setattr(peer.subprocess, "run", lambda command, check: None)
    peer.build(tmp_path / "clone", tmp_path / "out" / "epibt")
    changed = tmp_path / "out" / "epibt_sources" / "src/environment" / "heuristic_matrix.cpp"
    assert "build(target, get_graph()); return" in changed.read_text()
    assert "if (false) launch_threads(" in changed.read_text()
    assert "priority_queue" not in changed.read_text()
    assert "bool empty() const { return next == nodes.size(); }" in changed.read_text()
    assert "if (false)" not in source.read_text()
    source.write_text("")
    with pytest.raises(ValueError, match="is not that of commit"):
        peer.build(tmp_path / "clone", tmp_path / "again" / "epibt")
