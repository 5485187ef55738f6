"""What searches remember comes back bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from support.memories import middle

pytestmark = pytest.mark.reference


def test_a_flood_goes_on(space: Any) -> None:
    def made() -> fc.Pursuit:
        return fc.Pursuit(space, middle(space), (1.0, 0.3), speed=2.0)

    one, other = made(), made()
    one.advance(2.3)
    other.restore(one.state())
    for hunt in (one, other):
        hunt.advance(1.45)
    assert one.values.any()
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.barrier, other.barrier)
    np.testing.assert_array_equal(one.hot, other.hot)
    assert (one.steps, one.stopped) == (other.steps, other.stopped)


def test_what_was_kept_stays_as_it_was(space: Any) -> None:
    hunt = fc.Pursuit(space, middle(space), (1.0, 0.3))
    hunt.step(3)
    kept = hunt.state()
    seen = hunt.values.copy()
    hunt.step(4)
    hunt.restore(kept)
    np.testing.assert_array_equal(hunt.values, seen)
    hunt.step(2)
    assert kept["marks"].tolist() == fc_memory(space)["marks"].tolist()


def fc_memory(space: Any) -> dict[str, Any]:
    hunt = fc.Pursuit(space, middle(space), (1.0, 0.3))
    hunt.step(3)
    return hunt.state()


def test_a_belief_goes_on(space: Any) -> None:
    one, other = (fc.Belief(space, 2.0, targets=2) for _ in range(2))
    one.see(middle(space), target=1)
    one.advance(1.37)
    one.observe(np.arange(0, len(space), 3))
    other.restore(one.state())
    for belief in (one, other):
        belief.advance(0.81)
        belief.observe(np.arange(1, len(space), 5))
    for target in range(2):
        np.testing.assert_array_equal(one.probability(target), other.probability(target))


def test_staleness_goes_on(space: Any) -> None:
    one, other = fc.LastSeen(space, unseen=7), fc.LastSeen(space)
    one.advance(2.5)
    one.observe([0, 3, 4])
    other.restore(one.state())
    for patrol in (one, other):
        patrol.advance(1.5)
        patrol.observe([1, 2])
    np.testing.assert_array_equal(one.values, other.values)
    assert one.time == other.time == 4.0


def test_cells_seen_at_the_beginning_are_still_seen(space: Any) -> None:
    one, other = fc.LastSeen(space), fc.LastSeen(space)
    one.observe([0, 3])
    other.restore(one.state())
    np.testing.assert_array_equal(other.never, one.never)
    assert not other.never.reshape(-1)[[0, 3]].any() and other.never.any()
    np.testing.assert_array_equal(other.knowledge.values, one.knowledge.values)


def test_a_flood_whose_beginning_was_walled_up_goes_on() -> None:
    def made(walls: bool) -> fc.Pursuit:
        hunt = fc.Pursuit(fc.Grid(15, 11), (7.5, 5.5), (1.0, 0.0))
        if walls:
            hunt.space.set_walls([82])
        return hunt

    one = made(walls=False)
    one.step(2)
    one.space.set_walls([82])
    x, y = one.space.position_of(np.arange(165)).T
    assert one.observe(
        np.flatnonzero((abs(x - 7.5) < 4.1) & (abs(y - 5.5) < 4.1))
    )  # it begins beside the wall, a barrier and all
    other = made(walls=True)
    other.restore(one.state())
    for hunt in (one, other):
        hunt.step(3)
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.barrier, other.barrier)


def test_why_a_flood_stopped_is_remembered_until_walls_change() -> None:
    def made(hall: fc.Grid) -> fc.Pursuit:
        return fc.Pursuit(hall, (2.5, 0.5), speed=1.0)

    one, other = made(fc.Grid(9, 1)), made(fc.Grid(9, 1))
    for hunt in (one, other):
        hunt.space.set_walls([4])
    one.step(9)
    memory = one.state()
    assert one.stopped == "with nowhere left to go"
    other.restore(memory)
    assert other.stopped == one.stopped
    open_by_now = made(fc.Grid(9, 1))
    open_by_now.restore(memory)
    assert open_by_now.stopped is None


@pytest.mark.parametrize(
    "make",
    [lambda hall: fc.Pursuit(hall, (7.5, 5.5), speed=1.0), lambda hall: fc.Belief(hall, 1.0)],
)
@pytest.mark.parametrize("as_graph", [False, True])
def test_reading_changes_nothing_while_walls_come_and_go(make: Any, as_graph: bool) -> None:
    said = []
    for reads in (False, True):
        hall: Any = fc.Grid(15, 11).to_graph() if as_graph else fc.Grid(15, 11)
        thing = make(hall)
        thing.step(3)
        hall.set_walls([80])
        if reads:
            version = thing.version
            held = thing.values.copy()
            assert held.reshape(-1)[80] == 0
            hall.set_walls([80], False)
            assert thing.version != version
            assert thing.values.reshape(-1)[80] > 0
        else:
            hall.set_walls([80], False)
        thing.step(2)
        said.append(thing.values.copy())
    np.testing.assert_array_equal(*said)


def test_what_is_read_behind_a_new_wall_is_what_the_next_step_goes_on_from() -> None:
    hall = fc.Grid(15, 11)
    hunt, belief = fc.Pursuit(hall, (7.5, 5.5), (1.0, 0.0)), fc.Belief(hall, 1.0)
    hunt.step(3)
    belief.step(3)
    hall.set_walls([80, 81, 96])
    read = [hunt.values.copy(), hunt.barrier.copy(), hunt.hot.copy(), belief.probability()]
    nothing = np.zeros(hall.shape, dtype=bool)
    hunt.observe(nothing)
    belief.observe(nothing)
    for before, after in zip(
        read, [hunt.values, hunt.barrier, hunt.hot, belief.probability()], strict=True
    ):
        np.testing.assert_allclose(before, after, rtol=1e-15)
