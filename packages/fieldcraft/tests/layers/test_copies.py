"""Copies, pickles and saves of layers between a change and the next step: they show the same as the
original, and continue with the same bits.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation import Propagation
from support.refusals import refused

Copier = Callable[[fc.InfluenceMap, Path], fc.InfluenceMap]


def saved(imap: fc.InfluenceMap, folder: Path) -> fc.InfluenceMap:
    imap.save(folder / "map")
    return fc.InfluenceMap.load(folder / "map")


def undone(imap: fc.InfluenceMap, folder: Path) -> fc.InfluenceMap:
    """A copy that has gone on, with other sources and settings, and was restored."""
    other = imap.copy()
    for layer in other.layers.values():
        layer.every = 0.3
        layer.step(2)
        if isinstance(layer, fc.layers.SourceLayer):
            layer.add_source((2.5, 0.5), 3.0, on_wall="through")
            layer.step(2)
    other.restore(imap.state())
    return other


COPIERS: dict[str, Copier] = {
    "copy": lambda imap, folder: imap.copy(),
    "deepcopy": lambda imap, folder: copy.deepcopy(imap),
    "pickle": lambda imap, folder: pickle.loads(pickle.dumps(imap)),
    "save": saved,
    "state": undone,
}
every_copier = pytest.mark.parametrize("copier", list(COPIERS.values()), ids=list(COPIERS))

SPACES: dict[str, Callable[[], fc.space.Space]] = {
    "grid": lambda: fc.Grid(5, 1),
    "hexagons": lambda: fc.HexGrid(5, 1),
    "graph": lambda: fc.Grid(5, 1).to_graph(),
}
every_space = pytest.mark.parametrize("space", list(SPACES.values()), ids=list(SPACES))

PROPAGATIONS: dict[str, Propagation] = {
    "spread": fc.Spread(0.1, 1.0),
    "diffuse": fc.Diffuse(0.5),
    "flood": fc.Flood(),
    "radial": fc.Radial(4.0, metric="path"),
    "fade": fc.Fade(1.0),
    "trail": fc.Trail(blur=1),
}
every_propagation = pytest.mark.parametrize(
    "propagation", list(PROPAGATIONS.values()), ids=list(PROPAGATIONS)
)


def filled(space: fc.space.Space, propagation: Propagation) -> fc.InfluenceMap:
    """A map of one layer, with something in all of its cells."""
    imap = fc.InfluenceMap(space)
    layer: Any = imap.add_layer("a", propagation)
    start = space.position_of(0)
    if isinstance(propagation, fc.Fade):
        layer.mark(space.position_of(np.arange(5)), 5.0)
    elif isinstance(propagation, fc.Trail):
        layer.deposit(space.position_of(np.arange(5)), 5.0)
    else:
        layer.add_source(start, 8.0)
    imap.step(4)
    return imap


def both_set_walls(one: fc.InfluenceMap, other: fc.InfluenceMap, cells: list[int]) -> None:
    one.space.set_walls(cells)
    if other.space is not one.space:
        other.space.set_walls(cells)


@every_space
@every_propagation
@every_copier
def test_a_wall_before_and_a_wall_after_the_copy(
    space: Callable[[], fc.space.Space], propagation: Propagation, copier: Copier, tmp_path: Path
) -> None:
    imap = filled(space(), propagation)
    imap.space.set_walls([2])
    twin = copier(imap, tmp_path)
    both_set_walls(imap, twin, [3])
    np.testing.assert_array_equal(twin["a"].values, imap["a"].values)
    for _ in range(3):
        imap.step()
        twin.step()
        np.testing.assert_array_equal(twin["a"].values, imap["a"].values)


@every_space
@pytest.mark.parametrize("propagation", [fc.Spread(0.1, 1.0), fc.Diffuse(0.5), fc.Radial(4.0)])
@every_copier
def test_a_wall_under_a_source_that_is_removed_after_the_copy(
    space: Callable[[], fc.space.Space], propagation: Propagation, copier: Copier, tmp_path: Path
) -> None:
    imap = filled(space(), propagation)
    imap.space.set_walls([0])
    twin = copier(imap, tmp_path)
    for each in (imap, twin):
        layer: Any = each["a"]
        layer.source(0).remove()
    np.testing.assert_array_equal(twin["a"].values, imap["a"].values)
    imap.step()
    twin.step()
    np.testing.assert_array_equal(twin["a"].values, imap["a"].values)


@every_copier
def test_a_shorter_interval_while_time_is_due(copier: Copier, tmp_path: Path) -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 1))
    layer = imap.add_layer("a", fc.Spread(0.3), every=1.0)
    imap.advance(0.35)
    layer.every = 0.3
    twin = copier(imap, tmp_path)
    assert imap.advance(0.0).steps == twin.advance(0.0).steps == {"a": 1}
    assert imap.advance(0.2).steps == twin.advance(0.2).steps == {"a": 0}
    assert imap.advance(0.06).steps == twin.advance(0.06).steps == {"a": 1}


def test_a_time_that_no_save_holds_is_refused(tmp_path: Path) -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 1))
    layer = imap.add_layer("a", fc.Spread(0.3), every=1e9)
    with refused(InvalidValue, "A clock counts at most"):
        layer.step(2)
    layer.step(1)
    imap.save(tmp_path / "map")
    assert fc.InfluenceMap.load(tmp_path / "map")["a"].time == 1e9


def test_a_priority_that_is_not_a_number_is_refused() -> None:
    layer = fc.InfluenceMap(fc.Grid(3, 1)).add_layer("a", fc.Spread(0.3))
    layer.priority = 2
    for wrong in (float("nan"), float("inf"), "high", None):
        with refused(InvalidValue, "priority"):
            layer.priority = wrong  # type: ignore[assignment]
    assert layer.priority == 2.0


def test_a_layer_keeps_its_name() -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 1))
    layer = imap.add_layer("a", fc.Spread(0.3))
    with refused(InvalidValue, "keeps the name"):
        layer.name = "b"
    assert imap["a"] is layer and layer.name == "a"


@every_space
@every_copier
@pytest.mark.parametrize("settings", [{}, {"exact": True}, {"blend": "max"}, {"metric": "path"}])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_sources_of_a_radial_layer_that_no_step_has_shown(
    space: Callable[[], fc.space.Space],
    copier: Copier,
    settings: dict[str, Any],
    moment: str,
    tmp_path: Path,
) -> None:
    imap = fc.InfluenceMap(space())
    layer: Any = imap.add_layer("a", fc.Radial(3.0, "linear", **settings))
    places = imap.space.position_of(np.arange(5))
    layer.add_source(places[0], 8.0)
    gone = layer.add_source(places[2], 2.0)
    imap.step()

    def change(imap: fc.InfluenceMap) -> None:
        layer: Any = imap["a"]
        layer.source(gone.id).remove()
        layer.add_source(places[4], 3.0, radius=2.0, falloff="constant")

    if moment == "before":
        change(imap)
    twin = copier(imap, tmp_path)
    again = copier(twin, tmp_path)
    if moment == "after":
        change(imap)
        change(twin)
        change(again)
    one: Any = imap["a"]
    for each in (twin, again):
        other: Any = each["a"]
        np.testing.assert_array_equal(other.strongest, one.strongest)
        for cell in range(5):
            assert (
                other.attribution(cell).sources.tolist() == one.attribution(cell).sources.tolist()
            )
            assert (
                other.attribution(cell).amounts.tolist() == one.attribution(cell).amounts.tolist()
            )
    # What was removed shows until the step (if it reaches that far), and what was added does not.
    assert set(one.attribution(4).sources.tolist()) <= {gone.id}
    imap.step()
    for each in (twin, again):
        each.step()
        np.testing.assert_array_equal(each["a"].values, one.values)
        np.testing.assert_array_equal(each["a"].strongest, one.strongest)  # type: ignore[attr-defined]


@every_space
@every_copier
def test_values_that_were_written_on_a_radial_layer(
    space: Callable[[], fc.space.Space], copier: Copier, tmp_path: Path
) -> None:
    imap = fc.InfluenceMap(space())
    layer: Any = imap.add_layer("a", fc.Radial(2.0, "linear", "path"))
    places = imap.space.position_of(np.arange(5))
    layer.add_source(places[0], 8.0)
    imap.step()
    layer.write(np.reshape([1.1, 2.2, 3.3, 4.4, 5.5], imap.space.shape))
    layer.validate(max_cells=1)
    twin = copier(imap, tmp_path)
    both_set_walls(imap, twin, [1])
    for each in (imap, twin):
        copied: Any = each["a"]
        copied.add_source(places[4], 1.0)
        each.step()
    np.testing.assert_array_equal(twin["a"].values, layer.values)
    assert layer.sample(places[2]) > 3
    other: Any = twin["a"]
    other.write(layer.values)
    layer.write(layer.values)
    assert other.validate(max_cells=1, rate=0.5) == layer.validate(max_cells=1, rate=0.5)
    imap.step()
    twin.step()
    np.testing.assert_array_equal(twin["a"].values, layer.values)


@pytest.mark.parametrize("order", list(permutations(["tune", "write", "wall", "copy"])))
def test_written_values_of_a_radial_layer_are_those_of_its_copy(order: tuple[str, ...]) -> None:
    grid = fc.Grid(6, 1)
    imap = fc.InfluenceMap(grid)
    imap.add_layer("a", fc.Radial(2.0, "linear")).add_source((0.5, 0.5), 4.0)
    imap.step()
    twin = imap
    for event in order:
        layers = {id(each): each["a"] for each in (imap, twin)}.values()
        match event:
            case "copy":
                twin = imap.copy()
            case "wall":
                grid.set_walls([1])
            case "tune":
                for layer in layers:
                    layer.tune(radius=3.0)
            case "write":
                for layer in layers:
                    layer.write([[0.0, 0.0, 0.0, 0.0, 5.0, 0.0]])
    imap.step()
    twin.step()
    assert twin["a"].values.tobytes() == imap["a"].values.tobytes()
    is_kept = order.index("write") > order.index("tune")
    assert imap["a"].values[0, 4] == (5 if is_kept else 0)


@every_copier
@pytest.mark.parametrize("metric", ["straight", "connected", "path"])
@pytest.mark.parametrize("order", list(permutations(["source", "wall", "validate", "copy"])))
def test_written_values_of_the_strongest_sources_are_those_of_a_copy(
    order: tuple[str, ...], metric: Any, copier: Copier, tmp_path: Path
) -> None:
    imap = fc.InfluenceMap(fc.Grid(200, 3))
    layer: Any = imap.add_layer("a", fc.Radial(2.0, "linear", metric, blend="max"))
    layer.add_sources([(0.5, 0.5), (70.5, 1.5), (140.5, 1.5)], [4.0, 2.0, 3.0])
    imap.step()
    layer.write(np.random.default_rng(0).random((3, 200)))
    written = layer.read()
    twins = [imap]
    for event in order:
        match event:
            case "copy":
                twins.append(copier(imap, tmp_path))
                twins.append(copier(twins[-1], tmp_path))
            case "wall":
                both_set_walls(imap, twins[-1], [270])
                if len(twins) > 1:
                    twins[1].space.set_walls([270])
            case _:
                for each in twins:
                    copied: Any = each["a"]
                    if event == "source":
                        copied.sources.move(copied.sources.ids[:1], [(1.5, 0.5)])
                    else:
                        copied.validate(max_cells=4, rate=0.01)
                        copied.validate(max_cells=4)
    for moment in range(3):
        for each in twins:
            assert each["a"].values.tobytes() == layer.values.tobytes(), moment
        for each in twins:
            if moment == 1:
                each["a"].add_source((71.5, 2.5), 1.0)  # type: ignore[attr-defined]
            each.step()
    assert layer.values[2, 199] == pytest.approx(written[2, 199], abs=1e-6)
    assert layer.values[0, 0] == 2.0 != written[0, 0]


@every_propagation
def test_a_restored_layer_keeps_its_handles_and_is_seen_by_its_followers(
    propagation: Propagation,
) -> None:
    imap = filled(fc.Grid(5, 3), propagation)
    layer = imap["a"]
    follower = 2 * layer
    sources = list(layer.sources.ids) if isinstance(layer, fc.layers.SourceLayer) else []
    before = imap.state()
    shown = layer.values.copy()
    version = layer.version
    layer.every = 0.4
    layer.write(np.full((3, 5), 2.0))
    if sources:
        layer.sources.remove(sources)
    imap.step(3)
    assert not np.array_equal(follower.values, 2 * shown)
    imap.restore(before)
    assert layer.version > version
    assert layer.every == 0.1
    np.testing.assert_array_equal(layer.values, shown)
    np.testing.assert_array_equal(follower.values, 2 * shown)
    assert not sources or list(layer.sources.ids) == sources
    imap.restore(before)  # a state is not changed by what continues from it
    np.testing.assert_array_equal(layer.values, shown)


@every_propagation
def test_a_state_of_another_layer_is_refused_and_changes_nothing(propagation: Propagation) -> None:
    imap = filled(fc.Grid(5, 3), propagation)
    before = pickle.dumps(imap.state())
    state = imap["a"].state()
    wrong: list[Any] = [
        {},
        None,
        3,
        state | {"shape": (3, 6)},
        state | {"ticks": -1},
        state | {"every": 0},
        state | {"settings": {"wrong": 1}},
        state | {"field": {}},
        state | {"walls": state["walls"][:0]},
        state | {"sources": {}},
    ]
    for each in wrong:
        with refused(InvalidValue, "restore() takes the result of state()"):
            imap["a"].restore(each)
        with refused(InvalidValue, "restore() takes the result of state()"):
            imap.restore({"ticks": 0, "next": "", "layers": {"a": each}})
    for layers in ({}, {"b": state}, {"a": state, "b": state}):
        with refused(InvalidValue, "restore() takes the result of state()"):
            imap.restore({"ticks": 0, "next": "", "layers": layers})
    with refused(InvalidValue, "restore() takes the result of state()"):
        imap.restore({"ticks": "soon", "next": "", "layers": {"a": state}})
    assert pickle.dumps(imap.state()) == before
