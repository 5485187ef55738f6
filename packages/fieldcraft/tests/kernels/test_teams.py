"""The passes over the maps of teams: the same bits as their reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import kernels
from oracles import compose as reference

compiled_only = pytest.mark.skipif(
    not kernels.compiled(), reason="compares the compiled kernels, which are off"
)
EDGES = np.array([0, -0.0, 1, -1, 0.5, 1e-45, -1e-40, 1e30, -1e30, 2.0**-24], np.float32)


def maps_of(seed, teams, cells):
    rng = np.random.default_rng(seed)
    maps = rng.normal(0, 10.0 ** rng.integers(-2, 3), (teams, cells)).astype(np.float32)
    odd = rng.random((teams, cells)) < 0.4
    maps[odd] = rng.choice(EDGES, int(odd.sum()))
    return [np.ascontiguousarray(values) for values in maps]


def addresses(maps):
    return np.array([values.__array_interface__["data"][0] for values in maps], dtype=np.int64)


@compiled_only
@settings(max_examples=16)
@given(
    seed=st.integers(0, 2**32 - 1),
    teams=st.integers(1, 11),
    cells=st.integers(1, 2500),
    cut=st.integers(0, 2500),
)
def test_a_survey_gives_the_reference_bits(seed, teams, cells, cut):
    from fieldcraft.kernels import teams as fast

    maps = maps_of(seed, teams, cells)
    found = [np.full(cells, 7, np.float32) for _ in range(2)] + [np.full(cells, 7, np.int32)]
    expected = [each.copy() for each in found]
    cut = min(cut, cells)
    for first, last in ((0, cut), (cut, cells)):
        fast.survey(addresses(maps), first, last, *found)
    reference.surveyed(maps, *expected)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in expected]


@compiled_only
@settings(max_examples=16)
@given(
    seed=st.integers(0, 2**32 - 1),
    teams=st.integers(1, 9),
    cells=st.integers(1, 2500),
    margin=st.sampled_from([0.0, 1e-45, 0.5, 3.0, 1e31]),
    neutral=st.sampled_from([-1, 99, -(2**31)]),
)
def test_a_lead_gives_the_reference_bits(seed, teams, cells, margin, neutral):
    from fieldcraft.kernels import teams as fast

    maps = maps_of(seed, teams, cells)
    found, expected = np.full(cells, 7, np.int32), np.full(cells, 7, np.int32)
    for first, last in ((0, cells // 3), (cells // 3, cells)):
        fast.lead(addresses(maps), first, last, np.float32(margin), np.int32(neutral), found)
    reference.leading(maps, margin, neutral, expected)
    assert found.tobytes() == expected.tobytes()


@settings(max_examples=14)
@given(seed=st.integers(0, 2**32 - 1), teams=st.integers(1, 6))
def test_the_reference_says_what_the_words_say(seed, teams):
    maps = maps_of(seed, teams, 50)
    total, contested, leader = (
        np.empty(50, np.float32),
        np.empty(50, np.float32),
        np.empty(50, np.int32),
    )
    owner = np.empty(50, np.int32)
    reference.surveyed(maps, total, contested, leader)
    reference.leading(maps, 0.5, -7, owner)
    for cell in range(50):
        presence = [abs(float(values[cell])) for values in maps]
        ranked = sorted(presence, reverse=True)
        assert total[cell] == pytest.approx(sum(presence), rel=1e-6)
        assert contested[cell] == pytest.approx(2 * sum(ranked[1:]), rel=1e-6)
        assert leader[cell] == (presence.index(ranked[0]) if ranked[0] > 0 else -1)
        ahead = np.float32(ranked[0]) - np.float32(ranked[1] if teams > 1 else 0)
        assert owner[cell] == (presence.index(ranked[0]) if ranked[0] > 0 and ahead >= 0.5 else -7)
