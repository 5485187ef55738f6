"""Python's own copies: what is pickled or deep-copied goes on bit for bit, and what belongs
together still does.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import fieldcraft as fc


def _pickled(thing):
    return pickle.loads(pickle.dumps(thing))


WAYS = {"pickle": _pickled, "deepcopy": copy.deepcopy}
SPACES = {
    "grid": lambda: fc.Grid(
        walls=np.eye(7, 11, 2, dtype=bool), neighbors=8, cell_size=2.0, y_up=True
    ),
    "torus": lambda: fc.Grid(11, 7, wrap=True),
    "hex": lambda: fc.HexGrid(11, 7),
    "graph": lambda: fc.Grid(walls=np.eye(7, 11, 2, dtype=bool)).to_graph(),
    "mesh": lambda: fc.Graph.from_polygons(
        [(2.0 * x, 3.0 * y) for y in range(4) for x in range(6)],
        [
            [y * 6 + x, y * 6 + x + 1, y * 6 + x + 7, y * 6 + x + 6]
            for y in range(3)
            for x in range(5)
        ],
    ),
}


def _world(space):
    """A map of all kinds of layers that has lived a while, and what follows it."""
    imap = fc.InfluenceMap(space)
    here, there = space.position_of(0), space.position_of(len(space) - 1)
    spread = imap.add_layer("spread", fc.Spread(decay=0.3, momentum=0.5), every=0.2)
    radial = imap.add_layer("radial", fc.Radial(5, metric="path"), priority=2)
    fade = imap.add_layer("fade", fc.Fade(half_life=3.0))
    imap.add_layer("own", values=np.arange(len(space), dtype=np.float32).reshape(space.shape))
    source = spread.add_source(here, strength=4.0, lifetime=2.5)
    radial.sync(["ann", 7], [here, there], [1.0, 2.0])
    fade.mark(there, radius=3.0)
    imap.advance(0.73)
    wish = (2 * spread - radial).clamp(-1, 3) ** 2 + fade.curve("linear", 0, 4)
    distances = fc.distance_map(space, here, cost=1 + abs(radial))
    _ = distances.values
    belief, waited = fc.Belief(space, 1.0), fc.LastSeen(space, unseen=9)
    pursuit = fc.Pursuit(space, here, np.ones(space.dimensions))
    waited.observe([0])
    belief.observe([0])
    teams = imap.add_teams(["red", "blue"], fc.Radial(4))
    teams["red"].add_source(here)
    return {
        "space": space,
        "imap": imap,
        "source": source,
        "wish": wish,
        "distances": distances,
        "flight": fc.flee_map(distances),
        "flow": fc.flow_field(distances),
        "belief": belief,
        "waited": waited,
        "pursuit": pursuit,
        "teams": teams,
        "tension": teams.tension(),
        "desire": wish - 0.1 * distances + belief,
        "spots": fc.query.Reservations(space),
        "root": abs(wish).sqrt() + 2 ** (0.1 * wish),
        "path": distances.descend(there),
        "threats": {"ann": radial},
    }


def _lived_on(world):
    """What it says of itself after going on, and after a wall has come and a source gone, as
    bytes.
    """
    space, imap = world["space"], world["imap"]
    said = []
    for _ in range(3):
        for seeker in (world["belief"], world["pursuit"], world["waited"]):
            seeker.advance(0.5)
        imap.advance(0.31)
        said += [layer.values.tobytes() for layer in imap.layers.values()]
        said += [
            world[name].values.tobytes()
            for name in (
                "wish",
                "belief",
                "pursuit",
                "waited",
                "tension",
                "desire",
                "root",
            )
        ]
        said += [world["distances"].outdated]
        space.set_walls([len(space) // 2 + 1])
        world["flight"].repair()
        world["distances"].repair()
        said += [world["distances"].values.tobytes(), world["flight"].values.tobytes()]
        said += [
            world["flow"].vectors.tobytes(),
            world["path"].cells.tobytes(),
            imap.time,
            world["distances"].version,
        ]
        world["source"].strength = 7.0
        world["threats"]["ann"].sync(["ann"], [space.position_of(0)], [1.5])
        world["teams"]["blue"].add_source(space.position_of(0))
    return said


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", SPACES)
def test_a_world_goes_on_bit_for_bit(kind, way):
    world = _world(SPACES[kind]())
    twin = WAYS[way](world)
    assert twin["imap"].space is twin["space"] is not world["space"]
    assert twin["imap"]["radial"] is twin["threats"]["ann"]
    assert twin["teams"]["red"] is twin["imap"]["red"]
    assert twin["distances"].space is twin["space"]
    assert repr(twin["wish"]) == repr(world["wish"])
    assert _lived_on(twin) == _lived_on(world)


@pytest.mark.parametrize("way", WAYS)
def test_alone_each_is_a_whole(way):
    world = _world(SPACES["grid"]())
    for name in (
        "wish",
        "desire",
        "tension",
        "belief",
        "pursuit",
        "waited",
        "distances",
        "flight",
        "root",
    ):
        twin = WAYS[way](world[name])
        np.testing.assert_array_equal(twin.values, world[name].values, err_msg=name)
        assert not twin.values.flags.writeable
    layer = WAYS[way](world["imap"]["spread"])
    layer.step(3)
    world["imap"]["spread"].step(3)
    assert layer.values.tobytes() == world["imap"]["spread"].values.tobytes()


@pytest.mark.parametrize("way", WAYS)
def test_walls_that_nobody_has_followed_yet_are_followed_later(way):
    space = fc.Grid(9, 5)
    fine = {"space": space, "imap": fc.InfluenceMap(space)}
    fine["coarse"] = fine["imap"].add_layer(
        "coarse", fc.Spread(decay=0.1, momentum=0.5), cell_size=3.0
    )
    fine["distances"] = fc.distance_map(space, (0.5, 0.5))
    _ = fine["distances"].values
    space.set_walls(np.arange(45).reshape(5, 9)[:, 3:6].ravel())
    assert fine["distances"].outdated
    twin = WAYS[way](fine)
    assert twin["distances"].outdated
    np.testing.assert_array_equal(twin["distances"].values, fine["distances"].values)
    assert twin["distances"].repair().tolist() == fine["distances"].repair().tolist()
    twin["space"].set_walls(np.arange(45).reshape(5, 9)[:, :3].ravel())
    assert twin["coarse"].space.walls.tolist() == [[True, True, False]] * 2
    assert fine["coarse"].space.walls.tolist() == [[False, True, False]] * 2


def test_a_function_without_a_name_says_so_itself():
    layer = fc.InfluenceMap(fc.Grid(3, 2)).add_layer("own", values=np.ones((2, 3)))
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(layer.curve(lambda values: values))
    np.testing.assert_array_equal(
        _pickled(layer.curve(np.tanh)).values, layer.curve(np.tanh).values
    )
