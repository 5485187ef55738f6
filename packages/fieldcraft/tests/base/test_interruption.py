"""Ctrl-C at any moment: what a map was asked to do is done wholly, or not at all."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base import interruption
from fieldcraft.layers.propagation.spread import spread_field as spreading_field
from support.interrupting import interrupted
from support.refusals import state

Call = Callable[[fc.InfluenceMap, Any], object]

SOURCES: list[Call] = [
    lambda imap, layer: layer.add_source((3.5, 2.5), 4.0),
    lambda imap, layer: imap.step(),
    lambda imap, layer: layer.sync(["a", "b"], [(7.5, 1.5), (9.5, 6.5)], [2.0, -3.0]),
    lambda imap, layer: imap.advance(0.3),
    lambda imap, layer: layer.sources.move(layer.sources.ids[:2], [(4.5, 2.5), (8.5, 1.5)]),
    lambda imap, layer: imap.advance(0.2, budget_work=2),
    lambda imap, layer: imap.space.set_walls([40, 41, 42]),
    lambda imap, layer: imap.step(4),
    lambda imap, layer: layer.sync(["b"], [(9.5, 5.5)], [1.0]),
    lambda imap, layer: layer.sources.remove(layer.sources.ids[:1]),
    lambda imap, layer: layer.settle(),
    lambda imap, layer: layer.step(2),
]
DEPOSITS: list[Call] = [
    lambda imap, layer: layer.deposit([(3.5, 2.5), (9.5, 6.5)], [4.0, 2.0]),
    lambda imap, layer: imap.advance(0.3),
    lambda imap, layer: layer.write(np.full(layer.space.shape, 0.5)),
    lambda imap, layer: imap.step(3),
]
KINDS: dict[str, tuple[Any, list[Call]]] = {
    "spread": (fc.Spread(0.3, 0.6), SOURCES + DEPOSITS),
    "radial": (fc.Radial(4.0), SOURCES),
    "strongest": (fc.Radial(4.0, "linear", "path", "max"), SOURCES),
    "flood": (fc.Flood(), SOURCES + DEPOSITS),
    "fade": (
        fc.Fade(1.0, 1.0),
        [lambda imap, layer: layer.mark([(3.5, 2.5), (9.5, 6.5)], radius=2.0), *DEPOSITS],
    ),
    "trail": (
        fc.Trail(),
        [lambda imap, layer: layer.stamp(fc.Stamp.disc(2), [(3.5, 2.5)], 2.0), *DEPOSITS],
    ),
    "array": (
        None,
        [lambda imap, layer: layer.stamp(fc.Stamp.disc(2), [(3.5, 2.5)], 2.0), *DEPOSITS[1:]],
    ),
}


def world(propagation: Any) -> tuple[fc.InfluenceMap, Any]:
    walls = np.zeros((8, 13), bool)
    walls[4, 2:7] = True
    imap = fc.InfluenceMap(fc.Grid(13, 8, walls=walls))
    values = np.zeros((8, 13)) if propagation is None else None
    return imap, imap.add_layer("a", propagation, values=values)


def whole(layer: Any) -> object:
    """All that a layer is, what waits included."""
    arrays = {name: array.tobytes() for name, array in layer.steps.field.state().items()}
    return (
        state(layer),
        arrays,
        layer.steps.due,
        layer.steps.backlog,
        layer.space.walls.tobytes(),
        layer.space.walls_version,
    )


@pytest.mark.parametrize("name", KINDS)
def test_an_operation_is_whole_or_not_done(name: str) -> None:
    propagation, calls = KINDS[name]
    rng = np.random.default_rng(len(name))
    caught = 0
    for moment in (1, 2, 5, *rng.integers(6, 260, 9).tolist()):
        imap, layer = world(propagation)
        straight, other = world(propagation)
        for call in calls:
            before = whole(layer)
            happened = interrupted(
                lambda imap=imap, layer=layer, call=call: call(imap, layer), moment
            )
            caught += happened
            call(straight, other)
            if happened and whole(layer) == before != whole(other):
                call(imap, layer)
            assert whole(layer) == whole(other)
        assert imap.time == straight.time
    assert caught > 20


def test_many_steps_end_between_two() -> None:
    imap, layer = world(fc.Radial(4.0))
    other = imap.add_layer("b", fc.Trail())  # which is never at rest
    layer.add_source((3.5, 2.5))
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        imap.step(2**31 - 1)
    timer.join()
    assert layer.updates == other.updates > 64
    layer.sources.remove(layer.sources.ids)
    imap.step()
    assert not layer.values.any()


def test_a_torn_step_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    imap, layer = world(fc.Radial(4.0))
    layer.add_source((3.5, 2.5), 2.0)
    imap.step()
    expected = layer.read()

    def torn(*arguments: object) -> None:
        raise MemoryError

    layer.add_source((8.5, 2.5), 3.0)
    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(layer.steps.field.updates.sums, "publish", torn)
        imap.step()
    layer.sources.remove(layer.sources.ids[1:])
    imap.step()
    np.testing.assert_array_equal(layer.values, expected)


def test_a_handler_of_the_programs_own_is_called_afterwards() -> None:
    heard: list[float] = []
    imap, _ = world(fc.Spread(0.3, 0.6))
    old = signal.signal(signal.SIGINT, lambda number, frame: heard.append(imap.time))
    try:
        assert not interrupted(lambda: imap.advance(0.5), 40)
        assert heard == [0.5]
        signal.raise_signal(signal.SIGINT)
        assert heard == [0.5, 0.5]
    finally:
        signal.signal(signal.SIGINT, old)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_other_threads_are_never_in_the_way() -> None:
    imap, layer = world(fc.Spread(0.3, 0.6))
    thread = threading.Thread(target=imap.step)
    thread.start()
    thread.join()
    assert layer.updates == 1
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("clocks", [("perf_counter",), ("perf_counter", "thread_time")])
def test_parts_follow_the_time_that_they_take(
    clocks: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, made, longest = 0.0, 0, 0.0
    times = SimpleNamespace(perf_counter=time.perf_counter, thread_time=time.thread_time)
    for name in clocks:
        setattr(times, name, lambda: clock)
    monkeypatch.setattr(interruption, "time", times)  # the clocks of other threads go on
    for part in interruption.in_parts(20_000):
        seconds = part * (1e-5 if made < 10_000 else 1e-2)  # as a belief spreads, steps get slower
        clock, made = clock + seconds, made + part
        longest = max(longest, seconds) if made > 14_000 else longest
    assert made == 20_000 and longest <= 0.21


def parts_of_steps(seconds: float, monkeypatch: pytest.MonkeyPatch, share: float) -> list[int]:
    """The parts of 64 steps that take `seconds` of processor time each, and get a share of it."""
    clock = [0.0]
    times = SimpleNamespace(thread_time=lambda: clock[0], perf_counter=lambda: clock[0] / share)
    monkeypatch.setattr(interruption, "time", times)
    parts = []
    for part in interruption.in_parts(64):
        parts.append(part)
        clock[0] += part * seconds
    return parts


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_steps_of_large_maps_are_made_several_at_once(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert min(parts_of_steps(0.03, monkeypatch, share)) == interruption.A_FEW
    assert max(parts_of_steps(0.002, monkeypatch, share)) == 8
    assert max(parts_of_steps(0.0001, monkeypatch, share)) >= 44


@pytest.mark.skipif(os.name == "nt", reason="signals come from a timer here")
@pytest.mark.parametrize(
    "part", ["scipy.sparse.csgraph.connected_components", "scipy.sparse.linalg.splu"]
)
def test_a_long_solve_is_left_at_once(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left, done = threading.Event(), threading.Event()

    def slow(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        left.wait(60)
        done.set()
        raise AssertionError

    layer = fc.InfluenceMap(fc.Grid(22, 20)).add_layer("gas", fc.Diffuse(rate=0.2, edges="lose"))
    layer.add_source((10.5, 10.5), 9.0)
    layer.step(3)
    before = layer.values.copy()
    monkeypatch.setattr(part, slow)
    with pytest.raises(KeyboardInterrupt):
        layer.settle()
    assert not done.is_set()
    left.set()
    assert np.array_equal(layer.values, before)
    layer.step()


@pytest.mark.parametrize(
    ("propagation", "part"),
    [(fc.Spread(0.3, 0.6), "_settle"), (fc.Flood(0.0), "run"), (fc.Radial(4.0), "catch_up")],
    ids=["spread", "flood", "radial"],
)
def test_settle_is_left_after_one_part(
    propagation: Any, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, layer = world(propagation)
    _, other = world(propagation)
    for each in (layer, other):
        each.add_sources([(3.5, 2.5), (9.5, 6.5)], [4.0, 2.0])
    before, left, made = layer.read(), threading.Event(), []
    kind = type(layer.steps.field)
    if part == "catch_up":
        kind = type(layer.steps.field.updates)
    original = getattr(kind, part)

    def interrupted_part(*arguments: Any) -> Any:
        made.append(part)
        signal.raise_signal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread():
            left.wait(10)  # as long as a large map takes
        return original(*arguments)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(spreading_field, "_FEW_CELLS", 0)
        patch.setattr(kind, part, interrupted_part)
        layer.settle()
    left.set()
    assert made == [part]
    np.testing.assert_array_equal(layer.values, before)
    for each in (layer, other):
        each.settle()
    np.testing.assert_array_equal(layer.values, other.values)
    assert layer.values.any()


class Alarm(Exception):
    """What the handler of another signal raises."""


def _alarmed(call: Callable[[], object], file: str, moment: int) -> bool:
    """Whether `Alarm` was raised in a call, in line number `moment` of those that it runs in a
    file.
    """
    left = moment

    def tracer(frame: Any, event: str, argument: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith(file):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise Alarm
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        call()
    except Alarm:
        return True
    finally:
        sys.settrace(before)
    return False


class Interrupting:
    """A position that Ctrl-C meets while it is read."""

    def __init__(self) -> None:
        self.heard_inside = False

    def __array__(self, *arguments: object, **named: object) -> Any:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            self.heard_inside = True
            raise
        return np.array([1.5, 1.5])


def _mark(layer: Any) -> None:
    layer.mark([(1.5, 1.5)])


def _walls(layer: Any) -> None:
    layer.space.set_walls([16])


def _sum_of_two_maps(layer: Any) -> None:
    _ = (layer + fc.InfluenceMap(layer.space).add_layer("b", fc.Fade(1.0))).values


@pytest.mark.parametrize(
    ("call", "file"),
    [
        (_mark, "single_thread.py"),
        (_mark, "interruption.py"),
        (_walls, "interruption.py"),
        (_sum_of_two_maps, "single_thread.py"),
    ],
)
def test_an_exception_of_another_signal_leaves_no_operation_under_way(
    call: Callable[[Any], None], file: str
) -> None:
    raised = 0
    for moment in range(1, 60):
        _, layer = world(fc.Fade(1.0))
        signal.signal(signal.SIGINT, signal.default_int_handler)  # the call replaces it
        if not _alarmed(lambda layer=layer: call(layer), file, moment):
            continue
        raised += 1
        # Ctrl-C waits for the end of the next operation, and no longer.
        position = Interrupting()
        with pytest.raises(KeyboardInterrupt):
            layer.mark(position)
        assert not position.heard_inside
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        # Another thread may go on with the map.
        refused: list[fc.errors.ConcurrentUse] = []

        def mark(layer: Any = layer, refused: list[fc.errors.ConcurrentUse] = refused) -> None:
            try:
                layer.mark([(1.5, 1.5)])
            except fc.errors.ConcurrentUse as error:
                refused.append(error)

        thread = threading.Thread(target=mark)
        thread.start()
        thread.join()
        assert not refused
    assert raised > 2


def test_an_exception_of_another_signal_is_not_taken_for_a_wrong_value() -> None:
    class Positions:
        def __array__(self, *arguments: object, **named: object) -> Any:
            raise Alarm  # as if a handler ran in the middle of the conversion

    _, layer = world(fc.Fade(1.0))
    with pytest.raises(Alarm):
        layer.mark(Positions())
    layer.mark([(1.5, 1.5)])
