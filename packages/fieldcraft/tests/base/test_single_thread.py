"""One thread at a time: a second one is told so, and nothing breaks."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import ConcurrentUse
from fieldcraft.layers import SingleThreadLock
from support.forks import forked
from support.refusals import refused, unchanged


class Elsewhere:
    """Another thread that is inside a lock until the block ends."""

    def __init__(self, lock: SingleThreadLock) -> None:
        self._inside, self._leave = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._hold, args=(lock,))

    def _hold(self, lock: SingleThreadLock) -> None:
        with lock:
            self._inside.set()
            self._leave.wait(30)

    def __enter__(self) -> None:
        self._thread.start()
        assert self._inside.wait(30)

    def __exit__(self, *exception: object) -> None:
        self._leave.set()
        self._thread.join(30)


def test_the_same_thread_may_nest() -> None:
    lock = SingleThreadLock()
    with lock, lock:
        with lock:
            pass
        with Elsewhere(SingleThreadLock()):
            pass
    with Elsewhere(lock):
        pass


def test_a_second_thread_is_refused_and_the_guard_serves_on() -> None:
    lock = SingleThreadLock()
    for _ in range(3):
        with Elsewhere(lock), refused(ConcurrentUse, "one thread", "imap.copy()"), lock:
            pytest.fail("got in")
        with lock:
            pass


def test_an_error_inside_leaves_it_open() -> None:
    lock = SingleThreadLock()
    with pytest.raises(KeyError), lock, lock:
        raise KeyError
    with Elsewhere(lock):
        pass


def _map() -> tuple[fc.InfluenceMap, fc.Layer, fc.Source]:
    imap = fc.InfluenceMap(fc.Grid(9, 6))
    layer = imap.add_layer("a", fc.Spread(0.2, 0.5))
    source = layer.add_source((0.5, 0.5), 3)
    imap.step(3)
    return imap, layer, source


CALLS: dict[str, Callable[[fc.InfluenceMap, fc.Layer, fc.Source], object]] = {
    "imap.step": lambda imap, layer, source: imap.step(),
    "imap.advance": lambda imap, layer, source: imap.advance(0.1),
    "imap.copy": lambda imap, layer, source: imap.copy(),
    "imap.save": lambda imap, layer, source: imap.save("never written"),
    "imap.add_layer": lambda imap, layer, source: imap.add_layer("b", fc.Spread(0.2, 0.5)),
    "imap.remove_layer": lambda imap, layer, source: imap.remove_layer("a"),
    "layer.step": lambda imap, layer, source: layer.step(),
    "layer.settle": lambda imap, layer, source: layer.settle(),
    "layer.add_source": lambda imap, layer, source: layer.add_source((0.5, 0.5)),
    "layer.add_sources": lambda imap, layer, source: layer.add_sources([(0.5, 0.5)]),
    "layer.sync": lambda imap, layer, source: layer.sync(["a"], [(0.5, 0.5)]),
    "layer.deposit": lambda imap, layer, source: layer.deposit((0.5, 0.5)),
    "layer.write": lambda imap, layer, source: layer.write(np.zeros((6, 9))),
    "layer.read": lambda imap, layer, source: layer.read(),
    "layer.sample": lambda imap, layer, source: layer.sample((0.5, 0.5)),
    "layer.propagation": lambda imap, layer, source: setattr(
        layer, "propagation", fc.Spread(0.1, 0.1)
    ),
    "layer.every": lambda imap, layer, source: setattr(layer, "every", 0.2),
    "print(layer)": lambda imap, layer, source: str(layer),
    "sources.add": lambda imap, layer, source: layer.sources.add([(0.5, 0.5)], 1),
    "sources.move": lambda imap, layer, source: layer.sources.move([source.id], [(1.5, 0.5)]),
    "sources.set_strengths": lambda imap, layer, source: layer.sources.set_strengths(
        [source.id], 2
    ),
    "sources.remove": lambda imap, layer, source: layer.sources.remove([source.id]),
    "sources.sync": lambda imap, layer, source: layer.sources.sync(["a"], [(0.5, 0.5)], 1),
    "sources.ids": lambda imap, layer, source: layer.sources.ids,
    "sources.cells": lambda imap, layer, source: layer.sources.cells,
    "sources.positions": lambda imap, layer, source: layer.sources.positions,
    "sources.strengths": lambda imap, layer, source: layer.sources.strengths,
    "source.move": lambda imap, layer, source: source.move((1.5, 0.5)),
    "source.strength": lambda imap, layer, source: setattr(source, "strength", 2),
    "source.remove": lambda imap, layer, source: source.remove(),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("copied", [False, True])
def test_every_call_is_guarded(name: str, copied: bool) -> None:
    imap, layer, source = _map()
    if copied:
        imap = imap.copy()
        layer = imap["a"]
        source = layer.source(source.id)
    with Elsewhere(imap._lock), unchanged_but_for_reading(layer), refused(ConcurrentUse):
        CALLS[name](imap, layer, source)
    assert list(imap) == ["a"]
    CALLS[name](imap, layer, source) if name != "imap.save" else None


def unchanged_but_for_reading(layer: fc.Layer) -> object:
    return unchanged(layer)


LAZY = {
    "fade": lambda: fc.InfluenceMap(fc.Grid(9, 6)).add_layer("a", fc.Fade(1.0, 1.0)),
    "vectors": lambda: fc.InfluenceMap(fc.Grid(9, 6)).add_layer("a", fc.Trail(vector=True)),
    "graph": lambda: fc.InfluenceMap(fc.Grid(9, 6).to_graph()).add_layer("a", fc.Spread(0.2, 0.5)),
}


@pytest.mark.parametrize("name", LAZY)
def test_reading_what_is_worked_out_when_it_is_read_is_guarded(name: str) -> None:
    layer = LAZY[name]()
    with Elsewhere(layer.steps.lock):
        with refused(ConcurrentUse, "one thread"):
            layer.values
        with refused(ConcurrentUse, "one thread"):
            layer.read()
    assert not layer.values.any()


def test_a_picture_goes_to_another_thread_as_a_copy() -> None:
    imap = fc.InfluenceMap(fc.Grid(90, 60))
    layer = imap.add_layer("seen", fc.Fade(1.0, 1.0))
    pictures: queue.Queue[np.ndarray | None] = queue.Queue()
    drawn: list[float] = []

    def render() -> None:
        while (picture := pictures.get()) is not None:
            drawn.append(float(picture.max()))

    thread = threading.Thread(target=render)
    thread.start()
    for _ in range(20):
        layer.mark((4.5, 2.5))
        imap.advance(0.5)
        pictures.put(layer.read())
    pictures.put(None)
    thread.join(30)
    assert drawn == [99.5] * 20


def test_a_copy_has_a_guard_of_its_own() -> None:
    imap, _, _ = _map()
    twin = imap.copy()
    with Elsewhere(imap._lock):
        twin.step()


def test_two_threads_at_once_never_break_it() -> None:
    """Every call either works or raises ConcurrentUse; afterwards the map goes on."""
    imap, layer, _ = _map()
    start = threading.Barrier(4, timeout=60)
    refusals, wrong = [0] * 4, []

    def work(k: int) -> None:
        rng = np.random.default_rng(k)
        start.wait()
        for i in range(150):
            try:
                if i % 3 == 0:
                    imap.step(2)
                elif i % 3 == 1:
                    layer.sync(range(k, k + 5), rng.random((5, 2)) * (9, 6), rng.random(5))
                else:
                    layer.sources.set_strengths(layer.sources.ids, 2.0)
            except ConcurrentUse:
                refusals[k] += 1
            except fc.FieldcraftError:
                pass  # ids may be gone by the time they are used
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert wrong == []
    imap.step()
    assert np.isfinite(layer.values).all()


def test_one_after_the_other_from_many_threads_is_fine() -> None:
    imap, layer, _ = _map()
    turns = threading.Lock()
    errors: list[Exception] = []

    def work() -> None:
        try:
            for _ in range(50):
                with turns:
                    imap.step()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    alone, layer_alone, _ = _map()
    alone.step(150)
    np.testing.assert_array_equal(layer.values, layer_alone.values)


def test_maps_of_different_threads_do_not_disturb_each_other() -> None:
    results: list[bytes] = []

    def work() -> None:
        imap, layer, _ = _map()
        imap.step(50)
        results.append(layer.values.tobytes())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 4
    assert len(set(results)) == 1


FORKS = """
import os, threading, time
import fieldcraft as fc
imap = fc.InfluenceMap(fc.Grid(300, 300))
imap.add_layer("threat", fc.Spread(decay=0.05, momentum=0.5)).add_source((5.5, 5.5), 9.0)
done = False
def steps():
    while not done:
        imap.step(3)
thread = threading.Thread(target=steps)
thread.start()
failed = 0
for _ in range(12):
    child = os.fork()
    if child == 0:
        try:
            imap.step()
        except BaseException:
            os._exit(1)
        os._exit(0)
    failed += os.waitpid(child, 0)[1] != 0
    time.sleep(0.01)
done = True
thread.join()
print(failed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_forked_while_another_thread_is_inside_can_go_on() -> None:
    done = forked(FORKS)
    assert done.stdout.strip() == "0", done.stderr
