"""Links after walls have changed are those of a grid that had these walls from the start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from support.worlds import WRAPS

NEIGHBORS = (4, 8, [(1, 2), (2, 1), (-1, 2), (1, 1)], [(5, 0), (0, -3)])


@settings(max_examples=35)
@given(st.integers(0, 2**32 - 1))
def test_mended_links_equal_built_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = int(rng.integers(3, 40)), int(rng.integers(3, 50))
    enter = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1]], dtype=bool)
    terrain = fc.Terrain(rng.integers(0, 3, (height, width)), enter) if rng.random() < 0.4 else None
    neighbors = NEIGHBORS[rng.integers(len(NEIGHBORS))]
    grid = fc.Grid(
        width,
        height,
        neighbors=neighbors,
        walls=rng.random((height, width)) < 0.2,
        terrain=terrain,
        wrap=WRAPS[int(rng.integers(4))],
        y_up=bool(rng.random() < 0.5),
    )
    grid.links()
    coarse = None if grid.wrap else grid.coarser(2)
    for _ in range(4):
        grid.set_walls(
            rng.choice(height * width, int(rng.integers(1, 5))), bool(rng.random() < 0.5)
        )
        fresh = fc.Grid(
            width,
            height,
            neighbors=neighbors,
            walls=grid.walls,
            terrain=terrain,
            wrap=grid.wrap,
            y_up=grid.y_up,
        )
        np.testing.assert_array_equal(grid.links(), fresh.links())
        if coarse is not None:
            assert coarse.walls_version >= 0
            np.testing.assert_array_equal(coarse.walls, fresh.coarser(2).walls)


def test_set_walls_says_what_changed() -> None:
    grid = fc.Grid(7, 5)
    grid.set_walls([3, 3, 9])
    version = grid.walls_version
    grid.set_walls([9, 12])
    assert grid.walls_changed(version).tolist() == [12]
    assert np.flatnonzero(grid.walls).tolist() == [3, 9, 12]
    grid.set_walls(9, False)
    assert np.flatnonzero(grid.walls).tolist() == [3, 12]
    grid.set_walls([])
    assert grid.walls_changed(0).tolist() == [3, 9, 12]


def test_set_walls_refuses() -> None:
    terrain = fc.Terrain(np.array([[0, 1, 0]]), np.array([[True, False], [False, False]]))
    grid = fc.Grid(3, 1, terrain=terrain)
    with pytest.raises(fc.FieldcraftError, match=r"[Ii]mpassable"):
        grid.set_walls(1, False)
    with pytest.raises(fc.FieldcraftError):
        grid.set_walls(3)
    with pytest.raises(fc.FieldcraftError, match="True or False"):
        grid.set_walls(0, None)  # type: ignore[arg-type]
    assert grid.walls_version == 0


@pytest.mark.parametrize("seed", range(4))
def test_layers_follow_walls_as_if_they_had_always_stood_there(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = 26, 39
    grid = fc.Grid(
        width,
        height,
        neighbors=(4, 8)[seed % 2],
        walls=rng.random((height, width)) < 0.15,
        wrap=seed == 3,
    )
    positions = grid.position_of(rng.integers(0, len(grid), 8))
    strengths, radii = rng.random(8) * 5 - 1, rng.integers(1, 9, 8)

    def build(space: fc.Grid) -> fc.InfluenceMap:
        imap = fc.InfluenceMap(space)
        for metric in ("straight", "connected", "path", "sight"):
            for blend in ("sum", "max"):
                layer = imap.add_layer(
                    f"{metric} {blend}", fc.Radial(5, metric=metric, blend=blend)
                )
                layer.add_sources(positions, strengths, radii=radii, on_wall="through")
        imap.add_layer("spread", fc.Spread(0.3, 0.5)).add_sources(
            positions, strengths, on_wall="through"
        )
        return imap

    imap = build(grid)
    for _ in range(5):
        imap.step(2)
        grid.set_walls(rng.choice(len(grid), int(rng.integers(1, 6))), bool(rng.random() < 0.6))
    imap.step(60)
    fresh = build(
        fc.Grid(width, height, neighbors=(4, 8)[seed % 2], walls=grid.walls, wrap=grid.wrap)
    )
    fresh.step()
    for each in (imap, fresh):
        each["spread"].settle()
    for name in imap:
        np.testing.assert_array_equal(imap[name].values, fresh[name].values, err_msg=name)
