"""Escapes that keep to the map, searches that are paired, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft_worlds.games.chase.searches import Search
from research.chase.chase import METHODS, chase_study, run, summarise
from research.chase.escapes import FUGITIVES, Escape, Ground, escape, search_for
from research.shared import run_study
from support.refusals import refused

CAVE = fc.generate_map("cave", 44, 31, seed=2, neighbors=8)
TICKS = 90


@pytest.fixture(scope="module", params=["grid", "graph"])
def ground(request: pytest.FixtureRequest) -> Ground:
    if request.param == "grid":
        return Ground(CAVE, 7.0)
    return Ground(CAVE.to_graph(), 4.0)


def fled(ground: Ground, fugitive: str, hunters: int = 1, seed: int = 3) -> Escape:
    return escape(ground, fugitive, hunters=hunters, ticks=TICKS, lead=6, seed=seed)


class TestEscapes:
    @pytest.mark.parametrize("fugitive", FUGITIVES)
    @pytest.mark.parametrize("seed", range(4))
    def test_he_walks_at_his_speed_and_through_no_wall(
        self, ground: Ground, fugitive: str, seed: int
    ) -> None:
        cells = fled(ground, fugitive, seed=seed).cells
        assert len(cells) == TICKS + 1
        assert not CAVE.walls.reshape(-1)[cells].any()
        rows, columns = np.divmod(cells, CAVE.width)
        assert max(np.abs(np.diff(rows)).max(), np.abs(np.diff(columns)).max()) <= 1
        way = np.hypot(np.diff(rows), np.diff(columns))
        assert way.sum() <= TICKS + 1.5
        if fugitive == "runs":
            assert way.sum() > 0.8 * TICKS

    def test_he_is_out_of_sight_of_the_one_behind_and_was_seen_beside_it(
        self, ground: Ground
    ) -> None:
        for seed in range(6):
            chase = fled(ground, "runs", seed=seed)
            assert not ground.sees(int(chase.hunters[0]), int(chase.cells[0]))
            between = ground.space.position_of(np.array([chase.last, chase.cells[0]]))
            assert 0 < np.linalg.norm(between[1] - between[0]) < 1.5
            assert np.linalg.norm(chase.velocity) == pytest.approx(3.0)
            assert chase.velocity @ (between[1] - between[0]) > 0

    def test_what_he_does_changes_neither_the_chase_nor_the_others(self, ground: Ground) -> None:
        chases = [fled(ground, fugitive, hunters) for fugitive in FUGITIVES for hunters in (1, 5)]
        assert (
            len(
                {
                    (chase.last, *chase.velocity, chase.cells[0], chase.hunters[0])
                    for chase in chases
                }
            )
            == 1
        )
        for one, five in zip(chases[::2], chases[1::2], strict=True):
            np.testing.assert_array_equal(one.cells, five.cells)
            assert len(set(five.hunters.tolist())) == 5
            assert not any(ground.sees(int(hunter), int(five.cells[0])) for hunter in five.hunters)

    def test_each_does_what_he_is_called_after(self, ground: Ground) -> None:
        for seed in range(5):
            stands, hides, turns, runs = (
                fled(ground, name, seed=seed).cells
                for name in ("stands", "hides", "doubles back", "runs")
            )
            assert (stands == stands[0]).all()
            assert (hides[-30:] == hides[-1]).all()
            assert 0 < ground.distances(int(hides[0]))[hides[-1]] <= 15
            assert np.argmax(turns != runs) >= 6  # two seconds at least on the same way
            assert not np.array_equal(turns, runs)


class Told(Search):
    """A search that has been told where he will be."""

    def __init__(self, space: Any, cells: np.ndarray) -> None:
        self.cells, self.tick = cells, -1
        super().__init__(space, 3.0)

    def _advance(self, dt: float) -> None:
        self.tick += 1

    def _send(self, points: np.ndarray, idle: np.ndarray, rng: np.random.Generator) -> None:
        self._goals[:] = self.cells[self.tick]


class TestSearches:
    def test_one_who_is_told_finds_him_and_none_before_the_lead(self, ground: Ground) -> None:
        for seed in range(5):
            chase = fled(ground, "hides", hunters=2, seed=seed)
            found = search_for(
                ground, chase, Told(ground.space, chase.cells), np.random.default_rng(0)
            )
            assert found is not None
            assert found >= chase.lead
            away = min(ground.distances(int(chase.cells[-1]))[chase.hunters].tolist())
            assert found <= chase.lead + away * 1.1 + 2


def row(
    seed: int, fugitive: str, searchers: int, seconds: dict[str, float], map_: str = "open"
) -> dict[str, Any]:
    job = {
        "map": map_,
        "width": 40,
        "height": 30,
        "sight": 8.0,
        "lead": 1.0,
        "limit": 20.0,
        "methods": ",".join(METHODS),
    }
    results = {f"found by {method}": seconds[method] < 20 for method in METHODS} | {
        f"seconds by {method}": seconds[method] for method in METHODS
    }
    return {**job, "seed": seed, "fugitive": fugitive, "searchers": searchers, **results}


class TestWhatIsSaid:
    def test_over_searchers_and_map_by_map(self) -> None:
        rows = []
        for seed in range(10):
            for fugitive in ("runs", "hides"):
                for searchers in (1, 4):
                    found = 4.0 + seed
                    seconds = {
                        "last": 20.0 if fugitive == "runs" else found,
                        "random": 20.0,
                        "blind": 20.0,
                        "flood": found,
                        "belief": found - 2,
                        "party": found - 1,
                    }
                    rows += [
                        row(seed, fugitive, searchers, seconds, map_)
                        for map_ in ("open", "a/b.map")
                    ]
        summary = summarise(rows)
        assert (summary.groups, summary.series, summary.axis) == (("1", "4"), METHODS, "searchers")
        assert summary.found["4", "last", "runs: found"].value == 0
        assert summary.found["4", "last", "hides: found"].value == 1
        assert summary.found["1", "belief", "hides: seconds"].value == 6.5
        assert summary.found["1", "belief", "hides: seconds"].count == 20
        maps = summary.more[0]
        assert maps.groups == ("open 40 x 30", "b.map 40 x 30", "all maps")
        assert maps.found["all maps", "last", "found"].value == 0.5
        assert maps.found["open 40 x 30", "flood", "found"].count == 10  # worlds, not chases
        sooner = maps.found["open 40 x 30", "belief", "sooner than last"]
        assert sooner.value == pytest.approx((11.5 + 2 + 2) / 2)
        assert ("open 40 x 30", "last", "sooner than last") not in maps.found

    def test_a_study_runs_and_leaves_its_files(self, tmp_path: Path) -> None:
        study = chase_study(
            ["rooms"],
            size="40x30",
            seeds=1,
            searchers=(1, 3),
            fugitives=("hides", "stands"),
            sight=7,
            lead=2,
            limit=12,
        )
        assert len(study.jobs) == 4
        report = run_study(study, tmp_path, workers=1)
        assert not report.failures
        assert [file.name for file in report.files] == [
            "chase.csv",
            "chase.json",
            "chase.png",
            "chase-maps.png",
        ]
        for each in report.rows[:1]:
            assert dict(each) == {
                **{name: each[name] for name in study.jobs[0]},
                **run({name: each[name] for name in study.jobs[0]}),
            }
            for method in METHODS:
                seconds, found = each[f"seconds by {method}"], each[f"found by {method}"]
                assert isinstance(seconds, float)
                assert (2 <= seconds <= 12) if found else (seconds == 12)

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ({"kinds": ["swamp"]}, "kind"),
            ({"searchers": (0,)}, "searchers"),
            ({"fugitives": ("flies",)}, "fugitive"),
            ({"sight": 0.0}, "sight"),
            ({"lead": 60.0}, "A search begins before"),
            ({"seeds": 0}, "seeds"),
        ],
    )
    def test_what_is_refused(self, arguments: dict[str, Any], says: str) -> None:
        with refused(InvalidValue, says):
            chase_study(**arguments)

    def test_a_file_that_is_no_map_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "bad.map").write_text("no map")
        with pytest.raises(BadMapFile):
            chase_study(files=[tmp_path / "bad.map"])
