"""Contacts: who is in sight, who was found, who was lost, and what is handed on to those who
search.
"""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit import Sight
from support.refusals import refused

pytestmark = pytest.mark.reference


def a_wall() -> fc.Grid:
    """Twelve wide, with a wall from the top down to a gap of two rows."""
    walls = np.zeros((8, 12), dtype=bool)
    walls[:6, 6] = True
    return fc.Grid(12, 8, walls=walls)


class TestContacts:
    def test_found_followed_and_lost(self) -> None:
        sight = Sight(a_wall(), radius=20)
        contacts = sight.nobody(targets=2)
        assert (
            np.isnan(contacts.positions).all()
            and np.isinf(contacts.ages).all()
            and len(contacts) == 2
        )
        # One walks to the right and gets behind the wall, in steps of half a second; the other is
        # behind it all along.
        log = []
        for x in (3.5, 4.5, 5.5, 7.5, 8.5, 9.5):
            contacts = sight.observe(contacts, (1.5, 1.5), [(x, 1.5), (10.5, 0.5)], 0.5)
            log.append(
                (contacts.found.tolist(), contacts.lost.tolist(), contacts.in_sight.tolist())
            )
        assert log[0] == ([0], [], [True, False])
        assert log[1:3] == [([], [], [True, False])] * 2
        assert log[3] == ([], [0], [False, False])
        assert log[4:] == [([], [], [False, False])] * 2
        assert contacts.positions[0].tolist() == [5.5, 1.5] and contacts.velocities[0].tolist() == [
            2,
            0,
        ]
        assert contacts.ages[0] == 1.5 and np.isinf(contacts.ages[1])
        assert contacts.velocity_of(0).tolist() == [2, 0] and contacts.velocity_of(1) is None
        assert contacts.seen.shape == (1, 2)

    def test_grace_bridges_a_pillar(self) -> None:
        walls = np.zeros((5, 9), dtype=bool)
        walls[2, 4] = True
        for grace, lost in ((0.0, True), (0.5, False)):
            sight = Sight(fc.Grid(9, 5, walls=walls), radius=20, grace=grace)
            contacts = sight.nobody(1)
            events = []
            for y in (0.5, 1.5, 2.5, 2.5, 2.5, 3.5, 4.5):
                contacts = sight.observe(contacts, (1.5, 2.5), [(7.5, y)], 0.1)
                events += contacts.lost.tolist()
            assert bool(events) == lost and contacts.in_sight.all()
        contacts = sight.observe(contacts, np.zeros((0, 2)), [(7.5, 4.5)], 0.5)
        assert contacts.in_sight.all() and not contacts.seen.size
        contacts = sight.observe(contacts, np.zeros((0, 2)), [(7.5, 4.5)], 0.01)
        assert contacts.lost.tolist() == [0]

    def test_velocities(self) -> None:
        torus = fc.Grid(10, 4, wrap=True)
        sight = Sight(torus, radius=3)
        contacts = sight.observe(sight.nobody(1), (9.5, 1.5), [(9.5, 1.5)], 0.5)
        assert contacts.velocity_of(0) is None
        contacts = sight.observe(contacts, (9.5, 1.5), [(0.5, 1.5)], 0.5)
        assert contacts.velocity_of(0).tolist() == [2, 0]  # over the seam
        contacts = sight.observe(contacts, (9.5, 1.5), [(0.5, 1.5)], 0.0)
        assert contacts.velocity_of(0).tolist() == [2, 0]
        contacts = sight.observe(contacts, (9.5, 1.5), [(5.5, 1.5)], 0.5)
        assert contacts.lost.tolist() == [0] and contacts.velocity_of(0).tolist() == [2, 0]
        contacts = sight.observe(contacts, (9.5, 1.5), [(7.5, 1.5)], 0.5)
        assert (
            contacts.found.tolist() == [0] and contacts.velocity_of(0) is None
        )  # nobody knows how he got there
        contacts = sight.observe(contacts, (9.5, 1.5), [(7.5, 1.5)], 0.5, velocities=[(0, 3)])
        assert contacts.velocity_of(0).tolist() == [0, 3]

    def test_cones_and_absence(self) -> None:
        sight = Sight(fc.Grid(12, 8), radius=20, angle=90)
        viewers, targets = [(5.5, 4.5), (5.5, 4.5)], [(9.5, 4.5), (1.5, 4.5)]
        contacts = sight.observe(sight.nobody(2), viewers, targets, 0.1, facing=[(1, 0), (0, 1)])
        assert contacts.seen.tolist() == [[True, False], [False, False]]
        contacts = sight.observe(contacts, viewers, targets, 0.1, present=[False, True])
        assert contacts.lost.tolist() == [0] and contacts.found.tolist() == [1]


def test_what_is_no_look_is_refused() -> None:
    space = a_wall()
    sight = Sight(space, radius=[3.0, 4.0])
    two = sight.nobody(2)
    for make, fragment in (
        (lambda: Sight(space, radius=0), "above 0"),
        (lambda: Sight(space, radius=3, angle=400), "360"),
        (lambda: Sight(space, radius=3, grace=-1), "grace"),
        (lambda: Sight(space, radius=3, heights=np.zeros(3)), "heights"),
        (lambda: Sight("map", radius=3), "space"),  # type: ignore[arg-type]
        (lambda: sight.nobody(-1), "targets"),
        (lambda: sight.observe(two, [(1, 1), (2, 2)], [(1, 1)], 0.1), "1 for 2"),
        (lambda: sight.observe(two, [(1, 1)], [(1, 1), (2, 2)], 0.1), "one for each"),
        (lambda: sight.observe(two, [(1, 1), (2, 2)], [(1, 1), (2, np.nan)], 0.1), "finite"),
        (lambda: sight.observe(two, [(1, 1), (2, 2)], [(1, 1), (2, 2)], -0.1), "dt"),
        (
            lambda: sight.observe(two, [(1, 1), (2, 2)], [(1, 1), (2, 2)], 0.1, velocities=(1, 0)),
            "per target",
        ),
        (
            lambda: sight.observe(two, [(1, 1), (2, 2)], [(1, 1), (2, 2)], 0.1, present=[1, 0]),
            "bool",
        ),
    ):
        with refused(InvalidValue, fragment):
            make()
