from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue
from research.experiments.explorers import EXPLORERS, tour
from research.experiments.maze import by_map, maze_study, run
from support import realdata
from support.refusals import refused

LAPS = (0.5, 1.0, 2.0, 4.0)


def maze(loops: float = 0.0, seed: int = 3) -> fc.Grid:
    return fc.generate_map("maze", 17, 11, seed=seed, algorithm="growing", loops=loops)


@pytest.mark.parametrize("how", EXPLORERS)
def test_the_laws_of_a_tour(how: str) -> None:
    for loops in (0.0, 0.7):
        found = tour(maze(loops), how, sight=2, laps=LAPS, seed=1)
        assert found.cells == np.count_nonzero(~maze().walls) + round(
            np.count_nonzero(~maze(loops).walls) - np.count_nonzero(~maze().walls)
        )
        assert list(found.explored) == sorted(found.explored)
        assert 0 < found.explored[0] <= 0.51
        assert found.explored[-1] <= 1
        assert all(
            0 < age < worst <= lap + 0.02
            for age, worst, lap in zip(found.ages, found.worst, LAPS, strict=True)
        )
        assert 0 <= found.again <= 1
        assert found.mean_age < found.worst_age
        if found.full is not None:
            assert found.nearly <= found.full
            assert found.explored[-1] == 1
    assert tour(maze(loops), how, sight=2, laps=LAPS, seed=1) == found
    assert tour(maze(loops), how, sight=2, laps=LAPS, seed=2) != found


def test_without_loops_memory_walks_depth_first() -> None:
    """Every passage is walked there and back: all is seen within two laps, whatever the sight; and
    so for the frontier.
    """
    for seed in (0, 2):
        tours = [
            tour(maze(seed=seed), how, sight=sight, laps=LAPS, seed=seed)
            for how, sight in (("memory", 1), ("memory", 3), ("beyond", 1), ("frontier", 1))
        ]
        for found in tours:
            assert found.full <= 2.0
            assert found.explored == tours[0].explored
        assert all(found.worst_age <= 2.0 for found in tours[:3])
        assert tour(maze(seed=seed), "random", laps=LAPS, seed=seed).explored[2] < 0.8


def test_until_all_is_seen_a_memory_that_lasts_goes_to_the_nearest_frontier() -> None:
    for seed in range(2):
        one, other = (
            tour(maze(0.8, seed), how, laps=(0.25, 0.5, 0.75, 1.0), seed=seed)
            for how in ("beyond", "frontier")
        )
        assert one.explored == other.explored
    quick = tour(maze(0.8), "beyond", laps=LAPS, life=0.2, seed=0)
    assert quick.explored[2] < tour(maze(0.8), "beyond", laps=LAPS, seed=0).explored[2]


@pytest.mark.parametrize("how", ["memory", "beyond", "frontier"])
def test_ages_in_a_corridor_are_those_of_a_walk_to_and_fro(how: str) -> None:
    found = tour(fc.Grid(9, 1), how, laps=(40.0,), seed=0)
    assert found.full < 2
    assert found.worst_age == pytest.approx(np.mean(range(8, 16)) / 9, rel=0.01)
    assert found.again == pytest.approx(
        4 / 16, abs=0.02
    )  # within 4 steps again: the two cells beside each end


def test_two_share_what_they_know() -> None:
    space = maze(0.5)
    one, two = (tour(space, "memory", laps=LAPS, count=count, seed=4) for count in (1, 2))
    assert two.explored[1] > 0.5
    assert two.cells == one.cells
    assert two != one


def test_on_graphs() -> None:
    graph = maze(0.5).to_graph()
    found = [tour(graph, how, sight=2, laps=LAPS, seed=1) for how in EXPLORERS]
    assert found[0].cells == np.count_nonzero(~maze(0.5).walls)
    assert found[0].full is not None
    assert found[3].explored[2] < found[0].explored[2]


