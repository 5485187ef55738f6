"""Snapshots that are refused."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit.pursuit_checks import checked_velocity
from support.memories import GRID, middle
from support.refusals import refused

pytestmark = pytest.mark.reference


@pytest.mark.parametrize("damage", ["missing", "shape", "kind", "nan"])
def test_other_memories_are_refused(damage: str) -> None:
    for thing, name in (
        (fc.Belief(GRID, 1.0), "masses"),
        (fc.LastSeen(GRID), "seen"),
        (fc.Pursuit(GRID, middle(GRID), speed=1.0), "lit"),
    ):
        memory, before = thing.state(), thing.values.copy()
        if damage == "missing":
            del memory[name]
        elif damage == "shape":
            memory[name] = memory[name][..., :-1]
        elif damage == "kind":
            memory[name] = memory[name].astype(str)
        else:
            memory[name] = np.full(memory[name].shape, np.nan)
        with refused(InvalidValue, "of a state", "state()"):
            thing.restore(memory)
        np.testing.assert_array_equal(thing.values, before)


def lies() -> list[tuple[str, str, Any]]:
    """What a damaged memory may say, of the right shape and kind: (whose, entry, what becomes of
    it).
    """
    flood = [
        ("state", lambda a: a * 0 + 200),
        ("state", lambda a: a * 0),
        ("ignited", lambda a: a - 9),
        ("ignited", lambda a: a + 10**6),
        ("lit", lambda a: a + 10**6),
        ("lit", lambda a: a * 0),
        ("barrier_cells", lambda a: a * 0 - 1),
        ("barrier_cells", lambda a: a * 0),
        ("marks", lambda a: a * 0 + 10**9),
        ("marks", lambda a: -a),
        ("marks", lambda a: a * 0),
        ("ticks", lambda n: n + 10**15),
    ]
    belief = [
        ("masses", lambda a: -a),
        ("masses", lambda a: a * 0),
        ("masses", lambda a: a * 7),
        ("scales", lambda a: -a),
        ("scales", lambda a: a * 0),
        ("ticks", lambda n: n + 10**15),
    ]
    staleness = [
        ("seen", lambda a: a - 5),
        ("seen", lambda a: a * 0 - 2),
        ("seen", lambda a: a + 10**15),
        ("now", lambda n: n + 10**30),
        ("began", lambda n: n + 10**15),
        ("began", lambda n: np.int64(n + 10**15)),
    ]
    return [
        (who, *each)
        for who, all_ in (("flood", flood), ("belief", belief), ("staleness", staleness))
        for each in all_
    ]


@pytest.mark.parametrize(("who", "name", "lie"), lies())
def test_memories_that_lie_are_refused(who: str, name: str, lie: Any) -> None:
    made: dict[str, Any] = {
        "flood": fc.Pursuit(GRID, middle(GRID), (1.0, 0.3)),
        "belief": fc.Belief(GRID, 1.0),
        "staleness": fc.LastSeen(GRID),
    }
    thing = made[who]
    thing.advance(4.0)
    memory = thing.state()
    if isinstance(memory[name], np.ndarray) and memory[name].dtype.kind in "iu":
        memory[name] = memory[name].astype(np.int64)
    before = thing.values.copy()
    with refused(InvalidValue, "of a state", "state()"):
        thing.restore(memory | {name: lie(memory[name])})
    np.testing.assert_array_equal(thing.values, before)


def test_snapshots_of_a_map_of_another_shape_are_refused() -> None:
    tall, wide = fc.Grid(3, 4), fc.Grid(4, 3)
    seen, other = fc.LastSeen(tall), fc.LastSeen(wide)
    seen.observe([0, 5])
    before = other.state()
    with refused(InvalidValue, "shape of a state", "(4, 3)"):
        other.restore(seen.state())
    assert other.state().keys() == before.keys()
    assert all(np.array_equal(other.state()[name], before[name]) for name in before)
    with refused(InvalidValue, "A search party continues", "shape"):
        fc.SearchParty(wide, 3.0).restore(fc.SearchParty(tall, 3.0).state())


def test_velocities_are_bounded():
    with refused(InvalidValue, "components of a velocity"):
        checked_velocity((1e300, 0.0), 2)


def test_states_come_back_from_numpy_archives() -> None:
    seen, belief = fc.LastSeen(GRID, unseen=3), fc.Belief(GRID, 1.0)
    seen.observe([0, 5])
    seen.advance(1.5)
    belief.see(middle(GRID))
    belief.advance(0.7)
    for thing, other in ((seen, fc.LastSeen(GRID)), (belief, fc.Belief(GRID, 1.0))):
        archive = io.BytesIO()
        np.savez(archive, **thing.state())
        archive.seek(0)
        with np.load(archive) as file:
            other.restore(file)
        thing.advance(1.1)
        other.advance(1.1)
        np.testing.assert_array_equal(other.values, thing.values)
