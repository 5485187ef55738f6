"""Plans of expressions: equal parts are computed once, in few rows."""

from __future__ import annotations

import numpy as np

from fieldcraft.values import expression_plan as plan
from support.expressions import HEIGHT, WIDTH


def test_equal_parts_are_computed_once(imap):
    a, b = imap["ally"], imap["enemy"]
    share = (a - b).curve("linear", 0, 2)
    again = share * share + (a - b).curve("linear", 0, 2)
    once, twice = (plan.plan_of(each.node)[0] for each in (share, again))
    assert len(twice.last.instructions) == len(once.last.instructions) + 1
    assert len(again.maps) == 2


def test_a_result_may_be_made_of_what_its_range_is_found_in(imap, one_by_one):
    a, b, _ = imap.layers.values()
    net = (a - 0.5 * b).clamp(0, 1)
    assert net.normalize().values.any() and len(one_by_one) == 2
    for ours, expected in (
        (net.normalize(signed=True), net.values / net.values.max()),
        (net.normalize() * net, net.values * net.normalize().values),
        (net * 2 - net.invert(), net.values * 2 - (net.values.max() - net.values)),
    ):
        assert np.allclose(ours.values, expected, atol=1e-6)
        assert np.array_equal(ours.values, ours.read())


def test_a_long_sum_needs_few_rows(imap):
    total = imap["ally"]
    for weight in range(2000):
        total = total + weight
    assert plan.plan_of(total.node)[0].registers <= 3
    assert total.values.shape == (HEIGHT, WIDTH)
    assert len(repr(total)) < 300
