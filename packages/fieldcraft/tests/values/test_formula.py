"""Formulas: what they mean, and that no text does anything else than that or be refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.values import Expression, lerp, maximum, minimum, where
from fieldcraft.values.formula import formula
from support.examples import examples

WIDTH, HEIGHT = 9, 6


@pytest.fixture(scope="module")
def imap():
    imap = fc.InfluenceMap(fc.Grid(WIDTH, HEIGHT))
    rng = np.random.default_rng(4)
    for name in ("ally", "enemy", "red team", "it's", "min", "_x1", "höhe"):
        imap.add_layer(name, values=rng.normal(0, 3, (HEIGHT, WIDTH)))
    return imap


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ally", lambda a, b: a + 0),
        ("  ally\n- 0.5 * enemy ", lambda a, b: a - 0.5 * b),
        ("ally - enemy - 1", lambda a, b: (a - b) - 1),
        ("ally - (enemy - 1)", lambda a, b: a - (b - 1)),
        ("ally / enemy / 2 * 3", lambda a, b: ((a / b) / 2) * 3),
        ("1 + ally * enemy", lambda a, b: 1 + (a * b)),
        ("-ally * -2", lambda a, b: (-a) * -2),
        ("--ally", lambda a, b: a * 1),
        ("+ally", lambda a, b: a + 0),
        ("2 * 3 - 1 + ally * (1 / 4)", lambda a, b: 5 + a * 0.25),
        ("ally < enemy", lambda a, b: a < b),
        ("ally + 1 <= 2 * enemy", lambda a, b: (a + 1) <= (2 * b)),
        ("(ally > 0) + (enemy >= 1)", lambda a, b: (a > 0) + (b >= 1)),
        ("(ally == ally) - (ally != enemy)", lambda a, b: a.equals(a) - a.differs(b)),
        ("abs(ally)", lambda a, b: abs(a)),
        ("min(ally, enemy, 1)", lambda a, b: minimum(a, b, 1)),
        ("max(ally, enemy) + max(1, 2)", lambda a, b: maximum(a, b) + 2),
        ("clamp(ally - 0.5*enemy, 0, 1)", lambda a, b: (a - 0.5 * b).clamp(0, 1)),
        ("lerp(ally, enemy, .25)", lambda a, b: lerp(a, b, 0.25)),
        ("where(ally < 1, enemy, -1e2)", lambda a, b: where(a < 1, b, -100)),
        ("normalize(ally)", lambda a, b: a.normalize()),
        ("normalize_signed(ally)", lambda a, b: a.normalize(signed=True)),
        ("invert(ally)", lambda a, b: a.invert()),
        ("linear(ally)", lambda a, b: a.curve("linear")),
        ("linear(ally, -1, 5.)", lambda a, b: a.curve("linear", -1, 5)),
        ("quadratic(ally, 3, 1 - 2)", lambda a, b: a.curve("quadratic", 3, -1)),
        ("smoothstep(ally, 0, 2)", lambda a, b: a.curve("smoothstep", 0, 2)),
        ("logistic(ally, 0, 2)", lambda a, b: a.curve("logistic", 0, 2)),
        ("step(ally, 0.5)", lambda a, b: a.curve("step", 0.5)),
        ("points(ally, -1, 0, 1, 2, 3, 1)", lambda a, b: a.curve([(-1, 0), (1, 2), (3, 1)])),
        ("smooth(ally) - smooth(enemy, 2)", lambda a, b: a.smooth() - b.smooth(2)),
    ],
)
def test_a_formula_is_the_expression(imap, text, same):
    ours = formula(text, imap)
    assert isinstance(ours, Expression)
    expected = same(imap["ally"], imap["enemy"])
    assert ours.values.tobytes() == expected.values.tobytes()
    # What it calls itself is a formula of the same values.
    for each in (ours, expected):
        assert formula(each.name, imap).values.tobytes() == each.values.tobytes()


def test_names_of_all_kinds(imap):
    for text, name in (
        ("'red team' + 0", "red team"),
        ('"red team" + 0', "red team"),
        ('"it\'s" + 0', "it's"),
        ("min + 0", "min"),
        ("min(min, min)", "min"),
        ("_x1+0", "_x1"),
        ("höhe+0", "höhe"),
    ):
        ours = formula(text, imap)
        assert np.array_equal(ours.values, imap[name].values), text
        assert np.array_equal(formula(ours.name, imap).values, ours.values)


def test_names_stand_for_maps_and_numbers_of_a_mapping(imap):
    net = imap["ally"] - imap["enemy"]
    ours = formula("net * weight", {"net": net, "weight": 2.5})
    assert np.array_equal(ours.values, (net * 2.5).values)
    with pytest.raises(InvalidValue, match="finite"):
        formula("net * weight", {"net": net, "weight": float("nan")})
    with pytest.raises(InvalidValue, match="number"):
        formula("net * weight", {"net": net, "weight": "2"})
    with pytest.raises(InvalidValue, match="at least one map"):
        formula("weight", {"net": net, "weight": 2.5})
    with pytest.raises(InvalidValue, match="mapping"):
        formula("net", 3)


def test_operators_have_the_precedence_of_python(imap):
    a, b = imap["ally"], imap["enemy"]
    for text, same in (
        ("ally < 1 and enemy > 0 or ally > 2", ((a < 1) & (b > 0)) | (a > 2)),
        ("ally and (enemy or ally)", a & (b | a)),
        ("not ally < 1", ~(a < 1)),
        ("(not ally) < 1", (~a) < 1),
        ("2 ** -ally ** 2", 2 ** -(a**2)),
    ):
        assert formula(text, imap).values.tobytes() == same.values.tobytes(), text
        assert formula(same.name, imap).values.tobytes() == same.values.tobytes(), text


def test_a_number_alone_is_a_flat_map(imap):
    assert np.array_equal(formula("1 + 2 / 4", imap).values, np.full((HEIGHT, WIDTH), 1.5))
    assert not formula("3 / 0", imap).values.any()
    assert not formula("3", imap).normalize().values.any()


def test_a_formula_follows_its_layers(imap):
    ours = formula("2 * ally", imap)
    before = ours.read()
    imap["ally"].write(imap["ally"].values + 1)
    assert not np.array_equal(ours.values, before)


@pytest.mark.parametrize(
    ("text", "rule", "character"),
    [
        ("", "not empty", 1),
        ("   ", "not empty", 4),
        ("ally +", "invalid syntax", 7),
        ("ally.values", "no attributes", 1),
        ("ally ^ 2", r"a \*\* 2 for powers", 8),
        ("ally & enemy", "Write and, or, not", 8),
        ("1 + ~ally", "names, numbers", 5),
        ("alli + 1", "no layer.*Did you mean 'ally'", 1),
        ("zebra", "no layer.*Known: ", 1),
        ("1 + clmp(ally, 0, 1)", "no function.*Did you mean 'clamp'", 5),
        ("__import__('os')", "no function", 1),
        ("ally(1)", "no function", 1),
        ("clamp(ally, 0)", "clamp.map, low, high.*2 arguments", 1),
        ("abs()", "0 arguments", 1),
        ("min(ally)", "min.a, b", 1),
        ("points(ally, 1, 1, 0, 0)", "ascend", 1),
        ("ally enemy", "names, numbers", 6),
        ("ally 'red team'", "names, numbers", 6),
        ("(ally + 1", "never closed", 1),
        ("ally + 1)", "unmatched", 9),
        ("ally, 1", "Tuple", 1),
        ("ally * / 2", "names, numbers", 8),
        ("0 < ally < 1", "don't chain", 12),
        ("'red team", "unterminated", 1),
        ("ally[0]", "names, numbers", 1),
        ("ally = 1", "names, numbers", 6),
        ("ally % 2", "names, numbers", 8),
        ("ally; enemy", "names, numbers", 5),
        ("(lambda: 1)", "names, numbers", 2),
        ("[x for x in ally]", "names, numbers", 1),
        ("f'{ally}'", "names, numbers", 1),
        ("1e30 * 1e30", "at most 1e", 1),
        ("abs(*ally)", "names, numbers", 5),
        ("True", "names, numbers", 1),
        ("1j * ally", "names, numbers", 1),
        ("1e31", "at most 1e", 1),
        ("1" * 400, "at most 1e", 1),
        ("1e999999999", "at most 1e", 1),
        ("ally * (1e30 * 10)", "at most 1e", 9),
        ("normalize(3)", "takes a map", 1),
        ("smooth(3)", "takes a map", 1),
        ("smooth(ally, 1.5)", "whole number", 1),
        ("smooth(ally, 65)", "at most 64", 1),
        ("clamp(ally, 1, 0)", "low <= high", 1),
        ("step(ally, enemy)", "threshold is a number", 1),
        ("\u0663 * ally", "names, numbers", 1),
        ("-" * 66 + "ally", "nested at most 64", 66),
        ("abs(" * 66 + "ally" + ")" * 66, "nested at most 64", 261),
        ("ally\n + zebra", "no layer", 9),
        ("ally +\n\n  zebra", "no layer", 11),
        ("'red team' + h\u00f6he + zebra", "no layer", 21),
    ],
)
def test_what_is_wrong_is_pointed_at(imap, text, rule, character):
    with pytest.raises(InvalidValue, match=rf"(?s)at character {character}:.*{rule}") as caught:
        formula(text, imap)
    lines = str(caught.value).split("\n")
    at = character - 1
    line = (
        text[: at + 1].split("\n")[-1]
        if at < len(text) and text[at] != "\n"
        else text.split("\n")[-1]
    )
    pointed = lines[2].index("^") - 2
    assert pointed == min(len(line) - (at < len(text)), 40)
    if at < len(text):
        assert lines[1][2 + pointed] == text[at]


def test_what_is_no_text_or_too_long_is_refused(imap):
    for bad in (None, 3, b"ally", ["ally"]):
        with pytest.raises(InvalidValue, match="is a text"):
            formula(bad, imap)
    with pytest.raises(InvalidValue, match="4096 characters"):
        formula("ally" + " + ally" * 1000, imap)
    assert formula("ally" + "+1" * 2046, imap).values.shape == (HEIGHT, WIDTH)
    assert formula("(" * 64 + "ally" + ")" * 64, imap).values.shape == (HEIGHT, WIDTH)


PIECES = [
    *(
        "ally",
        "enemy",
        "'red team'",
        "zebra",
        "1",
        "0",
        "2.5",
        "1e30",
        ".",
        "1e-45",
        "__class__",
        "lambda",
        "é",
        " ",
        "\n",
        "\x00",
        "\ud800",
    ),
    *("+", "-", "*", "/", "**", "<", "<=", "==", "!=", "(", ")", ",", "'", '"', "\\"),
    *("min(", "clamp(", "points(", "linear(", "smooth(", "where(", "normalize("),
]


@examples(60, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
    )
)
@example("ally" + "/ally" * 700)
@example("min(" + "ally," * 63 + "ally)")
def test_any_text_is_a_finite_map_or_refused(imap, text):
    try:
        ours = formula(text, imap)
    except FieldcraftError as error:
        assert isinstance(error, InvalidValue) and str(error)
    else:
        assert np.isfinite(ours.values).all()
        assert ours.name
