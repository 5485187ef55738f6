"""Layers: what they hold, what feeds them, their steps."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap, WrongLayer
from support.refusals import refused, unchanged

pytestmark = pytest.mark.reference

WALLS = np.zeros((6, 9), dtype=bool)
WALLS[2, 1:8] = True


@pytest.fixture
def imap() -> fc.InfluenceMap:
    return fc.InfluenceMap(fc.Grid(9, 6, walls=WALLS))


@pytest.fixture
def layer(imap: fc.InfluenceMap) -> fc.Layer:
    return imap.add_layer("a", fc.Spread(0.2, 0.5))


class TestValues:
    def test_are_a_read_only_view_in_map_shape(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        values = layer.values
        assert (values.shape, values.dtype, values.flags.c_contiguous) == ((6, 9), np.float32, True)
        with pytest.raises(ValueError, match="read-only"):
            values[0, 0] = 1
        layer.add_source((0.5, 0.5), 3)
        imap.step()
        assert values[0, 0] == 3  # the same memory, updated in place
        assert np.shares_memory(layer.values, values)

    def test_read_copies(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        layer.add_source((0.5, 0.5), 3)
        imap.step(2)
        copy = layer.read()
        out = np.empty((6, 9), np.float32)
        assert layer.read(out) is out
        np.testing.assert_array_equal(copy, layer.values)
        np.testing.assert_array_equal(out, layer.values)
        imap.step()
        assert not np.array_equal(copy, layer.values)
        channels = np.empty((6, 9, 2), np.float32)
        layer.read(channels[..., 0])
        (layer * 2).read(channels[..., 1])
        np.testing.assert_array_equal(channels[..., 0], layer.values)
        np.testing.assert_array_equal(channels[..., 1], layer.values * 2)

    @pytest.mark.parametrize(
        "out",
        [
            np.empty((9, 6), np.float32),
            np.empty((6, 9)),
            np.empty(54, np.float32),
            [[0.0] * 9] * 6,
            np.zeros((6, 9), np.float32)[:, ::-1][:0],
        ],
        ids=lambda out: type(out).__name__ + str(np.shape(out)),
    )
    def test_read_refuses(self, layer: fc.Layer, out: object) -> None:
        with refused(InvalidValue, "(6, 9)"):
            layer.read(out)

    def test_read_refuses_its_own_view(self, layer: fc.Layer) -> None:
        with refused(InvalidValue, "read-only"):
            layer.read(layer.values)

    def test_sample(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        layer.add_source((3.9, 0.1), 3)
        imap.step()
        assert layer.sample((3.0, 0.99)) == 3.0
        assert isinstance(layer.sample((3.0, 0.9)), float)
        many = layer.sample([(3.5, 0.5), (3.5, 5.5)])
        assert many.tolist() == [3.0, 0.0]
        assert many.dtype == np.float32
        many[:] = 7
        assert layer.sample((3.5, 0.5)) == 3.0
        assert layer.sample([]).shape == (0,)
        assert layer.sample((99, 0.5), outside="clamp") == 0.0
        with refused(OutsideMap, "clamp"):
            layer.sample((99, 0.5))
        with refused(InvalidValue, "nan"):
            layer.sample((np.nan, 0.5))

    def test_version_tells_of_changes(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        for change in (
            imap.step,
            layer.settle,
            lambda: layer.deposit((0.5, 0.5)),
            lambda: layer.write(np.zeros((6, 9))),
        ):
            before = layer.version
            change()
            assert layer.version != before
        before = layer.version
        layer.sample((0.5, 0.5))
        layer.read()
        assert layer.version == before


class TestWrite:
    def test_replaces_all_values(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        mine = np.arange(54, dtype=np.float64).reshape(6, 9) - 20
        layer.write(mine)
        np.testing.assert_array_equal(layer.values, np.where(WALLS, 0, mine))
        mine[:] = 0
        assert layer.values[0, 0] == -20

    @pytest.mark.parametrize(
        "dtype", [bool, np.int8, np.uint64, np.float16, np.float32, np.float64, np.longdouble]
    )
    def test_any_kind_of_numbers(self, layer: fc.Layer, dtype: type) -> None:
        layer.write(np.ones((6, 9), dtype))
        assert layer.values.sum() == 54 - WALLS.sum()
        layer.write([[1] * 9] * 6)

    def test_sources_take_their_cells_back(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        layer.add_source((4.5, 4.5), 5)
        layer.add_source((4.5, 2.5), -4, on_wall="through")
        imap.step(3)
        layer.write(np.full((6, 9), 2.0))
        imap.step()
        assert layer.values[4, 4] == 5
        assert layer.values[2, 4] == -4
        assert layer.values[2, 3] == 0

    def test_what_is_written_spreads_and_fades(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        imap.step(50)  # quiet: every tile asleep
        values = np.zeros((6, 9))
        values[5, 8] = 9
        layer.write(values)
        imap.step(2)
        assert layer.values[5, 6] > 0
        imap.step(500)
        assert not layer.values.any()

    @pytest.mark.parametrize(
        "values",
        [
            np.zeros((9, 6)),
            np.zeros(54),
            np.zeros((6, 9, 1)),
            0.0,
            None,
            "map",
            np.full((6, 9), "1"),
            np.zeros((6, 9), complex),
            np.zeros((6, 9), object),
            [[1], [1, 2]],
            np.zeros((6, 9), "M8[s]"),
        ],
        ids=lambda value: (
            f"{getattr(value, 'dtype', type(value).__name__)}{np.shape(value) if not isinstance(value, list) else 'ragged'}"
        ),
    )
    def test_refuses_what_does_not_fit(self, layer: fc.Layer, values: object) -> None:
        layer.deposit((0.5, 0.5), 3)
        with unchanged(layer), refused(InvalidValue, "Values"):
            layer.write(values)

    def test_on_a_graph_no_rows_are_asked_for(self) -> None:
        layer = fc.InfluenceMap(fc.Graph([(0, 0), (1, 0)], [(0, 1)])).add_layer(
            "noise", fc.Spread(decay=0.1, momentum=1.0)
        )
        with refused(InvalidValue, "shape (2,)", "one for each cell"):
            layer.write(np.zeros((2, 2)))

    def test_a_turned_array_is_recognised(self, layer: fc.Layer) -> None:
        with refused(InvalidValue, "transpose"):
            layer.write(np.zeros((9, 6)))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e31, -1e300])
    def test_refuses_what_is_not_finite(self, layer: fc.Layer, bad: float) -> None:
        values = np.ones((6, 9))
        values[3, 7] = bad
        layer.deposit((0.5, 0.5), 3)
        with unchanged(layer), refused(InvalidValue, f"{bad}", "row 3, column 7"):
            layer.write(values)


class TestDeposit:
    def test_adds_at_once(self, layer: fc.Layer) -> None:
        layer.deposit((0.5, 0.5), 2)
        layer.deposit([(0.5, 0.5), (1.5, 0.5), (0.9, 0.9)], [1, 5, 0.25])
        assert layer.values[0, :3].tolist() == [3.25, 5, 0]
        layer.deposit([(0.5, 0.5), (2.5, 0.5)], -1)
        assert layer.values[0, :3].tolist() == [2.25, 5, -1]
        layer.deposit([], [])

    def test_many_in_one_cell_add_whatever_their_order(self, imap: fc.InfluenceMap) -> None:
        rng = np.random.default_rng(1)
        amounts = rng.random(1000)
        results = set()
        for k in range(3):
            layer = imap.add_layer(f"l{k}", fc.Spread(0.2, 0.5))
            layer.deposit(np.full((1000, 2), 0.5), rng.permutation(amounts))
            results.add(float(layer.values[0, 0]))
        assert len(results) == 1
        assert results.pop() == pytest.approx(amounts.sum(), rel=1e-6)

    def test_wakes_a_quiet_map(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        imap.step(50)
        layer.deposit((8.5, 5.5), 5)
        imap.step()
        assert layer.values[5, 7] > 0

    def test_in_the_cell_of_a_source_the_source_wins_at_the_next_step(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((0.5, 0.5), 3)
        imap.step()
        layer.deposit((0.5, 0.5), 2)
        assert layer.values[0, 0] == 5
        imap.step()
        assert layer.values[0, 0] == 3

    @pytest.mark.parametrize(
        "amounts", [np.nan, np.inf, "many", None, [1, 2, 3], [1, np.nan], 1e31], ids=repr
    )
    def test_refuses_amounts(self, layer: fc.Layer, amounts: object) -> None:
        layer.deposit((0.5, 0.5), 3)
        with unchanged(layer), refused(InvalidValue, "amounts"):
            layer.deposit([(0.5, 0.5), (1.5, 0.5)], amounts)

    def test_refuses_a_sum_beyond_float32(self, layer: fc.Layer) -> None:
        layer.deposit((0.5, 0.5), 9e29)
        with unchanged(layer), refused(InvalidValue, "1e+30", "1.8e+30"):
            layer.deposit([(3.5, 0.5), (0.5, 0.5)], [1, 9e29])
        with unchanged(layer), refused(InvalidValue, "3e+30"):
            layer.deposit([(3.5, 0.5)] * 3, 1e30)

    def test_refuses_walls(self, layer: fc.Layer) -> None:
        with unchanged(layer), refused(OnWall):
            layer.deposit([(0.5, 0.5), (4.5, 2.5)])
        layer.deposit([(0.5, 0.5), (4.5, 2.5)], 1, on_wall="nearest")
        assert layer.values[1, 4] == 1


class TestArrayLayer:
    def test_carries_an_array(self, imap: fc.InfluenceMap) -> None:
        height = imap.add_layer("height", values=np.arange(54).reshape(6, 9))
        assert height.propagation is None
        assert height.values[2, 3] == 21  # on a wall too: it is your array
        imap.step(3)
        imap.advance(1.0)
        assert height.values[5, 8] == 53
        height.write(np.zeros((6, 9)))
        assert not height.values.any()
        assert height.sample((0.5, 0.5)) == 0

    def test_takes_neither_sources_nor_parameters(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("height", values=np.ones((6, 9)))
        for call in (
            lambda: layer.add_source((0.5, 0.5)),
            lambda: layer.add_sources([(0.5, 0.5)]),
            lambda: layer.sync(["a"], [(0.5, 0.5)]),
            lambda: layer.deposit((0.5, 0.5)),
            lambda: layer.settle(),
            lambda: layer.tune(decay=1.0),
        ):
            with unchanged(layer), refused(WrongLayer, "'height'", "layer.write"):
                call()
        with unchanged(layer), pytest.raises(AttributeError, match="propagation"):
            layer.propagation = fc.Spread(0.2, 0.5)

    def test_values_need_not_be_given_to_a_spreading_layer_but_may(
        self, imap: fc.InfluenceMap
    ) -> None:
        start = np.full((6, 9), 2.0)
        layer = imap.add_layer("a", fc.Spread(0.2, 0.5), values=start)
        np.testing.assert_array_equal(layer.values, np.where(WALLS, 0, 2))


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


def test_maps_follow_sources_in_new_walls_before_the_next_step() -> None:
    grid = fc.Grid(3, 1)
    layer = fc.InfluenceMap(grid).add_layer("noise", fc.Spread(0.3))
    layer.deposit((0.5, 0.5), 4.0)
    twice = abs(layer) + layer
    grid.set_walls([0])
    hidden = np.array(layer.values)
    version = layer.version
    assert not hidden.any() and not twice.values.any()
    source = layer.add_source((0.5, 0.5), 2.0, on_wall="through")
    assert layer.values.any() and layer.version != version
    version = layer.version
    source.remove()
    assert layer.values.tobytes() == hidden.tobytes() and layer.version != version


def test_maps_follow_settings_that_show_at_once() -> None:
    memory = fc.InfluenceMap(fc.Grid(3, 1)).add_layer("memory", fc.Fade(half_life=1.0, floor=0.1))
    memory.mark((0.5, 0.5), 8.0)
    memory.advance(0.3)
    twice = memory + memory
    assert twice.values.any()
    memory.tune(floor=9.0)
    assert twice.values.tobytes() == (memory + memory).values.tobytes()
    assert not twice.values.any()
