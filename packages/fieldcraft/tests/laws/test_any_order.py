"""The law "any order": operations in any order have the same results on a world that is copied,
pickled, saved, run within budgets and read between them, and on one that is left alone; and what
follows others equals a new one.

`make test-any-order` runs it for as long as FIELDCRAFT_ANY_ORDER says, in seconds, from the seed
FIELDCRAFT_ANY_ORDER_SEED on.
"""

from __future__ import annotations

import inspect
import os
import time
from types import FunctionType

import pytest

import fieldcraft as fc
from fieldcraft.steering import PIBT
from support.any_order import episode, first_difference, replay, report
from support.any_order.drawing import OPERATIONS, PEEKS
from support.any_order.followers import FOLLOWERS
from support.any_order.layers import LAYERS
from support.any_order.scripts import kind_of, shrunk
from support.worlds import EVERY

SECONDS = float(os.environ.get("FIELDCRAFT_ANY_ORDER", 0))
SEED = int(os.environ.get("FIELDCRAFT_ANY_ORDER_SEED", 0))
EPISODES = max(len(LAYERS), len(FOLLOWERS))
"""Scripts on each kind of space. A script has three layers and three followers, so each kind of
them comes at least three times.
"""


@pytest.mark.parametrize("kind", EVERY)
def test_any_order_has_the_results_of_a_plain_run(kind: str) -> None:
    for number in range(EPISODES):
        script = episode(kind, number).script
        if first_difference(script):
            pytest.fail(report(script), pytrace=False)


@pytest.mark.timeout(0)
@pytest.mark.skipif(not SECONDS, reason="make test-any-order runs it")
def test_any_order_for_as_long_as_asked() -> None:
    end, found, number = time.monotonic() + SECONDS, dict[str, str](), 0
    while time.monotonic() < end:
        for kind in EVERY:
            # Where a script does not end, this line names it.
            print(f"\r{kind}, script {number} of seed {SEED} ", end="", flush=True)
            script = episode(kind, number, seed=SEED).script
            difference = first_difference(script)
            if difference and kind_of(difference) not in found:
                found[kind_of(difference)] = report(script)
                print(f"\n{kind}, script {number} of seed {SEED}: {found[kind_of(difference)]}")
        number += 1
    print(f"\n{number} scripts on each of {len(EVERY)} kinds of space, {len(found)} differences")
    assert not found


def test_a_fault_is_found_and_its_script_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    restored = fc.layers.SpreadLayer.restored

    def without_its_time(*arguments: object) -> fc.Layer:
        layer = restored(*arguments)  # type: ignore[arg-type]
        layer.steps.due = 0
        return layer

    monkeypatch.setattr(fc.layers.SpreadLayer, "restored", staticmethod(without_its_time))
    for number in range(40):
        script = episode("grid", number).script
        if first_difference(script):
            break
    short = shrunk(script)
    assert any(line.startswith("A: ") for line in short) and len(short) < 10
    assert replay("\n".join(short)) == first_difference(short) != ""
    assert "from support.any_order import replay" in report(script)


def test_a_script_that_fails_in_both_worlds_is_a_finding() -> None:
    assert "B raises TypeError" in replay("space = fc.Grid(3, 1)\nspace.set_walls()")
    assert replay("space = fc.Grid(3, 1)\nimap = fc.InfluenceMap(space)\nspace.set_walls(9)") == ""


def test_walls_without_sources_read_0_however_long_the_history_of_walls_is() -> None:
    script = """
        space = fc.Grid(2, 5, walls=np.ones((5, 2), bool))
        imap = fc.InfluenceMap(space)
        a = imap.add_layer('a', fc.Spread(decay=2.5), every=0.3)
        a.sync(['first'], [[0.5, 0.5]], [1.0], on_wall='through')
        a.settle()
        space.set_walls([4, 5, 9], False)
        A: pickle
        space.set_walls([4, 5, 9], True)
        space.set_walls([8, 7], False)
        a.sync(['second'], [[0.5, 1.5]], [-1.0], on_wall='through')
        space.set_walls([6, 3, 5], False)
        compare"""
    assert replay(script) == ""


def test_copies_of_radial_layers_lack_sources_that_came_after_written_values() -> None:
    script = """
        space = fc.Grid(2, 5, cell_size=0.5)
        imap = fc.InfluenceMap(space)
        c = imap.add_layer('c', fc.Radial(radius=0.9, falloff='smoothstep'), every=0.1)
        space.set_walls([5], True)
        c.write(np.ones((5, 2)))
        c.add_source([0.2, 1.7], 2.0)
        A: deepcopy
        compare"""
    assert replay(script) == ""


def test_objects_are_compared_with_new_ones() -> None:
    script = """
        space = fc.Grid(3, 1)
        imap = fc.InfluenceMap(space)
        distances = fc.distance_map(space, (0.5, 0.5))
        new distances: fc.distance_map(space, (2.5, 0.5))
        compare"""
    assert "distances of A and a new one" in replay(script)


NOT_DRAWN = {
    "version": "objects that follow others notice changes by it",
    "restored": "saves and copies call it",
    "state": "saves and copies call it",
    "recover": "needs a device that is lost",
    "register_type": "adds a layer as add_layer does",
    "watch": "opens a page",
    "save": "a treatment of A",
    "load": "a treatment of A",
    "copy": "a treatment of A",
    "layer": "returns a layer",
    "add": "takes an object with a clock",
    "remove": "takes an object with a clock",
    "add_teams": "the follower `sides` calls it",
    "teams": "the follower `sides` reads it",
    "search": "is not for users",
    "settled": "is not for users",
    "exact": "a reading",
    "costs": "a reading",
    "changed_since": "flow fields call it",
    "steps_changed_since": "flow fields call it",
    "is_current": "is not for users",
    "walls": "a reading",
    "restore": "a treatment of A",
    "snapshot": "a treatment of A",
    "read": "Question.read takes a file",
}


@pytest.mark.parametrize(
    "kind",
    [
        *(
            fc.layers.SpreadLayer,
            fc.layers.RadialLayer,
            fc.layers.MemoryLayer,
            fc.layers.TrailLayer,
        ),
        *(fc.layers.ArrayLayer, fc.InfluenceMap, fc.Belief, fc.LastSeen, fc.Pursuit),
        *(fc.SearchParty, fc.DistanceMap, fc.Question, PIBT),
    ],
)
def test_all_methods_are_drawn(kind: type) -> None:
    drawn = {
        name for one in (*OPERATIONS, *PEEKS) if issubclass(kind, one.kind) for name in one.uses
    }
    public = {
        name
        for name in dir(kind)
        if not name.startswith("_")
        and isinstance(inspect.getattr_static(kind, name), (FunctionType, staticmethod, property))
    }
    assert public - set(dir(fc.layers.Operand)) - drawn - NOT_DRAWN.keys() == set()
