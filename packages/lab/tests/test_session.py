"""Sessions: any moment comes back bit for bit, whatever was ordered; files go on where the run
stood.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.base.files import write_sealed
from fieldcraft.space import encoding as serialization
from fieldcraft_lab import orders
from fieldcraft_lab.keyframes import Keyframe, Keyframes
from fieldcraft_lab.live import LiveMap
from fieldcraft_lab.replay import session_of
from fieldcraft_lab.session import Session
from support.refusals import refused
from support.sessions import recipe_world, small_map

places = st.tuples(st.floats(0, 16.9), st.floats(0, 10.9))
names = st.sampled_from(["threat", "cover", "scent"])
some_orders = st.one_of(
    st.builds(orders.Tune, st.just("threat"), st.just("decay"), st.floats(0, 1)),
    st.builds(orders.Tune, st.just("cover"), st.just("radius"), st.floats(0.5, 6)),
    st.builds(orders.Tune, names, st.just("every"), st.sampled_from([0.05, 0.1, 0.3])),
    st.builds(orders.Place, names, places, st.floats(-9, 9)),
    st.builds(orders.Move, names, st.integers(0, 3), places),
    st.builds(orders.Strengthen, names, st.integers(0, 3), st.floats(-9, 9)),
    st.builds(orders.Remove, names, st.integers(0, 3)),
    st.builds(orders.Deposit, names, places, st.floats(-3, 3)),
    st.builds(
        orders.Paint,
        st.lists(places, min_size=1, max_size=3).map(tuple),
        st.floats(0, 2),
        st.booleans(),
    ),
)
acts = st.lists(
    st.one_of(
        st.integers(1, 14), some_orders, st.builds(lambda share: ("seek", share), st.floats(0, 1))
    ),
    max_size=14,
)


def act(session: Session, what: Any, digests: dict[int, str]) -> None:
    """Do one thing, and see that what is seen again is what it was."""
    if isinstance(what, int):
        for _ in range(what):
            session.step()
            digests[session.moment] = session.digest()
    elif isinstance(what, tuple):
        session.seek(round(what[1] * session.furthest))
        assert session.digest() == digests[session.moment]
    else:
        before = session.digest()
        try:
            session.apply(what)
        except FieldcraftError:
            assert session.digest() == before
            return
        for later in [moment for moment in digests if moment > session.moment]:
            del digests[later]
        digests[session.moment] = session.digest()


@settings(max_examples=16)
@given(acts)
def test_every_moment_comes_back_bit_for_bit(done: list[Any]) -> None:
    session = Session(small_map(), memory=0)
    digests = {0: session.digest()}
    for what in done:
        act(session, what, digests)
    for moment in sorted(digests, reverse=True)[:: max(len(digests) // 5, 1)]:
        session.seek(moment)
        assert session.digest() == digests[moment]


@settings(max_examples=10)
@given(st.lists(st.one_of(st.integers(1, 9), some_orders), max_size=10))
def test_a_session_loaded_from_its_file_is_at_the_same_bits(
    tmp_path_factory: Any, done: list[Any]
) -> None:
    session = Session(small_map())
    digests: dict[int, str] = {}
    for what in done:
        act(session, what, digests)
    path = tmp_path_factory.mktemp("lab") / "run.lab"
    session.save(path)
    again = Session.load(path)
    assert (again.digest(), again.moment, again.log) == (
        session.digest(),
        session.moment,
        session.log,
    )


def test_a_recipe_goes_on_as_it_does_without_the_lab(tmp_path: Path) -> None:
    session = Session(recipe_world(tmp_path))
    plain = recipe_world(tmp_path).world
    session.step(25)
    session.seek(3)
    session.seek(31)
    plain.go_to(31 * session.live.step_seconds)
    assert (plain.imap["threat"].values == session.live.maps["threat"].values).all()
    assert (plain.imap["known"].values == session.live.maps["known"].values).all()
    assert session.live.maps["threat"].values.max() > 1


def test_a_source_of_a_recipe_that_is_moved_stays_there(tmp_path: Path) -> None:
    session = Session(recipe_world(tmp_path))
    session.step(10)
    sources = session.live.imap["threat"].sources
    camp = int(sources.ids[0])
    session.apply(orders.Move("threat", camp, (20.5, 8.5)))
    session.step(40)  # beyond its end, and the recipe's
    assert camp in session.live.imap["threat"].sources.ids
    digest = session.digest()
    session.save(tmp_path / "run.lab")
    assert Session.load(tmp_path / "run.lab").digest() == digest
    session.seek(10)
    session.seek(50)
    assert session.digest() == digest


def test_a_fork_shares_the_past_and_goes_its_own_way() -> None:
    session = Session(small_map())
    session.step(15)
    fork = session.fork()
    fork.apply(orders.Tune("threat", "decay", 0.9))
    for each in (session, fork):
        each.step(10)
    assert fork.digest() != session.digest() and session.log == ()
    for each in (session, fork):
        each.seek(14)
    assert fork.digest() == session.digest()


def test_orders_in_the_past_begin_another_future() -> None:
    session = Session(small_map())
    session.step(20)
    session.apply(orders.Tune("threat", "decay", 0.9))
    session.step(5)
    session.seek(10)
    assert session.furthest == 25
    session.apply(orders.Deposit("scent", (2.5, 2.5), 1.0))
    assert (session.furthest, len(session.log)) == (10, 1)


def test_refused_orders_change_nothing_and_are_not_logged() -> None:
    session = Session(small_map())
    digest = session.digest()
    unit = session.live.imap["threat"].source(key="unit").id
    for order in (
        orders.Tune("threat", "decay", -1.0),
        orders.Tune("threat", "no such", 1.0),
        orders.Tune("nowhere", "decay", 1.0),
        orders.Place("scent", (2.5, 2.5), 1.0),
        orders.Deposit("cover", (2.5, 2.5), 1.0),
        orders.Move("threat", 99, (2.5, 2.5)),
        orders.Move("threat", unit, (2.5, 2.5)),
        orders.Place("threat", (2.5, 2.5, 1.0), 1.0),
        orders.Paint(((8.5, 5.5),), 99.0),
    ):
        with pytest.raises(FieldcraftError):
            session.apply(order)
    with refused(fc.errors.InvalidValue, "Orders to this world"):
        session.apply("tune")
    assert (session.digest(), session.log) == (digest, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("moment", 2**32),
        ("log", np.frombuffer(serialization.to_bytes(True), np.uint8)),
        ("log", np.frombuffer(serialization.to_bytes(3), np.uint8)),
        ("kind", "os"),
        ("origin", {"game": "this:GAME", "version": 1, "match": np.zeros(1, np.uint8)}),
    ],
)
def test_a_forged_file_is_refused_at_once(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "a.lab"
    session = Session(small_map())
    session.step(3)
    magic, version, packed = session.packed()
    found = {**serialization.from_bytes(packed), name: value}
    if name == "origin":
        found["kind"] = "game"
    write_sealed(path, (magic, version, serialization.to_bytes(found)))
    sys.modules.pop("this", None)
    with pytest.raises(FieldcraftError):
        Session.load(path)
    assert "this" not in sys.modules


def _rewritten(path: Path, session: Session, **changes: Any) -> None:
    """Write a session with other contents and a true checksum."""
    magic, version, packed = session.packed()
    contents = {**serialization.from_bytes(packed), **changes}
    write_sealed(path, (magic, version, serialization.to_bytes(contents)))


def _log(*entries: tuple[int, orders.Order]) -> Any:
    return np.frombuffer(serialization.to_bytes(entries, orders.ORDERS), np.uint8)


def test_the_updates_of_all_steps_are_bounded_before_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    session = Session(small_map())
    session.step(3)
    long_step = {**session.live.origin(), "step": 1e9}
    often = orders.Tune("threat", "every", 1e-9)
    open_order = orders.Paint(((1.5, 1.5),), 0.0, False)
    many_orders = [(0, open_order)] * 40_000
    for changes in (
        {"moment": 1_000_000},
        {"origin": long_step},
        {"origin": long_step, "moment": 0},
        {"log": _log((1, often))},
        {"log": _log(*many_orders)},
    ):
        _rewritten(path, session, **changes)
        for go in (True, False):
            with refused(BadSaveFile, "2,000,000,000 cells", "most_updates"):
                Session.load(path, check=False, go=go)
        with refused(BadSaveFile, "2,000,000,000 cells", "--trust"):
            session_of(path, check=False)
    _rewritten(path, session, moment=40_000)
    assert session_of(path, check=False, trust=True).furthest == 40_000
    session.save(path)
    assert Session.load(path, most_updates=500_000).moment == 3
    with refused(BadSaveFile, "at most 300,000 cells"):
        Session.load(path, most_updates=300_000)


@pytest.mark.parametrize("name", ["path", "data"])
def test_a_recipe_of_a_path_that_files_cannot_have_is_refused(tmp_path: Path, name: str) -> None:
    session = Session(recipe_world(tmp_path))
    path = tmp_path / "a.lab"
    origin = {**session.live.origin(), name: "a\0b"}
    _rewritten(path, session, origin=origin)
    with refused(FieldcraftError, f"{name} is a name that files can have"):
        Session.load(path, check=False)


@given(st.integers(0, 400))
def test_keyframes_thin_out_and_keep_the_first_and_the_newest(count: int) -> None:
    frames = Keyframes(40)
    for moment in range(count + 1):
        frames.add(Keyframe(moment, 0, b"xx"))
    moments = frames.moments
    assert moments[0] == 0
    assert moments[-1] == count
    assert len(moments) <= 21
    assert moments == sorted(moments)
    if count > 100:
        assert max(b - a for a, b in zip(moments[-4:], moments[-3:], strict=False)) <= 4
    assert frames.before(count // 2).moment <= count // 2


def test_every_edit_is_undone_and_done_again_bit_for_bit(tmp_path: Path) -> None:
    session, untouched = Session(small_map()), Session(small_map())
    session.step(5)
    session.apply(orders.Place("threat", (9.5, 2.5), 4.0))
    session.step(30)
    session.apply(orders.Paint(((1.5, 1.5),)))
    session.apply(orders.Paint(((2.5, 1.5),)), joined=True)
    session.step(4)
    edited = session.digest()
    assert [(moment, len(edit)) for moment, edit in session.edits] == [(5, 1), (35, 2)]
    session.undo()
    assert not session.live.space.walls[1, 1:3].any()
    session.undo()
    untouched.step(39)
    assert session.digest() == untouched.digest() and session.edits == []
    with pytest.raises(FieldcraftError, match="Change something first"):
        session.undo()
    session.seek(2)
    session.redo()
    session.step(3)
    session.redo()
    assert session.moment == 35
    session.step(4)
    assert session.digest() == edited
    session.save(tmp_path / "run.lab")
    loaded = Session.load(tmp_path / "run.lab")
    for _ in range(3):  # a file does not say which orders were one stroke
        loaded.undo()
    assert loaded.digest() == untouched.digest()
    loaded.apply(orders.Tune("threat", "decay", 0.4))
    with pytest.raises(FieldcraftError, match="Undo first"):
        loaded.redo()


def test_a_patrol_goes_round_a_wall_that_is_painted_in_its_way(tmp_path: Path) -> None:
    session = Session(recipe_world(tmp_path))
    session.step(4)
    across = tuple((14.0, float(y)) for y in range(17))
    session.apply(orders.Paint(across, 1.0))
    session.step(40)
    patrol = session.live.imap["threat"].sources
    assert not session.live.space.walls.flat[session.live.space.cell_at(patrol.positions)].any()
    digest = session.digest()
    session.seek(10)
    session.seek(44)
    assert session.digest() == digest


def test_an_edit_in_the_past_keeps_the_old_future_until_it_is_undone() -> None:
    """Undo brings back the bits, the orders and the moments of the future that an edit replaced;
    redo those of the edit. A branch of a branch works the same.
    """
    session = Session(small_map())
    session.step(10)
    session.apply(orders.Place("threat", (9.5, 2.5), 4.0))
    session.step(20)
    session.apply(orders.Tune("threat", "decay", 0.4))
    session.step(10)
    log = session.log
    old = session.digest()
    session.seek(5)
    session.apply(orders.Place("cover", (2.5, 8.5), 3.0))
    session.apply(orders.Strengthen("cover", 0, 1.0), joined=True)
    assert (session.furthest, len(session.log), session.branches) == (5, 2, [40])
    session.step(20)
    second = session.digest()
    second_log = session.log
    session.seek(8)
    session.apply(orders.Paint(((4.5, 4.5),)))
    assert session.branches == [40, 25]
    session.step(2)
    third = session.digest()

    session.undo()
    assert (session.moment, session.furthest, session.log) == (10, 25, second_log)
    session.seek(25)
    assert session.digest() == second
    session.undo()
    assert (session.furthest, session.log, session.branches) == (40, log, [None])
    session.seek(40)
    assert session.digest() == old
    assert session.branches == [None, None]
    session.redo()
    session.seek(25)
    assert session.digest() == second
    session.seek(10)
    session.redo()
    session.seek(10)
    assert session.digest() == third


def test_a_fork_keeps_the_branches_of_its_past() -> None:
    session = Session(small_map())
    session.step(20)
    end = session.digest()
    session.seek(5)
    session.apply(orders.Place("cover", (2.5, 8.5), 3.0))
    session.step(3)
    twin = session.fork()
    session.seek(2)
    session.apply(orders.Paint(((4.5, 4.5),)))
    assert (session.branches, twin.branches) == ([8], [20])
    twin.undo()
    assert twin.furthest == 20
    twin.seek(20)
    assert twin.digest() == end


def test_teams_of_a_map_or_named_layers_are_shown_as_teams() -> None:
    imap = fc.InfluenceMap(fc.Grid(12, 5))
    imap.add_teams(["north", "south", "east"], fc.Radial(5), hostile={"north": ["south"]})
    imap.add_teams(["one", "other"], fc.Radial(5))
    imap.add_layer("fog", fc.Spread(0.5))
    imap.add_layer("mist", fc.Spread(0.5))
    imap["north"].add_source((1.5, 1.5))
    imap["east"].add_source((9.5, 1.5))
    imap.step()
    first = LiveMap(imap)
    assert [name for name, _ in first.teams()] == ["north", "south", "east"]
    assert first.front_lines() == []  # north and east are no enemies
    named = LiveMap(imap, teams=["north", "east"])
    assert len(named.front_lines()) == 1
    assert list(named.maps)[:8] == [*imap, "owner"]
    assert [name for name, _ in LiveMap(imap, teams=["one", "other"]).teams()] == ["one", "other"]
    assert [name for name, _ in LiveMap(imap, teams=["fog", "mist"]).teams()] == ["fog", "mist"]
    assert LiveMap(fc.InfluenceMap(imap.space)).teams() == []


def test_more_teams_than_colors_are_shown_as_layers() -> None:
    imap = fc.InfluenceMap(fc.Grid(12, 5))
    names = [f"clan {number}" for number in range(13)]
    imap.add_teams(names, fc.Radial(5))
    world = LiveMap(imap)
    assert world.teams() == [] and world.front_lines() is None and world.kinds() == {}
    assert list(world.maps) == names
    with pytest.raises(InvalidValue, match="12 teams"):
        LiveMap(imap, teams=names)
