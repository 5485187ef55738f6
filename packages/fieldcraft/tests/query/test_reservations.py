"""Reservations of the best cells."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import query
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support.fields import Field, distances, inside, noise, random_walls
from support.refusals import refused


@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0, 2.5, 30.0]), st.booleans(), st.booleans())
@settings(max_examples=16)
def test_each_in_turn_takes_the_best_of_what_is_left(
    seed: int, spacing: float, y_up: bool, wrap: bool
) -> None:
    space = fc.Grid(17, 9, y_up=y_up, wrap=wrap, walls=random_walls((9, 17), 0.2, seed))
    field, places = noise(space, seed, levels=3), inside(space, 20, seed)
    held = query.Reservations(space, spacing=spacing)
    spots = held.best(field, places, 4.0, agents=range(20))
    centers = space.position_of(np.arange(len(space)))
    free = np.ones(len(space), bool)
    for i, place in enumerate(places):
        alone = query.best(field, place, 4.0, where=free.reshape(space.shape))
        assert spots.cells[i] == alone.cell
        if alone.found:
            free[alone.cell] = False
            free &= distances(space, centers, alone.position) >= spacing - 1e-6
    assert held.cells.tolist() == spots.cells[spots.found].tolist()
    assert held.agents == np.flatnonzero(spots.found).tolist()


def test_a_hundred_agents_on_one_hill_stand_apart() -> None:
    space = fc.Grid(60, 40)
    x, y = space.position_of(np.arange(len(space))).T
    field = Field(space, (-np.hypot(x - 30, y - 20)).reshape(space.shape).astype(np.float32))
    held = query.Reservations(space, spacing=2.0)
    spots = held.best(
        field, np.full((100, 2), 20.0), 40.0, agents=[f"unit {i}" for i in range(100)]
    )
    assert spots.found.all() and len(held) == 100
    apart = distances(space, spots.position[:, None], spots.position[None])
    assert apart[~np.eye(100, dtype=bool)].min() >= 2.0


def test_what_others_hold_stays_theirs_and_what_is_released_is_free() -> None:
    space = fc.Grid(9, 3)
    field = Field(space, np.arange(27, dtype=np.float32).reshape(3, 9))
    held = query.Reservations(space)
    assert held.best(field, (4.5, 1.5), 20, agents="a").cell == 26
    assert held.best(field, (4.5, 1.5), 20, agents="b").cell == 25
    assert held.best(field, (4.5, 1.5), 20, agents="b").cell == 25  # gives up its own first
    assert held.agents == ["a", "b"] and held.cells.tolist() == [26, 25]
    assert held.positions.tolist() == space.position_of([26, 25]).tolist()
    assert held.best(field, [(4.5, 1.5)] * 2, 20, agents=["b", "a"]).cells.tolist() == [
        26,
        25,
    ]  # all give up first
    assert "b" in held and "c" not in held and len(held) == 2
    assert held.release("b", "c") == 1
    assert held.worst(field, (4.5, 1.5), 20, agents=7).cell == 0
    assert held.best(field, (4.5, 1.5), 20, agents=7).cell == 26
    held.clear()
    assert len(held) == 0 and held.positions.shape == (0, 2)
    assert held.best(field, [], 3, agents=[]).cells.shape == (0,)


def test_an_agent_that_finds_nothing_holds_nothing() -> None:
    space = fc.Grid(2, 1)
    field = noise(space, 1)
    held = query.Reservations(space)
    spots = held.best(field, [(0.5, 0.5)] * 3, 5, agents=np.array([4, 5, 6]))
    assert spots.found.tolist() == [True, True, False]
    assert held.agents == [4, 5]
    assert not held.best(field, (0.5, 0.5), 5, agents=4, where=np.zeros((1, 2), bool)).found
    assert held.agents == [5]


def test_an_expression_and_a_layer_of_the_same_ground_share_reservations() -> None:
    held = query.Reservations(fc.Grid(9, 5), spacing=1.0)
    other = noise(fc.Grid(9, 5, walls=random_walls((5, 9), 0.2, 2)), 3)
    assert held.best(other, (4, 2), 3, agents=1).found
    with refused(InvalidValue, "cell_size 2"):
        held.best(noise(fc.Grid(9, 5, cell_size=2.0), 4), (4, 2), 3, agents=2)


def test_refusals_change_nothing() -> None:
    space = fc.Grid(4, 3)
    field = noise(space, 5)
    held = query.Reservations(space)
    held.best(field, [(1, 1), (2, 2)], 3, agents=["a", "b"])
    before = (held.agents, held.cells.tolist())
    with refused(InvalidValue, "'a' twice"):
        held.best(field, [(1, 1), (2, 2)], 3, agents=["a", "a"])
    with refused(InvalidValue, "[1]"):
        held.best(field, [(1, 1), (2, 2)], 3, agents=[[1], "a"])
    for agents in (["a"], "ab", 3, ["a", "b", "c"]):
        with refused(InvalidValue, "for 2 positions"):
            held.best(field, [(1, 1), (2, 2)], 3, agents=agents)
    with refused(OutsideMap, "at index 1"):
        held.best(field, [(1, 1), (2, 9)], 3, agents=["a", "b"])
    with refused(InvalidValue, "radius"):
        held.best(field, (1, 1), 0, agents="a")
    with refused(InvalidValue, "bool"):
        held.best(field, (1, 1), 1, agents="a", where=np.ones((4, 3), bool))
    assert (held.agents, held.cells.tolist()) == before
    with refused(InvalidValue, "spacing"):
        query.Reservations(space, spacing=-1)
    with refused(InvalidValue, "Field"):
        query.Reservations(field)  # type: ignore[arg-type]


def test_who_walks_reserves_no_spot_behind_a_wall() -> None:
    walls = np.zeros((5, 9), dtype=bool)
    walls[:4, 4] = True
    space = fc.Grid(walls=walls, tiles=True)
    values = np.zeros(space.shape, dtype=np.float32)
    values[0, 5:8] = 9, 8, 7  # behind the wall
    values[0, 1:3] = 3, 2
    layer = fc.InfluenceMap(space).add_layer("cover", values=values)
    near, names = np.array([(2.0, 1.0), (3.0, 1.0), (3.0, 2.0)]), ["a", "b", "c"]
    assert fc.query.Reservations(space).best(layer, near, 6, agents=names).values.tolist() == [
        9,
        8,
        7,
    ]
    spots = fc.query.Reservations(space)
    assert spots.best(layer, near, 6, agents=names, walk=6).values.tolist() == [3, 2, 0]
    assert len(set(spots.cells.tolist())) == 3
    again = spots.best(layer, near, 6, agents=names, walk=6)
    assert again.values.tolist() == [3, 2, 0], "an agent's own spot is free to it"
    apart = fc.query.Reservations(space, spacing=2.0)
    apart.best(layer, near, 6, agents=names, walk=6, where=values >= 0)
    away = np.hypot(*(apart.positions[:, None] - apart.positions[None]).T) + 9 * np.eye(3)
    assert away.min() >= 2
    alone = fc.query.Reservations(space)
    only = alone.best(layer, (2, 1), 6, agents="a", walk=6, where=values > 2.5)
    assert only.value == 3
    none = alone.best(layer, near[:2], 6, agents=["b", "c"], walk=6, where=values > 2.5)
    assert none.found.tolist() == [False, False]
    assert "b" not in alone


def test_one_agent_in_an_array_without_axes_is_one_agent():
    taken = query.Reservations(fc.Grid(5, 1))
    cover = np.arange(5.0)[np.newaxis]
    with refused(InvalidValue, "one agent per position"):
        taken.best(cover, [(0.5, 0.5), (1.5, 0.5)], 3, agents=np.array(7))
    taken.best(cover, (0.5, 0.5), 3, agents=np.array(7))
    assert taken.agents == [7]
