"""Stamps: their shapes, and putting them on layers in any order to the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap, WrongLayer
from fieldcraft.layers.propagation import Fade, Stamp, Trail
from support.refusals import refused, unchanged
from support.stamped import drawn, plain


class TestShapes:
    def test_disc_is_the_footprint_of_radial(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(23, 17, cell_size=0.5))
        peers = imap.add_layer("peers", fc.Radial(2.3, "smoothstep", metric="straight"))
        peers.add_source((5.6, 4.1), 3.0)
        layer = imap.add_layer("stamps", values=np.zeros((17, 23)))
        layer.stamp(Stamp.disc(2.3, "smoothstep"), (5.6, 4.1), 3.0)
        peers.step()
        np.testing.assert_array_equal(layer.values, peers.values)

    def test_ring_is_best_half_way(self) -> None:
        ring = drawn(Stamp.ring(2, 6))
        assert ring[4, 0] == 1
        assert (2, 0) not in ring
        assert (6, 0) not in ring
        assert ring[3, 0] == ring[0, -5] == 0.75
        flat = drawn(Stamp.ring(2, 6, "constant"))
        assert set(flat.values()) == {1.0}
        assert (2, 0) in flat
        assert (1, 0) not in flat

    def test_cone_opens_along_x(self) -> None:
        cone = drawn(Stamp.cone(4, 90))
        assert {(0, 0), (4, 0), (2, 2), (2, -2)} <= set(cone)
        assert not {(-1, 0), (1, 2), (0, 1)} & set(cone)
        assert len(drawn(Stamp.cone(4, 360))) == len(drawn(Stamp.disc(4)))

    def test_line_goes_along_x_and_falls_off_to_its_end(self) -> None:
        assert drawn(Stamp.line(4, 1, "linear")) == {
            (0, 0): 1.0,
            (1, 0): 0.75,
            (2, 0): 0.5,
            (3, 0): 0.25,
        }
        assert set(drawn(Stamp.line(4, 3).moved(-2, 0))) == {
            (x, y) for x in range(-2, 3) for y in (-1, 0, 1)
        }

    def test_image_lies_as_it_is(self) -> None:
        pixels = np.array([[1.0, 2.0, 0.0], [3.0, -4.0, 5.0]])
        made = drawn(Stamp.image(pixels, 3.0).moved(0, 0.5))
        assert made == {(-1, 0): 1, (0, 0): 2, (-1, 1): 3, (0, 1): -4, (1, 1): 5}

    def test_turn_from_x_towards_y(self) -> None:
        line = Stamp.line(3, 1)
        assert set(drawn(line.rotated(90))) == {(0, 0), (0, 1), (0, 2), (0, 3)}
        assert set(drawn(line.rotated(90), y_up=True)) == {(0, 0), (0, -1), (0, -2), (0, -3)}
        assert set(drawn(line.rotated(-90))) == {(0, 0), (0, -1), (0, -2), (0, -3)}

    def test_grow_and_add(self) -> None:
        assert drawn(Stamp.disc(2).scaled(2.5)) == drawn(Stamp.disc(5))
        assert drawn(Stamp.disc(4), cell_size=2.0) == drawn(Stamp.disc(2))
        both = drawn(Stamp.disc(3) - 2 * Stamp.disc(1))
        assert both[0, 0] == -1
        assert both[3, 0] == 1
        assert drawn(-Stamp.disc(1))[0, 0] == -1
        assert drawn((Stamp.disc(1) + Stamp.disc(1).moved(1, 0)) * 0.5)[1, 0] == 1

    def test_tether_is_a_donut_round_his_range(self) -> None:
        donut = drawn(Stamp.tether(8, 4))
        assert donut[6, 0] == max(donut.values()) == 1.0
        assert (4, 0) not in donut  # he reaches me, I reach him
        assert donut[0, -5] == donut[7, 0] == pytest.approx(0.75)
        wary = drawn(Stamp.tether(8, 4, threat=3.0))
        assert wary[4, 0] == wary[0, 0] == -2
        outranged = drawn(Stamp.tether(3, 6))
        assert outranged[5, 0] == -1
        assert (2, 0) not in outranged
        assert min(drawn(Stamp.tether(3, 6, threat=0.5)).values()) == -0.5


class TestRefusals:
    @pytest.mark.parametrize(
        "make",
        [
            lambda: Stamp.disc(0),
            lambda: Stamp.disc(-2),
            lambda: Stamp.disc(3, "x"),
            lambda: Stamp.ring(3, 3),
            lambda: Stamp.ring(-1, 3),
            lambda: Stamp.cone(3, 0),
            lambda: Stamp.cone(3, 361),
            lambda: Stamp.line(3, 0),
            lambda: Stamp.image(np.zeros(3), 1),
            lambda: Stamp.image([[np.nan]], 1),
            lambda: Stamp.image([[99.0]], 1),
            lambda: Stamp.image(np.zeros((0, 3)), 1),
            lambda: Stamp.disc(2).scaled(0),
            lambda: Stamp.disc(2).rotated(float("inf")),
            lambda: Stamp.disc(2) * float("nan"),
            lambda: Stamp.tether(0, 3),
            lambda: Stamp.tether(3, -1),
            lambda: Stamp.tether(3, 1, threat=-1),
            lambda: Stamp.tether(3, 1, threat=99),
        ],
    )
    def test_of_shapes(self, make: object) -> None:
        with refused(InvalidValue):
            make()

    def test_of_putting(self) -> None:
        layer = plain()
        layer.stamp(Stamp.disc(2), (4.5, 4.5))
        disc = Stamp.disc(2)
        with unchanged(layer):
            for arguments, settings in (
                ((disc, (4.5, 4.5), float("nan")), {}),
                ((disc, (4.5, 4.5), 2.0**21), {}),
                ((disc, [(4.5, 4.5)], [1, 2]), {}),
                ((disc, (4.5, 4.5)), {"scales": 0}),
                ((disc, (4.5, 4.5)), {"rotations": [1, 2]}),
                ((disc, (4.5, 4.5)), {"how": "trilinear"}),
                ((disc, (4.5, 4.5)), {"blend": "mean"}),
                (("disc", (4.5, 4.5)), {}),
                ((disc * 99, (4.5, 4.5)), {}),
                ((Stamp.image([[1.0]], 0.5).moved(0.4, 0.5), (4.5, 4.5)), {}),
            ):
                with refused(InvalidValue):
                    layer.stamp(*arguments, **settings)
            with refused(OutsideMap):
                layer.stamp(disc, [(4.5, 4.5), (-4.5, 4.5)])
            with refused(InvalidValue, "adds up"):
                layer.stamp(disc, np.full((2**18 + 1, 2), 4.5), 2.0**20)
        many = np.full((2**17 - 1, 2), 4.5)
        layer.stamp(disc, many, 2.0**20)
        with unchanged(layer), refused(InvalidValue, "adds up"):
            layer.stamp(disc, np.full((2**17 + 1, 2), 4.5), 2.0**20)
        layer.stamp(disc, many, -(2.0**20))
        layer.stamp(disc, many, 2.0**20)

    def test_of_other_layers(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(5, 4))
        for kind in (fc.Spread(0.5, 0.5), fc.Radial(2.0), Fade()):
            with refused(WrongLayer, "Trail"):
                imap.add_layer(type(kind).__name__, kind).stamp(Stamp.disc(1), (2.5, 2.5))
        imap.add_layer("trail", Trail()).stamp(Stamp.disc(1), (2.5, 2.5))
