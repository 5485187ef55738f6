"""Layers: what they hold, what feeds them, their steps."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support.refusals import refused, unchanged
from support.small_layers import WALLS

pytestmark = pytest.mark.reference


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
