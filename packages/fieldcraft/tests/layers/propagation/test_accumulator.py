"""Sums of what agents leave."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation import Trail
from fieldcraft.space.wrapping import Wrap
from support.refusals import refused
from support.roads import open_cells
from support.trails import trailing
from support.worlds import WRAPS


class TestConservation:
    @settings(max_examples=12)
    @given(
        seed=st.integers(0, 10**6),
        wrap=st.sampled_from(WRAPS),
        blur=st.sampled_from([3, 5, (0.25, 0.5, 0.25), (0.05, 0.2, 0.5, 0.2, 0.05)]),
        share=st.sampled_from([0.0, 0.2, 0.5]),
    )
    def test_a_conserving_blur_keeps_the_sum(
        self, seed: int, wrap: Wrap, blur: object, share: float
    ) -> None:
        rng = np.random.default_rng(seed)
        layer = trailing(
            Trail(1.0, blur=blur, floor=0), walls=rng.random((13, 19)) < share, wrap=wrap
        )
        layer.write(rng.random((13, 19)))
        before = layer.values.sum(dtype=np.float64)
        layer.imap.step(300)
        assert layer.values.sum(dtype=np.float64) == pytest.approx(before, rel=1e-6)
        assert not layer.values[layer.space.walls].any()

    def test_a_losing_blur_loses_at_the_rim(self) -> None:
        layer = trailing(Trail(1.0, edges="lose", floor=0))
        layer.deposit([(9.5, 6.5), (0.5, 0.5)], 9.0)
        layer.imap.step(2)
        assert layer.values[4:9, 7:12].sum() == pytest.approx(9)
        assert layer.values[:3, :3].sum() == pytest.approx(4)

    @settings(max_examples=12)
    @given(
        seed=st.integers(0, 10**6),
        blur=st.sampled_from([3, 5, (0.05, 0.2, 0.5, 0.2, 0.05)]),
        edges=st.sampled_from(["conserve", "lose"]),
    )
    def test_is_symmetric(self, seed: int, blur: object, edges: str) -> None:
        """What a gives b, b gives a; and a mirrored map blurs to the mirrored result."""
        rng = np.random.default_rng(seed)
        walls = rng.random((7, 9)) < 0.25
        one, two = rng.choice(open_cells(fc.Grid(9, 7, walls=walls)), 2)
        given_away = []
        for start, end in ((one, two), (two, one)):
            layer = trailing(Trail(1.0, blur=blur, edges=edges, floor=0), 9, 7, walls=walls)
            layer.deposit(layer.space.position_of(start), 1.0)
            layer.imap.step(4)
            given_away.append(float(layer.values.reshape(-1)[end]))
        assert given_away[0] == pytest.approx(given_away[1], rel=1e-5, abs=1e-9)
        values = rng.random((7, 9)) * ~walls
        seen = []
        for flip in (lambda a: a, np.flipud, np.fliplr, np.transpose):
            turned = flip(values)
            layer = trailing(
                Trail(1.0, blur=blur, edges=edges, floor=0), *turned.shape[::-1], walls=flip(walls)
            )
            layer.write(turned)
            layer.imap.step(3)
            seen.append(flip(layer.values))
        for other in seen[1:]:
            np.testing.assert_allclose(other, seen[0], rtol=1e-5, atol=1e-8)

    @pytest.mark.parametrize("blur", [3, 5, 7])
    def test_nothing_passes_walls_or_their_corners(self, blur: int) -> None:
        walls = np.zeros((13, 19), bool)
        walls[:, 9] = True
        walls[np.arange(13), np.arange(13)] = True
        layer = trailing(Trail(1.0, blur=blur, floor=0), walls=walls)
        layer.deposit((6.5, 2.5), 1.0)
        layer.imap.step(200)
        rows, columns = np.nonzero(layer.values)
        assert (columns > rows).all()
        assert (columns < 9).all()
        assert len(rows) > 20


def test_a_total_beyond_float64_is_refused():
    trail = fc.InfluenceMap(fc.Grid(3, 1)).add_layer("trail", fc.Trail(1.0))
    with refused(InvalidValue, "Amounts are at most"):
        trail.deposit([(0.5, 0.5), (1.5, 0.5)], [1.7e308, 1.7e308])
