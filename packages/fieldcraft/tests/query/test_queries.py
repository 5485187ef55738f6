"""What all kinds of queries share: random choices among the best."""

from __future__ import annotations

import numpy as np

from fieldcraft.base.errors import InvalidValue
from fieldcraft.query.queries import lottery
from support.refusals import refused


def test_draws_follow_the_generator() -> None:
    found = lottery(0.1, np.random.default_rng(3), 4, 2)
    assert found is not None
    assert found.share == 0.1
    assert np.array_equal(found.draws, np.random.default_rng(3).random((4, 2)))


def test_without_a_part_there_is_no_lottery() -> None:
    assert lottery(None, None, 4, 2) is None


def test_a_part_and_a_generator_come_together() -> None:
    with refused(InvalidValue, "rng without within"):
        lottery(None, np.random.default_rng(3), 4, 2)
    with refused(InvalidValue, "without rng"):
        lottery(0.1, None, 4, 2)
    with refused(InvalidValue, "within"):
        lottery(-0.1, np.random.default_rng(3), 4, 2)
