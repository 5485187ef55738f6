"""Trees of expressions: steps one after the other."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.kernels.values import map_operations as reference
from fieldcraft.values import Expression
from fieldcraft.values.formula import formula
from fieldcraft.values.operand import Operand
from support.expressions import a_map, f32, made

UNARY = (
    "negate",
    "abs",
    "normalize",
    "normalize_signed",
    "invert",
    "clamp",
    "linear",
    "smoothstep",
    "logistic",
    "step",
    "points",
)


BINARY = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "less",
    "less_equal",
    "equal",
    "unequal",
    "min",
    "max",
)


def spelled_out(verb, arrays):
    """What a verb gives, one whole array after the other."""

    def step(kind, *operands):
        wide = [np.broadcast_to(f32(each), arrays[0].shape) for each in operands]
        return reference.limited(reference.apply(getattr(reference, kind), *(wide * 3)[:3]))

    x = arrays[0]
    names = {"min": "MINIMUM", "max": "MAXIMUM"}
    if verb in BINARY or verb in ("negate", "abs", "where"):
        return step(names.get(verb, verb.upper()), *arrays)
    if verb == "normalize":
        return step(
            "DIVIDE", step("SUBTRACT", x, x.min()), min(f32(x.max() - x.min()), reference.LARGEST)
        )
    if verb == "normalize_signed":
        return step("DIVIDE", x, np.abs(x).max())
    if verb == "invert":
        return step("SUBTRACT", x.max(), x)
    if verb == "clamp":
        return step("CLAMP", x, -2, 2.5)
    share = step("CLAMP", step("DIVIDE", step("SUBTRACT", x, -1), 4), 0, 1)
    if verb == "linear":
        return share
    if verb == "smoothstep":
        return step(
            "MULTIPLY",
            step("MULTIPLY", share, share),
            step("SUBTRACT", 3, step("ADD", share, share)),
        )
    if verb == "logistic":
        return step(
            "DIVIDE",
            1,
            step("ADD", 1, step("EXP", step("MULTIPLY", step("SUBTRACT", 0.5, share), 10))),
        )
    if verb == "step":
        return step("LESS_EQUAL", 0.5, x)
    inside = step("CLAMP", x, -3, 4)
    first = step("ADD", step("MULTIPLY", step("SUBTRACT", inside, -3), f32(-1 / 3)), 1)
    second = step("ADD", step("MULTIPLY", step("SUBTRACT", inside, 0), f32(0.5)), 0)
    return step(
        "WHERE",
        step("LESS_EQUAL", 4, inside),
        2,
        step("WHERE", step("LESS_EQUAL", 0, inside), second, first),
    )


@settings(max_examples=16, deadline=None)
@given(data=st.data(), seed=st.integers(0, 1000), huge=st.booleans())
def test_any_tree_is_its_steps_one_after_the_other(data, seed, huge):
    imap = a_map(seed, scale=1e29 if huge else 5.0, space=fc.Grid(13, 7))
    layers = list(imap.layers.values())
    pairs = [(layer, layer.values) for layer in layers] + [(2.5, f32(2.5)), (0, f32(0))]
    for _ in range(data.draw(st.integers(1, 12))):
        verb = data.draw(st.sampled_from((*UNARY, *BINARY, "where")))
        count = 3 if verb == "where" else 2 if verb in BINARY else 1
        chosen = [data.draw(st.integers(0, len(pairs) - 1)) for _ in range(count)]
        if not any(isinstance(pairs[each][0], Operand) for each in chosen):
            chosen[0] = len(pairs) - 1 if isinstance(pairs[-1][0], Operand) else 0
        if count == 1 and not isinstance(pairs[chosen[0]][0], Operand):
            chosen[0] = 0
        shape = imap.space.shape
        arrays = [np.broadcast_to(pairs[each][1], shape) for each in chosen]
        with np.errstate(over="ignore"):
            pairs.append(
                (made(verb, [pairs[each][0] for each in chosen]), spelled_out(verb, arrays))
            )
    ours, expected = pairs[-1]
    assert np.isfinite(ours.values).all()
    assert np.array_equal(ours.values, expected)


def test_expressions_are_operands(imap):
    assert isinstance(imap["ally"] + 1, Expression) and isinstance(imap["ally"], Operand)
    assert isinstance(formula("ally", imap), Expression)