def test_the_jobs_of_a_study() -> None:
    study = maze_study(
        ["growing", "growing", "backtracker"],
        [0, 0.25],
        size="11x9",
        seeds=2,
        first_seed=7,
        sights=(1, 3),
        laps=2,
    )
    assert len(study.jobs) == 2 * 2 * 2 * 5
    assert {(job["algorithm"], job["loops"]) for job in study.jobs} == {
        ("growing", 0),
        ("growing", 0.25),
        ("backtracker", 0),
        ("backtracker", 0.25),
    }
    assert [(job["how"], job["sight"]) for job in study.jobs[:5]] == [
        ("random", 1),
        ("memory", 1),
        ("memory", 3),
        ("beyond", 3),
        ("frontier", 1),
    ]
    row = run(study.jobs[1])
    assert set(row) >= {
        "cells",
        "explored at 0.25",
        "age at 2",
        "worst age at 2",
        "laps to 95 %",
        "mean age",
        "again",
    }


def test_a_real_map() -> None:
    files = sorted(realdata.folder("gridmaps").rglob("lak103d.map"))
    if not files:
        pytest.skip("no lak103d.map there")
    study = maze_study((), files=files, seeds=1, laps=0.5, sights=(2,))
    assert all(
        0.1 < run(job)["explored at 0.5"] <= 0.5 for job in study.jobs if job["how"] != "random"
    )


def told(
    how: str, seed: int, nearly: float | None, algorithm: str = "growing"
) -> dict[str, object]:
    ages = {
        f"{name} at {lap}": float(seed)
        for name in ("explored", "age", "worst age")
        for lap in ("0.25", "0.5", "0.75", "1")
    }
    return {
        "map": "maze",
        "width": 11,
        "height": 9,
        "algorithm": algorithm,
        "loops": 0.5,
        "laps": 1.0,
        "life": 20.0,
        "explorers": 1,
        "seed": seed,
        "how": how,
        "sight": 1,
        "cells": 30,
        **ages,
        "laps to 95 %": nearly,
        "laps to all": None,
        "mean age": 1.0 + seed,
        "worst age": 2.0,
        "again": 0.25,
    }


def test_what_did_not_come_to_its_end_has_no_mean() -> None:
    rows = [
        told(how, seed, None if how == "random" and seed else 1.5)
        for seed in (0, 1)
        for how in ("random", "memory")
    ]
    summary = by_map(rows)
    assert summary.groups == ("growing, 50 % loops",)
    assert summary.series == ("random walk", "memory, sight 1")
    assert ("growing, 50 % loops", "random walk", "laps to 95 %") not in summary.found
    assert summary.found["growing, 50 % loops", "memory, sight 1", "laps to 95 %"].value == 1.5
    assert summary.found["growing, 50 % loops", "random walk", "mean age, laps"].value == 1.5
    assert any("1 tours did not come to 95 %" in note for note in summary.notes)
    both = by_map([*rows, told("memory", 0, 1.0, "backtracker")])
    assert both.groups == ("growing, 50 % loops", "backtracker, 50 % loops", "all maps")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: maze_study(["minotaur"]), "algorithm is one of"),
        (lambda: maze_study(loops=[2.0]), "loops lies in"),
        (lambda: maze_study(sights=[0]), "sight is at least 1"),
        (lambda: maze_study(laps=0), "laps is above 0"),
        (lambda: maze_study(life=-1), "life is above 0"),
        (lambda: maze_study(explorers=0), "explorers is at least 1"),
        (lambda: maze_study(by="moon"), "by is one of"),
        (lambda: maze_study(size="2x2"), "width is at least 3"),
        (lambda: maze_study(()), "has tours to run"),
        (lambda: maze_study(seeds=0), "seeds is at least 1"),
        (lambda: tour(fc.Grid(4, 4), "crawl"), "how is one of"),
        (lambda: tour(fc.Grid(4, 4), "memory", laps=(2.0, 1.0)), "laps are rising numbers"),
        (lambda: tour(fc.Grid(4, 4), "memory", laps=()), "laps are rising numbers"),
        (lambda: tour(fc.Grid(1, 1), "memory"), "somewhere to go"),
        (lambda: tour(fc.Grid(4, 4, walls=np.ones((4, 4), bool)), "memory"), "somewhere to go"),
    ],
)
def test_bad_input_is_refused(make, says) -> None:
    with refused(InvalidValue, says):
        make()
