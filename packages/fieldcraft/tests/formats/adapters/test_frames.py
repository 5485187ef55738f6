from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters.frames import columns, timeline

LIBRARIES = ["pandas", "polars"]
PLACES = {
    "name": ["a", "b", "c"],
    "y": [1.5, 3.5, 2.5],
    "x": [2.5, 7.5, 4.5],
    "power": [1.0, 2.0, 3.0],
}


def frame(library: str, data: dict[str, Any]) -> Any:
    return pytest.importorskip(library).DataFrame(data)


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_go_in_wherever_positions_go(library: str) -> None:
    told = frame(library, PLACES)
    at = np.array([PLACES["x"], PLACES["y"]]).T
    space = fc.Grid(10, 6)
    imap = fc.InfluenceMap(space)
    threat = imap.add_layer("threat", fc.Radial(3.0))
    threat.sync(list(told["name"]), told, told["power"])
    imap.step()
    other = fc.InfluenceMap(space).add_layer("threat", fc.Radial(3.0))
    other.sync(PLACES["name"], at, PLACES["power"])
    other.step()
    assert np.array_equal(threat.values, other.values) and threat.values.any()
    assert np.array_equal(threat.sample(told), threat.sample(at))
    assert np.array_equal(space.cell_at(told), space.cell_at(at))
    assert np.array_equal(fc.sees(space, told, told, 5.0), fc.sees(space, at, at, 5.0))
    assert np.array_equal(fc.distance_map(space, told).values, fc.distance_map(space, at).values)
    with pytest.raises(InvalidValue, match="finite"):
        threat.sample(frame(library, {"x": [1.0, np.nan], "y": [1.0, 2.0]}))
    with pytest.raises(InvalidValue):
        threat.sample(frame(library, {"x": [1.0], "height": [1.0], "power": [2.0]}))
    with pytest.raises(InvalidValue):
        threat.sample(frame(library, {"x": ["west"], "y": ["north"]}))


@pytest.mark.parametrize("library", LIBRARIES)
def test_layers_paths_and_timelines_come_out(library: str) -> None:
    space = fc.Grid(5, 4, walls=np.arange(20).reshape(4, 5) == 7)
    layer = fc.InfluenceMap(space).add_layer("height", values=np.arange(20.0).reshape(4, 5))
    told = frame(library, columns(layer))
    assert list(told.columns) == ["cell", "x", "y", "wall", "height"]
    assert np.array_equal(layer.sample(told), np.asarray(told["height"]))
    assert np.flatnonzero(np.asarray(told["wall"])).tolist() == [7]
    assert "more" in columns(1 + layer, name="more")
    path = fc.shortest_path(space, (0.5, 0.5), (4.5, 3.5))
    assert np.array_equal(np.asarray(frame(library, columns(path))), path.positions)
    graph = space.to_graph()
    assert len(columns(fc.distance_map(graph, (0.5, 0.5)))["cell"]) == len(graph)


@pytest.mark.parametrize("library", LIBRARIES)
def test_timelines_go_to_frames_and_back(library: str) -> None:
    builder = fc.recordings.TimelineBuilder()
    for seconds, name, place in (
        (0.0, "ann", (1.5, 2.5)),
        (0.5, "bob", (3.0, 2.0)),
        (1.0, "ann", None),
        (1.5, "bob", (4.0, 1.0)),
    ):
        builder.add(seconds, name, "red", place, strength=2.0)
    there = builder.build()
    told = frame(library, columns(there))
    back = timeline(told)
    for column in ("seconds", "positions", "strengths"):
        np.testing.assert_array_equal(getattr(back, column), getattr(there, column))
    assert (back.ids, back.groups) == (there.ids, there.groups)
    shuffled = timeline({"id": ["b", "a"], "seconds": [2, 1], "y": [0, 1], "x": [5, 6]})
    assert shuffled.seconds.tolist() == [1, 2] and shuffled.ids == ("a", "b")


def test_odd_arguments_are_refused() -> None:
    for subject in (3, None, "layer", np.zeros((3, 4))):
        with pytest.raises(InvalidValue):
            columns(subject)
    for wrong in (
        3,
        None,
        {"seconds": [1]},
        {"seconds": ["now"], "id": ["a"], "x": [1], "y": [2]},
        {"seconds": [1, 2], "id": ["a"], "x": [1], "y": [2]},
        {"seconds": [np.nan], "id": ["a"], "x": [1], "y": [2]},
    ):
        with pytest.raises(InvalidValue):
            timeline(wrong)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InvalidValue, match=r"A frame has a column id\. Got \['seconds'\]"):
        timeline({"seconds": [0.0]})
