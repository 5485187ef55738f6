"""Kinds of influence that a game registers."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, NameTaken, UnknownName, WrongLayer
from fieldcraft.layers.register_type import KINDS
from support.refusals import refused, unchanged


def spaces() -> list[fc.Grid | fc.Graph]:
    grid = fc.Grid(15, 9, cell_size=2.0)
    return [grid, grid.to_graph()]


@pytest.mark.parametrize("space", spaces(), ids=["grid", "graph"])
class TestVerbs:
    def test_static_stays_until_it_is_removed(self, space: fc.Grid | fc.Graph) -> None:
        imap = fc.InfluenceMap(space)
        zombie = imap.register_type("zombie", static=True)
        source = zombie.add_static((15.0, 9.0), 2.0)
        for _ in range(3):
            imap.advance(0.5)
        values = zombie.values.reshape(9, 15)
        assert values[4, 7] == 2.0
        assert values[4, 7:14].tolist() == pytest.approx(
            [*(2 * np.exp(-0.5 * np.arange(6))), 0], abs=1e-6
        )
        source.remove()
        imap.step()
        assert not zombie.values.any()

    def test_static_reaches_as_far_as_it_is_told(self, space: fc.Grid | fc.Graph) -> None:
        imap = fc.InfluenceMap(space)
        zombie = imap.register_type("zombie", static=True)
        zombie.add_static(4 * 15 + 3, 1.0, iterations=2)
        zombie.add_static(4 * 15 + 9, 1.0, propagate=False)
        zombie.add_static(15 + 12, 1.0, flood=True, iterations=3)
        imap.step()
        values = zombie.values.reshape(9, 15)
        assert np.count_nonzero(values[4, :7]) == 5
        assert values[4, 8:11].tolist() == [0, 1, 0]
        assert values[1, 9:].tolist() == pytest.approx([1.0, 0.9, 0.8, 0.7, 0.8, 0.9], abs=1e-6)

    def test_more_iterations_cut_the_same_curve_off_later(self, space: fc.Grid | fc.Graph) -> None:
        for reach in (2, 5, 8):
            zombie = fc.InfluenceMap(space).register_type("zombie", static=True)
            zombie.add_static(4 * 15, 1.0, iterations=reach)
            zombie.step()
            row = zombie.values.reshape(9, 15)[4]
            assert row[: reach + 1].tolist() == pytest.approx(
                np.exp(-0.5 * np.arange(reach + 1)).tolist(), abs=1e-6
            )
            assert not row[reach + 1 :].any()

    def test_the_decay_of_static_kinds_is_set_while_they_run(
        self, space: fc.Grid | fc.Graph
    ) -> None:
        zombie = fc.InfluenceMap(space).register_type("zombie", static=True)
        zombie.add_static(4 * 15, 1.0)
        zombie.step()
        zombie.tune(decay=0.1)  # per world unit, of which a step has two
        zombie.step()
        assert zombie.values.reshape(9, 15)[4, :7].tolist() == pytest.approx(
            [*np.exp(-0.2 * np.arange(6)), 0], abs=1e-6
        )
        with refused(InvalidValue, "decay"):
            zombie.tune(decay=-1)

    def test_dynamic_spreads_and_decays(self, space: fc.Grid | fc.Graph) -> None:
        imap = fc.InfluenceMap(space)
        noise = imap.register_type("noise")
        noise.add_dynamic((15.0, 9.0), 5.0)
        assert noise.values.max() == 5.0
        imap.advance(0.3)
        near = np.count_nonzero(noise.values)
        assert near > 5
        imap.advance(0.8)
        assert np.count_nonzero(noise.values) > near
        for _ in range(200):
            imap.advance(0.5)
        assert not noise.values.any()

    def test_every_known_kind_works(self, space: fc.Grid | fc.Graph) -> None:
        imap = fc.InfluenceMap(space)
        for name, kind in KINDS.items():
            layer = imap.register_type(name)
            layer.add_static((15.0, 9.0), 1.0)
            if not kind.static:
                layer.add_dynamic((3.0, 3.0), 1.0)
        imap.step(3)
        assert all(imap[name].values.any() for name in KINDS)
        mixed = imap["enemy"] - 0.5 * imap["ally"]
        assert mixed.values.max() > 0


def test_a_static_source_on_a_layer_that_spreads() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    layer = imap.register_type("fire", propagation=fc.Spread(0.2, 0.5))
    layer.add_static((4.5, 2.5), 3.0)
    imap.step(20)
    assert layer.values[2, 4] == 3.0
    assert layer.values[2, 0] > 1


def test_parameters_change_while_it_runs() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    layer = imap.register_type("fire", static=False)
    layer.tune(decay=0.9, momentum=0.1)
    assert (layer.propagation.decay, layer.propagation.momentum) == (0.9, 0.1)  # type: ignore[union-attr]
    with refused(UnknownName, "decai", "decay"):
        layer.tune(decai=0.1)
    with refused(InvalidValue, "momentum"):
        layer.tune(momentum=2)
    with refused(WrongLayer, "tune is for layers with fc.Spread"):
        imap.add_layer("own", values=np.zeros((5, 9))).tune(decay=1)


def test_bad_input() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    fire, wall = imap.register_type("fire", static=False), imap.register_type("barrier")
    for error, word, call in (
        (InvalidValue, "static", lambda: imap.register_type("zombie")),
        (
            InvalidValue,
            "Radial",
            lambda: imap.register_type("zombie", static=True, propagation=fc.Spread(1, 1)),
        ),
        (NameTaken, "fire", lambda: imap.register_type("fire", static=True)),
        (WrongLayer, "lifetime", lambda: wall.add_dynamic((1.5, 1.5))),
        (
            InvalidValue,
            "flood=True with propagate=False",
            lambda: wall.add_static((1.5, 1.5), propagate=False, flood=True),
        ),
        (InvalidValue, "iterations", lambda: wall.add_static((1.5, 1.5), iterations=0)),
        (InvalidValue, "one position", lambda: wall.add_static([(1.5, 1.5), (2.5, 1.5)])),
        (InvalidValue, "45", lambda: wall.add_static(45)),
        (InvalidValue, "steps", lambda: fc.InfluenceMap(fc.Grid(1, 1)).register_type("noise")),
    ):
        with unchanged(fire), unchanged(wall), refused(error, word):
            call()
    assert list(imap) == ["fire", "barrier"]
