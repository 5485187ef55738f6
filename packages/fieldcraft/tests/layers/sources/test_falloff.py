"""Curves from distance to weight, and the footprints cut from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation.radial.footprints import footprint
from fieldcraft.layers.sources.falloff import CURVES, Falloff, Ring
from support.refusals import refused

SHARES = np.linspace(0, 1, 4001)
SMALLEST = 2.0**-24  # a weight below half of it adds nothing to a layer at a strength of 1

FORMULAS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "constant": lambda u: u * 0 + 1,
    "linear": lambda u: 1 - u,
    "parabolic": lambda u: 1 - u**2,
    "cubic": lambda u: 1 - 3 * u + 3 * u**2 - u**3,
    "exponential": lambda u: np.expm1(5 * (1 - u)) / np.expm1(5),
    "gaussian": lambda u: np.expm1(4.5 * (1 - u**2)) / np.expm1(4.5),
    "smoothstep": lambda u: 2 * (1 - u) ** 2 * (u + 0.5),
}


class TestCurves:
    def test_all_have_a_formula_here(self) -> None:
        assert set(CURVES) == set(FORMULAS)

    @pytest.mark.parametrize("name", CURVES)
    def test_follow_their_formula(self, name: str) -> None:
        np.testing.assert_allclose(
            Falloff.of(name)(SHARES), FORMULAS[name](SHARES), rtol=0, atol=1e-14
        )

    @pytest.mark.parametrize("name", CURVES)
    def test_fall_from_one_to_nothing(self, name: str) -> None:
        weights = Falloff.of(name)(SHARES)
        assert weights[0] == 1
        assert weights[-1] == (1 if name == "constant" else pytest.approx(0, abs=SMALLEST / 2**30))
        assert weights.min() >= 0
        fall = np.diff(weights)
        assert (fall <= 1e-15).all()
        assert name == "constant" or (fall[1:-1] < 0).all()

    @pytest.mark.parametrize("name", [*CURVES, "ring", "table"])
    def test_are_zero_beyond_the_radius(self, name: str) -> None:
        falloff = Falloff.of({"ring": Ring(0.2), "table": [1, 1]}.get(name, name))  # type: ignore[call-overload]
        np.testing.assert_array_equal(falloff([1 + 1e-6, 1.5, 1e9, np.inf]), 0)

    @pytest.mark.parametrize("name", [*CURVES, "ring", "table"])
    def test_hold_at_the_radius_however_it_is_rounded(self, name: str) -> None:
        falloff = Falloff.of({"ring": Ring(0.2), "table": [1, 1]}.get(name, name))  # type: ignore[call-overload]
        assert falloff(np.nextafter(1, 2)) == falloff(1.0)

    def test_smoothstep_is_level_at_both_ends_and_half_way_in_the_middle(self) -> None:
        falloff = Falloff.of("smoothstep")
        assert falloff(0.5) == 0.5
        assert 1 - falloff(1e-4) < 4e-8
        assert falloff(1 - 1e-4) < 4e-8

    def test_keep_the_shape_of_what_they_are_given(self) -> None:
        for falloff in ("linear", Ring(0.1), [1, 0.2, 0]):
            assert Falloff.of(falloff)(np.zeros((3, 2, 4))).shape == (3, 2, 4)
            assert Falloff.of(falloff)(0.5).shape == ()


class TestRing:
    @given(st.floats(0, 0.9), st.floats(0.05, 1))
    def test_is_best_half_way_and_zero_at_its_edges(self, inner: float, width: float) -> None:
        outer = min(inner + width, 1.0)
        falloff = Falloff.of(Ring(inner, outer))
        middle = (inner + outer) / 2
        assert falloff(middle) == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(falloff([inner, outer]), 0, atol=1e-12)
        weights = falloff(SHARES)
        assert ((weights >= 0) & (weights <= 1)).all()
        np.testing.assert_array_equal(weights[(inner > SHARES) | (outer < SHARES)], 0)
        inside = (inner + 1e-9 < SHARES) & (outer - 1e-9 > SHARES)
        assert (weights[inside] > 0).all()
        assert (np.diff(weights[middle >= SHARES]) >= 0).all()
        assert (np.diff(weights[middle <= SHARES]) <= 0).all()

    def test_reaches_the_radius_unless_told(self) -> None:
        assert Ring(0.25) == Ring(0.25, 1.0)
        assert Falloff.of(Ring(0.5))(0.75) == 1

    @pytest.mark.parametrize(
        "edges", [(0.5, 0.5), (0.6, 0.5), (-0.1, 0.5), (0.2, 1.1), (0, 0), (1, 1)]
    )
    def test_refuses_edges_in_the_wrong_order_or_place(self, edges: tuple[float, float]) -> None:
        with refused(InvalidValue, "inner < outer", f"inner={edges[0]:g}"):
            fc.Ring(*edges)

    @pytest.mark.parametrize("edges", [(np.nan, 1), (0, np.nan), (0, np.inf), ("0", 1), (None, 1)])
    def test_refuses_edges_that_are_no_numbers(self, edges: Any) -> None:
        with refused(InvalidValue, "number"):
            fc.Ring(*edges)


class TestTablesAndCallables:
    def test_a_table_is_joined_by_straight_lines(self) -> None:
        falloff = Falloff.of([1, 0.5, -0.25, 0])
        np.testing.assert_allclose(
            falloff([0, 1 / 6, 1 / 3, 0.5, 2 / 3, 5 / 6, 1]),
            [1, 0.75, 0.5, 0.125, -0.25, -0.125, 0],
            atol=1e-15,
        )

    def test_a_callable_is_followed(self) -> None:
        falloff = Falloff.of(lambda u: np.cos(np.pi * u))
        np.testing.assert_allclose(falloff(SHARES), np.cos(np.pi * SHARES), atol=2e-6)
        assert falloff(0) == 1
        assert falloff(1) == -1

    def test_a_callable_is_asked_once_with_shares_from_0_to_1(self) -> None:
        asked = []

        def curve(u: NDArray[np.float64]) -> NDArray[np.float64]:
            asked.append(u.copy())
            u_was, u[:] = u.copy(), 0  # what it does to its argument is its own affair
            return 1 - u_was

        falloff = Falloff.of(curve)
        assert len(asked) == 1
        assert (asked[0][0], asked[0][-1]) == (0, 1)
        assert (np.diff(asked[0]) > 0).all()
        np.testing.assert_allclose(falloff(SHARES), 1 - SHARES, atol=1e-12)

    def test_equal_ones_are_equal(self) -> None:
        assert Falloff.of([1, 0]) == Falloff.of(np.array([1.0, 0.0]))
        assert hash(Falloff.of([1, 0])) == hash(Falloff.of((1, 0)))
        assert Falloff.of(Ring(0.5)) == Falloff.of(Ring(0.5, 1))
        assert len({Falloff.of(f) for f in ("linear", "cubic", [1, 0], Ring(0), Ring(0.5))}) == 5
        kept = Falloff.of("cubic")
        assert Falloff.of(kept) is kept

    @pytest.mark.parametrize(
        "falloff", ["linear", "gaussian", Ring(0.1, 0.7), [1, 0.5, 0.25], lambda u: 1 - u**3]
    )
    def test_state_restores(self, falloff: Any) -> None:
        first = Falloff.of(falloff)
        again = Falloff.restored(first.state())
        assert again == first
        np.testing.assert_array_equal(again(SHARES), first(SHARES))

    @pytest.mark.parametrize(
        ("curve", "fragment"),
        [
            (lambda u: u * np.nan, "nan"),
            (lambda u: np.where(u == 0.5, np.nan, 1), "nan"),
            (lambda u: np.where(u > 0.9, np.inf, 1), "inf"),
            (lambda u: 1.001 - u, "1.001"),
            (lambda u: -2 * u, "-"),
            (lambda u: 1.0, "shape ()"),
            (lambda u: u[:10], "shape (10,)"),
            (lambda u: np.stack([u, u]), "shape (2, 1025)"),
            (lambda u: None, "A callable falloff"),
            (lambda u: ["a"] * len(u), "A callable falloff"),
            (lambda u: u + 1j, "A callable falloff"),
            ([1], "shape (1,)"),
            ([], "shape (0,)"),
            ([[1, 0], [1, 0]], "shape (2, 2)"),
            ([1, np.nan], "nan"),
            ([1, 2], "2"),
            (["a", "b"], "A table"),
            ([[1, 0], [1]], "table"),
            (None, "table"),
            (3.5, "table"),
            ({"a": 1}, "ring"),
            (b"linear", "table"),
        ],
    )
    def test_weights_that_are_none_are_refused(self, curve: Any, fragment: str) -> None:
        with refused(InvalidValue, fragment):
            Falloff.of(curve)
        with refused(InvalidValue, fragment):
            fc.Radial(3, curve)

    def test_an_unknown_word_is_refused_with_the_known_ones(self) -> None:
        with refused(InvalidValue, "'parabolic'", "falloff='parabolik'"):
            Falloff.of("parabolik")

    def test_an_error_in_a_callable_comes_through(self) -> None:
        def broken(u: NDArray[np.float64]) -> NDArray[np.float64]:
            raise ZeroDivisionError("mine")

        with pytest.raises(ZeroDivisionError, match="mine"):
            Falloff.of(broken)


class TestFootprint:
    @pytest.mark.parametrize("radius", [0.3, 1, 1.5, 2, 7, 7.99])
    @pytest.mark.parametrize("falloff", ["constant", "parabolic", "exponential"])
    def test_holds_the_weight_of_every_offset(self, falloff: str, radius: float) -> None:
        weights = footprint(Falloff.of(falloff), radius, radius, int(radius))
        r = int(radius)
        assert weights.shape == (2 * r + 1, 2 * r + 1)
        for dy in range(-r, r + 1):
            for dx in range(-r, r + 1):
                away = np.hypot(dx, dy)
                expected = FORMULAS[falloff](np.array(away / radius)) if away <= radius else 0
                assert weights[r + dy, r + dx] == pytest.approx(expected, abs=1e-14)

    def test_is_no_larger_than_asked(self) -> None:
        whole, cut = (
            footprint(Falloff.of("linear"), 9.0, 9.0, 9),
            footprint(Falloff.of("linear"), 9.0, 9.0, 4),
        )
        np.testing.assert_array_equal(cut, whole[5:-5, 5:-5])

    def test_is_read_only(self) -> None:
        with pytest.raises(ValueError, match="read-only"):
            footprint(Falloff.of("linear"), 5.0, 5.0, 5)[0, 0] = 1


class TestWords:
    """One word, one curve: of layers that spread and of radial ones, in programs and in what was
    written before.
    """

    @pytest.mark.parametrize("word", ["linear", "cubic"])
    def test_spread_and_radial_mean_the_same_curve(self, word: str) -> None:
        strength, radius = 8.0, 5.0
        power = {"linear": 1, "cubic": 3}[word]
        grid = fc.Grid(29, 1, cell_size=0.25)
        spread = fc.Spread(strength ** (1 / power) / radius, 1.0, word, floor=0.0)
        layer = fc.InfluenceMap(grid).add_layer("threat", spread)
        layer.add_source((0.125, 0.125), strength)
        layer.settle()
        expected = strength * Falloff.of(word)(np.arange(29) / 4 / radius)
        np.testing.assert_allclose(layer.values[0], expected, atol=1e-5)
