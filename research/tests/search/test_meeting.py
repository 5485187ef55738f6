"""Futures of a target whose motion is known, and searchers that go where they meet it."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.pursuit.motion import Journey, Motion, Stand
from research.search.futures import futures
from research.search.meeting import MeetingSearch
from support.worlds import KINDS, open_cells


def test_futures_are_distributed_as_the_belief_will_be() -> None:
    cave = fc.generate_map("cave", 31, 22, seed=5, neighbors=8)
    at = cave.position_of(cave.nearest_open(340))
    motion = Motion(
        runs=0.3,
        hides=0.2,
        doubles_back=0.2,
        stands=0.1,
        wanders=0.2,
        far=8,
        changes=0.2,
        paces=(0.5, 1.0),
    )
    belief = fc.Belief(cave, 2.0, motion=motion)
    belief.see(at, velocity=(1.0, 0.5))
    belief.step(3)
    before = belief.snapshot()
    count = 40_000
    paths = futures(belief, count, 14, np.random.default_rng(3))
    assert paths.shape == (15, count)
    for name, kept in belief.snapshot().items():
        np.testing.assert_array_equal(kept, before[name])
    dice = np.random.default_rng(4)
    for ahead in range(15):
        likely = belief.probability().reshape(-1)
        off = np.abs(np.bincount(paths[ahead], minlength=len(cave)) / count - likely).sum()
        by_chance = np.abs(dice.multinomial(count, likely) / count - likely).sum()
        assert off < 1.25 * by_chance + 0.004, (ahead, off, by_chance)
        belief.step()
    np.testing.assert_array_equal(
        futures(belief, 9, 5, np.random.default_rng(1)),
        futures(belief, 9, 5, np.random.default_rng(1)),
    )
    assert futures(belief, 1, 0, dice).shape == (1, 1)


class TestMeeting:
    def test_nobody_runs_after_one_who_is_as_fast(self) -> None:
        hall = fc.Grid(80, 3, neighbors=8)
        search = MeetingSearch(
            hall,
            1.0,
            sight=5.0,
            every=15.0,
            motion={"runs": (0.7, Journey([(79.5, 1.5)])), "stands": (0.3, Stand())},
        )
        search.lost((40.5, 1.5), (1.0, 0.0))
        search.advance(8.0)
        search.look(fc.visible(hall, (25.5, 1.5), 5.0))
        behind = search.places([(25.5, 1.5)], np.random.default_rng(0))[0]
        assert 35 <= behind[0] <= 46  # the one who stands can be met, the other not
        ahead = search.places([(25.5, 1.5), (70.5, 1.5)], np.random.default_rng(0))
        assert 35 <= ahead[0, 0] <= 46 and ahead[1, 0] > 50

    @pytest.mark.parametrize("kind", sorted({*KINDS} - {"torus of hexes"}))
    def test_on_any_space(self, kind: str) -> None:
        space = KINDS[kind](np.random.default_rng(2))
        cells = open_cells(space)
        search = MeetingSearch(space, 1.0, motion=Motion(changes=0.1))
        search.lost(space.position_of(int(cells[0])))
        at = space.position_of(cells[[-1, 0, -1]])
        for _ in range(4):
            search.advance(2.0)
            search.look(cells[::4])
            places = search.places(at, np.random.default_rng(5))
            assert (
                places.shape == at.shape
                and not space.walls.reshape(-1)[space.cell_at(places)].any()
            )
