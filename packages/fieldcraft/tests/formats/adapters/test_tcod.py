from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.formats.adapters import tcod as adapter

path = pytest.importorskip("tcod.path", reason="needs tcod")


def dungeon() -> np.ndarray:
    """`walkable[x, y]` of a map that is not square, in Fortran order as tcod's tutorial has it."""
    return np.asfortranarray(~fc.generate_map("rooms", 40, 25, seed=4).walls.T)


def test_tiles_are_the_same_on_both_sides() -> None:
    walkable = dungeon()
    space = adapter.grid(walkable)
    assert space.shape == (25, 40)
    x, y = np.argwhere(walkable)[17]
    assert not space.walls[y, x]
    assert space.cell_at((x, y)) == y * 40 + x
    imap = fc.InfluenceMap(space)
    scent = imap.add_layer("scent", fc.Spread(decay=0.2, momentum=1.0))
    live = adapter.tiles_of(scent)
    scent.add_source((x, y), 5.0)
    imap.step(3)
    assert np.shares_memory(live, scent.values)
    assert live[x, y] == scent.values[y, x] == 5.0
    with pytest.raises(ValueError, match="read-only"):
        live[x, y] = 1


def test_sight_goes_into_masks() -> None:
    walkable = dungeon()
    space = adapter.grid(walkable)
    x, y = (int(part) for part in np.argwhere(walkable)[40])
    seen = adapter.field_of_view(walkable, (x, y), radius=8)
    assert seen.shape == space.shape
    assert seen[y, x]
    imap = fc.InfluenceMap(space)
    known = imap.add_layer("known", fc.Fade(half_life=30.0))
    known.mark(seen)
    assert ((known.values > 0) == (seen & ~space.walls)).all() or ((known.values > 0) == seen).all()
    belief = fc.Belief(space, speed=1.0)
    belief.observe(seen)
    assert belief.values[seen].sum() == 0


def test_tcod_climbs_down_our_distances() -> None:
    walkable = dungeon()
    space = adapter.grid(walkable)
    start, goal = np.argwhere(walkable)[[3, -5]]
    distances = fc.distance_map(space, goal)
    whole = adapter.steps_to(distances)
    assert (whole.dtype, whole.flags.f_contiguous) == (np.int32, True)
    assert (whole[~walkable] == 2**30).all()
    way = path.hillclimb2d(whole, tuple(start), True, True)
    assert tuple(way[-1]) == tuple(goal)
    straight = np.abs(np.diff(way, axis=0)).sum(axis=1)
    length = np.where(straight == 2, np.sqrt(2), 1).sum()
    assert length == pytest.approx(distances.sample(start), abs=1.0)


def test_tcod_pays_our_costs() -> None:
    walkable = np.ones((12, 7), dtype=bool, order="F")
    walkable[5, 0:3] = walkable[5, 4:] = False  # gaps at (5, 3) only
    space = adapter.grid(walkable)
    imap = fc.InfluenceMap(space)
    danger = imap.add_layer("danger", fc.Radial(1.5, "constant"))
    danger.add_source((8, 3), 4.0)
    imap.step()
    cost = adapter.path_cost(danger)
    assert (cost[~walkable] == 0).all()
    assert cost[8, 3] == 50
    assert cost[0, 0] == 10
    finder = path.Pathfinder(path.SimpleGraph(cost=cost, cardinal=2, diagonal=3))
    finder.add_root((0, 3))
    way = finder.path_to((11, 3))
    ours = fc.shortest_path(space, (0, 3), (11, 3), cost=1 + danger)
    assert (5, 3) in {tuple(tile) for tile in way.tolist()}
    assert sum(danger.sample(np.asarray(way, dtype=float))) == pytest.approx(
        danger.sample(ours.positions).sum(), abs=4.0
    )


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_odd_arguments_are_refused(data: st.DataObject) -> None:
    walkable = dungeon()
    odd = data.draw(
        st.sampled_from(
            [
                None,
                "x",
                walkable.astype(int),
                walkable[0],
                [[True], [True, False]],
                np.zeros((0, 3), bool),
                3,
                np.nan,
            ]
        )
    )
    position = data.draw(
        st.sampled_from([(-1, 0), (40, 3), (0.5, 1), "ab", None, (np.nan, 1), (1, 2, 3)])
    )
    for call in (
        lambda: adapter.grid(odd),
        lambda: adapter.field_of_view(walkable, position),
        lambda: adapter.steps_to(odd if not isinstance(odd, np.ndarray) or odd.ndim != 2 else None),
        lambda: adapter.path_cost(odd),
    ):
        with pytest.raises(FieldcraftError):
            call()


def test_whole_distances_need_a_grid() -> None:
    space = adapter.grid(dungeon())
    with pytest.raises(InvalidValue, match="grid"):
        adapter.tiles_of(
            fc.distance_map(
                space.to_graph(), space.position_of(int(np.flatnonzero(~space.walls)[0]))
            )
        )
