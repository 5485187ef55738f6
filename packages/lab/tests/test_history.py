"""The totals over time that a page plots are those of the present course of the world."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from fieldcraft_lab import orders
from fieldcraft_lab.controller import Controller
from fieldcraft_lab.history import History
from fieldcraft_lab.hub import Client
from fieldcraft_lab.pictures import Renderer
from fieldcraft_lab.session import Session
from support.sessions import small_map


class Watched:
    """A session that a page watches from its first step."""

    def __init__(self) -> None:
        self.session = Session(small_map())
        self.controller = Controller({"a": self.session})
        self.messages: list[dict[str, Any]] = []
        self.controller.hub.add(Client(wake=lambda: None, send=self.messages.append))
        self.clock = 0.0
        self.publish()

    def publish(self) -> None:
        self.clock += 10.0
        self.controller.publish(self.clock)

    def go_on(self, count: int) -> None:
        for _ in range(count):
            self.session.step()
            self.publish()

    def seek(self, moment: int) -> None:
        self.session.seek(moment)
        self.publish()

    def moments(self) -> list[int]:
        return [moment for moment, _ in self.controller.hello()["history"]["a"]]

    def differences(self) -> list[int]:
        """The moments whose totals are not those that the session has now."""
        rows = self.controller.hello()["history"]["a"]
        wrong = []
        for moment, totals in rows:
            self.session.seek(moment)
            if self.controller._renderer.totals(self.session.live) != totals:
                wrong.append(moment)
        return wrong


def test_totals_follow_edits_in_the_past_and_their_undoing() -> None:
    watched = Watched()
    session = watched.session
    watched.go_on(8)
    watched.seek(4)
    session.apply(orders.Place("threat", (9.5, 2.5), 4.0))
    watched.publish()
    assert watched.moments() == [0, 1, 2, 3, 4]
    watched.go_on(3)
    assert watched.moments() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert watched.differences() == []

    watched.seek(7)
    session.undo()
    watched.publish()
    assert watched.moments() == [0, 1, 2, 3, 7]
    assert watched.differences() == []

    session.seek(7)
    session.redo()
    watched.publish()
    watched.go_on(1)
    assert watched.differences() == []


def test_pages_are_told_from_which_moment_totals_have_changed() -> None:
    watched = Watched()
    watched.go_on(6)
    watched.seek(5)
    watched.session.apply(orders.Place("threat", (9.5, 2.5), 4.0))
    watched.session.seek(2)
    watched.session.apply(orders.Tune("threat", "decay", 0.4))
    watched.publish()
    told = [message["rewritten"] for message in watched.messages if "rewritten" in message]
    assert told == [["a", 2]]
    watched.go_on(1)
    assert [message for message in watched.messages if "rewritten" in message][1:] == []


def test_a_fork_has_the_totals_up_to_its_moment() -> None:
    history = History()
    for moment in range(5):
        history.add(moment, {"threat": moment})
    assert [at for at, _ in history.until(2).rows()] == [0, 1, 2]
    assert len(history.rows()) == 5


@pytest.mark.parametrize("count", [2000, 2001, 6000])
def test_long_histories_are_thinned_out(count: int) -> None:
    history = History()
    for moment in range(count):
        history.add(moment, moment)
    moments = [at for at, _ in history.rows()]
    assert len(moments) <= 2000
    assert moments[0] == 0 and moments[-1] >= count - 2


def test_a_world_that_is_gone_leaves_no_totals_to_another() -> None:
    """Totals were kept by the address of a world, which a later world could have too."""
    renderer = Renderer()
    session = Session(small_map())
    renderer.totals(session.live)
    assert len(renderer._totals) == 1
    del session
    gc.collect()
    assert len(renderer._totals) == 0
