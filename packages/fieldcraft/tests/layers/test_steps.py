"""Steps of layers."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.refusals import refused, unchanged

pytestmark = pytest.mark.reference


class TestSteps:
    def test_count(self, layer: fc.Layer) -> None:
        layer.add_source((0.5, 0.5), 3)
        layer.step(0)
        assert not layer.values.any()
        layer.step(3)
        assert layer.time == pytest.approx(0.3)

    @pytest.mark.parametrize("count", [-1, 1.0, "1", None, True, np.nan])
    def test_refuses(self, imap: fc.InfluenceMap, layer: fc.Layer, count: object) -> None:
        for step in (layer.step, imap.step):
            with unchanged(layer), refused(InvalidValue, "count"):
                step(count)

    def test_what_changes_shows_from_the_next_step_on(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        source = layer.add_source((0.5, 0.5), 3)
        assert not layer.values.any()
        imap.step()
        source.strength = 4
        assert layer.values[0, 0] == 3
        imap.step()
        assert layer.values[0, 0] == 4
        source.move((8.5, 5.5))
        assert layer.values[5, 8] == 0
        imap.step()
        assert layer.values[5, 8] == 4
        assert 0 < layer.values[0, 0] < 4

    def test_parameters_may_change_while_it_runs(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((0.5, 0.5), 3)
        imap.step(80)
        far = layer.values[0, 8]
        layer.propagation = fc.Spread(2.0, 1.0)
        assert layer.values[0, 8] == far
        imap.step(80)
        assert layer.values[0, 8] == 0
        assert layer.values[0, 1] == pytest.approx(3 * np.exp(-2))

    @pytest.mark.parametrize("propagation", [None, 0.2, "spread", (0.2, 0.5), fc.Spread], ids=repr)
    def test_other_propagations(self, layer: fc.Layer, propagation: object) -> None:
        with unchanged(layer), refused(InvalidValue, "Spread"):
            layer.propagation = propagation

    def test_every_may_change_while_it_runs(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        layer.every = 0.5
        assert layer.every == 0.5
        assert imap.advance(1.0).steps == {"a": 2}
        for every in (0, -1, np.nan, 1e-12, "1", None):
            with unchanged(layer), refused(InvalidValue, "every"):
                layer.every = every

    def test_a_half_life_follows_every(self) -> None:
        """Half-lives are in seconds, so more steps a second take less each."""
        imap = fc.InfluenceMap(fc.Grid(9, 1))
        layer = imap.add_layer("a", fc.Spread(3.0, 1.0, half_life=1.0), every=0.5)
        source = layer.add_source((4.5, 0.5), 8)
        imap.step()
        source.remove()
        layer.every = 0.25
        imap.step(4)
        assert layer.values[0, 4] == pytest.approx(4.0)

    def test_settle_forgets_deposits_and_takes_no_time(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((0.5, 0.5), 3)
        layer.deposit((8.5, 5.5), 50)
        layer.settle()
        assert layer.time == 0
        settled = layer.read()
        assert settled.max() == 3
        imap.step(5)
        np.testing.assert_array_equal(layer.values, settled)

    def test_settle_after_a_lifetime_has_ended(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((0.5, 0.5), 3, lifetime=0.1)
        imap.step()
        layer.settle()
        assert not layer.values.any()


PROPAGATIONS = {
    "spread": fc.Spread(0.2, 0.5),
    "diffuse": fc.Diffuse(0.8, keep=0.95),
    "radial": fc.Radial(4),
    "trail": fc.Trail(half_life=2.0, blur=3),
}


@pytest.mark.parametrize("propagation", PROPAGATIONS.values(), ids=PROPAGATIONS)
@pytest.mark.parametrize("times", [1, 2])
def test_a_copy_between_new_walls_and_the_next_step_goes_on_alike(
    propagation: object, times: int
) -> None:
    original = fc.InfluenceMap(fc.Grid(9, 7, neighbors=8))
    layer = original.add_layer("a", propagation)
    if isinstance(propagation, fc.Trail):
        layer.deposit((4.5, 3.5), 5.0)
    else:
        layer.add_source((4.5, 3.5), 5.0)
    original.step(6)
    original.space.set_walls([21, 30, 32, 33])
    copies = []
    for copied in (copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        other = original
        for _ in range(times):
            other = copied(other)
            other.space.set_walls([22])
        copies.append(other)
    original.space.set_walls([22])
    original.space.set_walls([33], blocked=False)
    original.step(3)
    for other in copies:
        other.space.set_walls([33], blocked=False)
        shown = other["a"].values
        assert not shown[other.space.walls].any()
        other.step(3)
        np.testing.assert_array_equal(other["a"].values, layer.values)
    assert layer.values[other.space.walls].sum() == 0
    assert layer.values.any()


@pytest.mark.parametrize("propagation", PROPAGATIONS.values(), ids=PROPAGATIONS)
def test_a_wall_that_a_state_lacks_hides_values_until_the_next_step(propagation: object) -> None:
    """Also where it stood for a while since the last step before the state."""
    space = fc.Grid(9, 7, neighbors=8)
    layer = fc.InfluenceMap(space).add_layer("a", propagation)
    if isinstance(propagation, fc.Trail):
        layer.deposit((5.5, 2.5), 5.0)
    else:
        layer.add_source((4.5, 3.5), 5.0)
    layer.step(6)
    assert layer.values[2, 5] != 0
    space.set_walls([23])
    space.set_walls([23], blocked=False)
    state = layer.state()
    space.set_walls([23])
    layer.restore(state)
    assert layer.values[2, 5] == 0


def test_a_state_has_the_walls_of_the_last_step(imap: fc.InfluenceMap, layer: fc.Layer) -> None:
    def walls_of(one: fc.Layer) -> list[int]:
        bits = np.unpackbits(one.state()["walls"], count=len(one.space))
        return np.flatnonzero(bits).tolist()

    layer.add_source((0.5, 0.5), 3)
    imap.step()
    then = np.flatnonzero(imap.space.walls).tolist()
    assert walls_of(layer) == then
    assert not layer.state()["walls_changed"]
    # More changes than the history of a space has, and one wall that stays.
    for cell in range(1200):
        imap.space.set_walls([cell % 50])
        imap.space.set_walls([cell % 50], blocked=False)
    imap.space.set_walls([7])
    copies = (lambda: imap.copy(), lambda: copy.deepcopy(imap), lambda: imap)
    for copied in copies:
        assert walls_of(imap["a"]) == then
        assert imap["a"].state()["walls_changed"]
        imap = copied()
    imap.step()
    assert walls_of(imap["a"]) == np.flatnonzero(imap.space.walls).tolist() == [7]


def test_a_loaded_map_reads_0_where_its_original_does(tmp_path: Path) -> None:
    """In a wall, a source that is removed leaves its value until walls change."""
    original = fc.InfluenceMap(fc.Grid(6, 4, walls=np.eye(4, 6, dtype=np.bool_)))
    layer = original.add_layer("a", fc.Spread(0.2, 0.5))
    source = layer.add_source((1.5, 1.5), 5.0, on_wall="through")
    original.step(3)
    source.remove()
    for toggled in (False, True):
        if toggled:
            original.space.set_walls([5])
            original.space.set_walls([5], blocked=False)
        original.save(tmp_path / "a.fieldcraft")
        loaded = fc.InfluenceMap.load(tmp_path / "a.fieldcraft")
        np.testing.assert_array_equal(loaded["a"].values, layer.values)
        assert (layer.values[1, 1] == 0) == toggled
        loaded.step()
        expected = original.copy()
        expected.step()
        np.testing.assert_array_equal(loaded["a"].values, expected["a"].values)
