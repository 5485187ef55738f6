"""The text of expressions."""

from __future__ import annotations

import pytest

import fieldcraft as fc
from fieldcraft.values.written import Written, text_of


@pytest.fixture
def maps() -> tuple[fc.Layer, fc.Layer]:
    imap = fc.InfluenceMap(fc.Grid(3, 2))
    values = [[1, 2, 3], [4, 5, 6]]
    return imap.add_layer("food", values=values), imap.add_layer("red team", values=values)


def test_operators_and_names(maps: tuple[fc.Layer, fc.Layer]) -> None:
    food, team = maps
    assert text_of(food - 0.5 * team) == "food - 0.5 * 'red team'"
    assert text_of(-food) == "-food"
    assert text_of((food < 2) & (team > 1)) == "food < 2 and 'red team' > 1"
    assert text_of(food**-2) == "food ** (-2)"
    assert text_of(food.smooth(2)) == "smooth(food, 2)"
    assert text_of(fc.where(food > 1, team, 0.25)) == "where(food > 1, 'red team', 0.25)"


def test_what_is_too_deep_or_an_array_is_left_out(maps: tuple[fc.Layer, fc.Layer]) -> None:
    food, _ = maps
    assert text_of(food + food.values) == "food + ..."
    deep = food
    for _ in range(20):
        deep = deep + 1
    assert text_of(deep).count("+ 1") == 8
    assert "..." in text_of(deep)


def test_a_named_expression_is_written_by_its_name(maps: tuple[fc.Layer, fc.Layer]) -> None:
    food, _ = maps
    total = food + 1
    total.name = "total"
    assert text_of(2 * total) == "2 * total"
    assert text_of(Written("max", (1.0, 2.5))) == "max(1, 2.5)"
