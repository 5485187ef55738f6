"""Cells that hide without being walls, and walls that show what is behind them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space import Space
from fieldcraft.space.sight.sight import watchers
from support.refusals import refused
from support.worlds import KINDS, open_cells

SEEING = ["grid", "torus", "y up", "knight", "mesh", "hexes"]
every_space = pytest.mark.parametrize("kind", SEEING)


def made(kind: str, seed: int) -> tuple[Space, np.random.Generator]:
    dice = np.random.default_rng(seed)
    return KINDS[kind](dice), dice


def corridor() -> fc.Grid:
    """Two rooms, (2, 1) to (6, 1) between them, and a door in the middle."""
    return fc.Grid(walls=[[0, 0, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0]])


@every_space
@pytest.mark.parametrize("seed", range(6))
def test_what_hides_is_seen_past_as_walls_in_its_place_would_be(kind: str, seed: int) -> None:
    """Sight with opaque cells is that of a twin whose walls they are, but for the cells
    themselves.
    """
    space, dice = made(kind, seed)
    walls, opaque = space.walls.reshape(-1), dice.random(len(space)) < 0.3
    twin = space.with_walls(opaque.reshape(space.shape))
    space.set_opaque(np.flatnonzero(opaque))
    space.set_opaque(np.flatnonzero(~opaque), False)
    np.testing.assert_array_equal(space.opaque.reshape(-1), opaque)
    np.testing.assert_array_equal(space.walls.reshape(-1), walls)
    assert space.adjacency.ends.shape == space.with_walls(space.walls).adjacency.ends.shape
    viewers = space.positions[dice.choice(open_cells(space), 3)]
    facing = None if seed % 2 else (1.0, 0.5)
    found = watchers(space, viewers, 3.2, facing=facing, angle=120).reshape(-1)
    seen = watchers(twin, viewers, 3.2, facing=facing, angle=120).reshape(-1)
    clear = ~opaque & ~walls
    np.testing.assert_array_equal(found[clear], seen[clear])
    assert not found[walls].any()
    # An open cell that hides is seen by who has a clear line to it, and from within.
    doors = np.flatnonzero(opaque & ~walls)
    pairs = fc.sees(space, viewers, space.positions[doors], 3.2, facing=facing, angle=120)
    own = np.asarray(space.cell_at(viewers))[:, np.newaxis] == doors
    np.testing.assert_array_equal(found[doors], (pairs | own).sum(axis=0))
    np.testing.assert_array_equal(
        fc.sees(space, viewers, viewers[::-1], 5.0), fc.sees(twin, viewers, viewers[::-1], 5.0)
    )


@every_space
@pytest.mark.parametrize("seed", range(4))
def test_layers_by_sight_follow_what_hides(kind: str, seed: int) -> None:
    space, dice = made(kind, seed)
    layer = fc.InfluenceMap(space).add_layer("a", fc.Radial(2.6, falloff="linear", metric="sight"))
    cells = dice.choice(open_cells(space), 2)
    for cell in cells.tolist():
        layer.add_source(space.position_of(cell), 4.0)
    layer.step()
    for _ in range(3):
        some = dice.choice(len(space), 3)
        space.set_opaque(some, [True, False, None][int(dice.integers(3))])
        layer.step()
        expected = np.zeros(len(space))
        for cell in cells.tolist():
            away = np.sqrt((space.offsets_from(space.position_of(cell)) ** 2).sum(axis=1))
            seen = fc.visible(space, space.position_of(cell), 2.6).reshape(-1)
            expected += np.where(seen, 4 * np.maximum(1 - away / 2.6, 0), 0)
        np.testing.assert_allclose(layer.values.reshape(-1), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("as_graph", [False, True])
def test_a_door_hides_and_lets_walk_and_glass_shows_and_blocks(as_graph: bool) -> None:
    space: Any = corridor().to_graph() if as_graph else corridor()
    here, beyond = (0.5, 1.5), (6.5, 1.5)
    assert fc.sees(space, here, beyond, 9.0).all()
    door = space.cell_at((3.5, 1.5))
    space.set_opaque([door])
    assert not fc.sees(space, here, beyond, 9.0).any()
    assert not fc.visible(space, here, 9.0).reshape(-1)[space.cell_at(beyond)]
    assert fc.visible(space, here, 9.0).reshape(-1)[door]  # the door itself is seen
    assert fc.shortest_path(space, here, beyond).length == 6.0
    space.set_opaque([door], False)
    space.set_walls([door])
    assert fc.sees(space, here, beyond, 9.0).all() and not fc.shortest_path(space, here, beyond)
    assert not fc.visible(space, here, 9.0).reshape(-1)[door]
    space.set_opaque([door], None)
    assert not fc.sees(space, here, beyond, 9.0).any()
    heights = np.zeros(space.shape)
    space.set_walls([door], False)
    space.set_opaque([door])
    seen = fc.visible(space, here, 9.0, heights=heights).reshape(-1)
    assert seen[door] and not seen[space.cell_at(beyond)]


@pytest.mark.parametrize("search", ["party", "belief"])
def test_searches_do_not_look_through_doors(search: str) -> None:
    """A target that went through a door that hides is looked for behind it."""
    space = corridor()
    space.set_opaque([space.cell_at((3.5, 1.5))])
    guard = np.array([[1.5, 1.5]])
    if search == "belief":
        belief = fc.Belief(space, speed=2.0)
        belief.see((5.5, 1.5))
        belief.observe(fc.visible(space, guard, 9.0))
        belief.advance(0.5)
        belief.observe(fc.visible(space, guard, 9.0))
        behind = space.positions[:, 0] > 3.0
        assert belief.probability().reshape(-1)[behind].sum() == pytest.approx(1.0)
        return
    party, dice = fc.SearchParty(space, speed=2.0, sight=9.0), np.random.default_rng(1)
    party.lost((2.5, 1.5), (2.0, 0.0))
    for _ in range(8):
        party.observe(fc.visible(space, guard, 9.0))
        way = fc.shortest_path(space, guard[0], party.places(guard, dice)[0])
        guard = way.at(0.6)[np.newaxis] if way.length > 0.6 else guard
        party.advance(0.25)
    assert guard[0, 0] > 3.0


def test_coarser_grids_and_copies_keep_what_hides(tmp_path: Any) -> None:
    grid = corridor()
    coarse = grid.coarser(3.0)
    grid.set_opaque(np.arange(len(grid)).reshape(grid.shape)[:, 3:6].reshape(-1))
    assert coarse.opaque.tolist() == [[False, True, False]] and not coarse.walls.any()
    hexes, graph = fc.HexGrid(5, 4), grid.to_graph()
    hexes.set_opaque([3, 4])
    graph.set_opaque([5])
    for space in (grid, hexes, graph):
        imap = fc.InfluenceMap(space)
        imap.save(tmp_path / "a.fieldcraft")
        copies = [
            pickle.loads(pickle.dumps(space)),
            fc.InfluenceMap.load(tmp_path / "a.fieldcraft").space,
            space.with_walls(space.walls),
        ]
        for copy in copies:
            np.testing.assert_array_equal(copy.opaque, space.opaque)
    assert fc.Grid(3, 2).opaque.any() == False  # noqa: E712
    grid.set_walls([0])
    assert grid.opaque[0, 0]


def test_what_cannot_hide_says_so() -> None:
    with pytest.raises(InvalidValue, match="from_polygons"):
        fc.Graph([(0, 0), (1, 0)], [(0, 1)]).set_opaque([0])
    with pytest.raises(OutsideMap):
        fc.Grid(3, 2).set_opaque([6])
    with pytest.raises(InvalidValue, match="opaque"):
        fc.Grid(3, 2).set_opaque([1], "yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        fc.Grid(3, 2).opaque[0, 0] = True


def test_a_torus_of_hexagons_has_no_opaque_cells() -> None:
    with refused(InvalidValue, "lines of sight", "wrap=False"):
        fc.HexGrid(4, 4, wrap=True).set_opaque([1])
