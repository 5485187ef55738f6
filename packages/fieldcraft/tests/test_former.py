"""Names that fieldcraft does not have say what to write in their place."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import former
from support.refusals import refused


@pytest.fixture
def layer():
    imap = fc.InfluenceMap(fc.Grid(6, 4))
    layer = imap.add_layer("threat", fc.Spread(0.1))
    layer.add_source((4.5, 1.5), 3.0)
    imap.step()
    return layer


@pytest.mark.parametrize(("name", "now"), former._MODULE.items())
def test_former_names_of_the_front_door_name_their_successors(name, now):
    with pytest.raises(AttributeError, match=f"It is {now} now"):
        getattr(fc, name)
    found = fc
    for part in now.split(".")[1:]:
        found = getattr(found, part)
    assert callable(found)


def test_former_names_of_objects_name_their_successors(layer):
    teams = fc.InfluenceMap(fc.Grid(6, 4)).add_teams(["red"], fc.Radial(3))
    distances = fc.distance_map(layer.space, (1.5, 1.5))
    for thing, name, now in (
        (layer, "normalise", "normalize"),
        (layer, "staleness", "lag"),
        (distances, "at", "sample"),
        (distances, "stale", "outdated"),
        (fc.Belief(layer.space, speed=1.0), "recall", "restore"),
        (fc.LastSeen(layer.space), "step", "advance"),
        (teams, "values", "layers.values"),
        (layer.space.to_graph(), "block_edges", "set_edges"),
    ):
        with pytest.raises(former.NoSuchName, match=f"Write .{now}"):
            getattr(thing, name)


def test_maps_say_where_the_names_of_arrays_are(layer):
    for thing in (
        layer,
        layer + 1,
        fc.distance_map(layer.space, (1.5, 1.5)),
        fc.LastSeen(layer.space),
    ):
        assert thing.shape == np.asarray(thing).shape == (4, 6)
        assert not hasattr(thing, "max")
        assert not hasattr(thing, "nonsense")
        with pytest.raises(AttributeError, match=r"np\.max\(map\), or map\.values\.max\(\)"):
            thing.max()
        with pytest.raises(AttributeError, match=r"map\.values\.T"):
            thing.T
    assert np.max(layer) == layer.values.max() == 3


def test_maps_are_not_read_like_arrays(layer):
    with refused(
        fc.InvalidValue,
        "asked at world positions",
        "(3, 2)",
        "map.sample((x, y)), or map.values[row, column]",
    ):
        layer[3, 2]
    with refused(fc.InvalidValue, "asked at world positions", "map[0]"):
        list(layer)
    with refused(fc.InvalidValue, "follow from what feeds it", "= 9", "layer.write(array)"):
        layer[3, 2] = 9
    with refused(fc.InvalidValue, "A map is many numbers", "sample"):
        float(layer)


def test_comparing_a_map_with_numbers_is_not_silently_false(layer):
    for other in (3, 0.5, np.float32(1), np.zeros((4, 6))):
        with refused(
            fc.InvalidValue, "asks of a map whether it is the same object", "map.equals(3)"
        ):
            layer == other  # noqa: B015
    assert layer != "threat"
    assert layer != layer + 1
    assert bool(layer)
    assert {layer: 1}[layer] == 1
    assert layer in [None, layer]


def test_missing_names_do_not_stand_in_the_way_of_copies(layer):
    assert (
        copy.deepcopy(layer).values.tobytes()
        == layer.values.tobytes()
        == pickle.loads(pickle.dumps(layer)).values.tobytes()
    )
    assert inspect.unwrap(layer) is layer
