"""The interpreter of expressions: the same bits compiled and uncompiled, whatever the blocks."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.values import map_operations as reference
from fieldcraft.values import calculation
from fieldcraft.values.calculation import Calculation
from fieldcraft.values.expression_plan import Program
from support.tiers import uncompiled

compiled_only = pytest.mark.skipif(
    not kernels.compiled(), reason="compares the compiled kernels, which are off"
)

MAPS, CONSTANTS, REGISTERS = 3, 4, 5
UNARY = (reference.COPY, reference.NEGATE, reference.ABS, reference.EXP)
BINARY = tuple(range(reference.ADD, reference.UNEQUAL + 1))
TERNARY = (
    reference.WHERE,
    reference.CLAMP,
    reference.MULTIPLY_ADD,
    reference.MULTIPLY_SUBTRACT,
    reference.SUBTRACT_MULTIPLY,
)
EDGES = np.array(
    [0, -0.0, 1, -1, 0.5, 1e-45, -1e-40, 3.4e38, -3.4e38, 1e30, 88.5, -103.0, 2.0**24], np.float32
)


def a_map(rng, cells):
    values = rng.normal(0, 10.0 ** rng.integers(-3, 4), cells).astype(np.float32)
    odd = rng.random(cells) < 0.3
    values[odd] = rng.choice(EDGES, int(odd.sum()))
    return values


def a_plan(rng, length, constants):
    """Random instructions over rows that hold something, limited like those of a plan: once for
    ranges, once for a result.
    """
    first_register = 1 + MAPS + CONSTANTS
    holds = list(range(1, first_register))
    lowest, highest = first_register - 2, first_register - 1
    program = []
    for _ in range(length):
        operation = int(rng.choice(UNARY + BINARY + TERNARY))
        a, b, c = (int(rng.choice(holds)) for _ in range(3))
        free = [
            row for row in range(first_register, first_register + REGISTERS) if row not in (a, b, c)
        ]
        result = free[0]
        program.append((operation, result, a, b, c))
        program.append((reference.CLAMP, free[1], result, lowest, highest))
        holds = [row for row in holds if row != result]
        if free[1] not in holds:
            holds.append(free[1])
    ranges = [(reference.RANGE, 0, holds[-1], 0, 0), (reference.RANGE, 1, 1, 0, 0)]
    result = [(reference.COPY, 0, holds[-1], 0, 0)]
    looking = Program(np.array(program + ranges, dtype=np.int64), 2)
    last = Program(np.array(program + result, dtype=np.int64), 0)
    return SimpleNamespace(
        sources=MAPS, registers=REGISTERS, constants=constants, passes=[(looking, [])], last=last
    )


@compiled_only
@settings(max_examples=16, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    cells=st.integers(1, 300),
    length=st.integers(1, 12),
    walled=st.booleans(),
    block=st.sampled_from([16, 64, 1024]),
)
def test_a_program_gives_the_reference_bits(seed, cells, length, walled, block):
    rng = np.random.default_rng(seed)
    maps = [a_map(rng, cells) for _ in range(MAPS)]
    constants = np.array(
        [*rng.choice(EDGES, CONSTANTS - 2), -reference.LARGEST, reference.LARGEST], np.float32
    )
    walls = (rng.random(cells) < 0.3).astype(np.uint8) if walled else np.zeros(0, np.uint8)
    walls.flags.writeable = False
    plan = a_plan(rng, length, constants)
    found = set()
    with pytest.MonkeyPatch.context() as patch:
        for family in (kernels.values.compose, uncompiled("compose")):
            patch.setattr(family, "BLOCK", block)
        patch.setattr(calculation, "_WORK_PER_THREAD", 50)
        patch.setattr(pool, "_count", 2)
        for compiled in (True, False):
            if not compiled:
                patch.setattr(kernels.values, "compose", uncompiled("compose"))
            out = np.full(cells, 7, np.float32)
            ours = Calculation(plan, walls, cells)
            ranges = ours.run(plan.passes[0][0], maps)
            low, high = ranges[..., 0].min(axis=0) + 0.0, ranges[..., 1].max(axis=0) + 0.0
            ours.run(plan.last, maps, out)
            found.add((low.tobytes(), high.tobytes(), out.tobytes()))
    assert len(found) == 1


def test_exp_is_exp():
    x = np.linspace(-60, 60, 5001, dtype=np.float32)
    ours = reference.apply(reference.EXP, x, x, x)
    assert np.abs(ours / np.exp(x.astype(np.float64)) - 1).max() < 3e-6
    assert ours[2500] == 1


def test_what_is_held_back_is_finite():
    values = np.array([np.inf, -np.inf, 3e38, -0.0], np.float32)
    assert reference.limited(values).tolist() == [
        reference.LARGEST,
        -reference.LARGEST,
        np.float32(3e38),
        0,
    ]
