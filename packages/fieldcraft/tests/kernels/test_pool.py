"""The thread pool: side by side, in whatever number, never lost, never in each other's way."""

from __future__ import annotations

import os
import queue
import threading
import time

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from support.forks import forked
from support.refusals import refused


@pytest.fixture(autouse=True)
def _same_count() -> object:
    before = pool.threads()
    yield
    pool.set_threads(before)


def test_calls_run_side_by_side() -> None:
    together = threading.Barrier(3, timeout=60)
    names: list[str] = []

    def meet() -> None:
        together.wait()
        names.append(threading.current_thread().name)

    pool.run([(meet, ())] * 3)
    assert sorted(names) == sorted([threading.current_thread().name, "fieldcraft", "fieldcraft"])


def test_every_call_is_made_with_its_arguments() -> None:
    out = np.zeros(5, int)
    for _ in range(50):
        pool.run([(out.__setitem__, (i, i + 1)) for i in range(5)])
    assert out.tolist() == [1, 2, 3, 4, 5]
    pool.run([])
    pool.run([(out.__setitem__, (0, 9))])
    assert out[0] == 9


def test_the_first_call_is_made_on_the_calling_thread() -> None:
    where: list[int] = []
    pool.run([(lambda: where.append(threading.get_ident()), ()), (lambda: None, ())])
    assert where == [threading.get_ident()]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_an_error_arrives_after_all_calls_are_done(failing: int) -> None:
    done: list[int] = []

    def work(i: int) -> None:
        time.sleep(0.02 * (i != failing))
        if i == failing:
            raise RuntimeError(f"call {i}")
        done.append(i)

    with pytest.raises(RuntimeError, match=f"call {failing}"):
        pool.run([(work, (i,)) for i in range(3)])
    assert sorted(done) == sorted({0, 1, 2} - {failing})
    # and the pool serves on
    test_every_call_is_made_with_its_arguments()


def test_shared_work_goes_side_by_side_but_waits_for_no_late_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    together = threading.Barrier(2, timeout=60)
    pool.run([(together.wait, ())] * 2, are_shared=True)
    late = pool._Worker()
    heard = late._calls
    monkeypatch.setattr(late, "_calls", queue.SimpleQueue())
    monkeypatch.setattr(pool, "_workers", [late])
    made: list[int] = []
    pool.run([(made.append, (0,)), (made.append, (1,))], are_shared=True)
    assert made == [0]
    # a call that was withdrawn leaves nothing behind
    monkeypatch.setattr(late, "_calls", heard)
    late.begin((made.append, (2,)))
    assert late.finish() is None
    pool.run([(made.append, (3,)), (made.append, (4,))])
    assert made[:2] == [0, 2] and sorted(made[2:]) == [3, 4]


def test_an_error_in_shared_work_arrives() -> None:
    together = threading.Barrier(2, timeout=60)

    def fail() -> None:
        together.wait()
        if threading.current_thread().name == "fieldcraft":
            raise RuntimeError("a part")

    with pytest.raises(RuntimeError, match="a part"):
        pool.run([(fail, ())] * 2, are_shared=True)


def test_a_second_thread_does_not_wait_and_is_not_disturbed() -> None:
    inside, leave = threading.Event(), threading.Event()
    first = threading.Thread(target=pool.run, args=([(inside.set, ()), (leave.wait, (60,))],))
    first.start()
    assert inside.wait(60)
    order: list[int] = []
    pool.run([(order.append, (i,)) for i in range(4)])
    assert order == [0, 1, 2, 3]  # one after the other, while the workers are busy
    leave.set()
    first.join(60)
    assert not first.is_alive()


def test_many_threads_at_once() -> None:
    sums = np.zeros(8, int)

    def add(k: int) -> None:
        sums[k] += 1

    def many(k: int) -> None:
        for _ in range(100):
            pool.run([(add, (k,)), (lambda: None, ()), (lambda: None, ())])

    threads = [threading.Thread(target=many, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sums.tolist() == [100] * 8


def test_an_interrupted_run_does_not_spoil_the_next() -> None:
    """Ctrl-C while workers are still busy: the next run must not take their late end for its
    own.
    """
    release = threading.Event()

    def interrupt() -> None:
        raise KeyboardInterrupt

    late: list[str] = []

    def slow() -> None:
        release.wait(60)
        late.append("late")

    class Impatient(pool._Worker):
        def finish(self) -> None:
            raise KeyboardInterrupt

    pool._workers[:0] = [Impatient()]
    with pytest.raises(KeyboardInterrupt):
        pool.run([(interrupt, ()), (slow, ())])
    done: list[int] = []
    pool.run([(done.append, (0,)), (lambda: (time.sleep(0.05), done.append(1)), ())])
    assert sorted(done) == [0, 1]
    release.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own() -> None:
    pool.run([(lambda: None, ())] * 3)
    child = os.fork()
    if child == 0:
        done: list[int] = []
        try:
            pool.run([(done.append, (i,)) for i in range(3)])
        finally:
            os._exit(0 if sorted(done) == [0, 1, 2] else 1)
    for _ in range(3000):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        time.sleep(0.02)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


def test_workers_do_not_keep_the_process_alive() -> None:
    code = (
        "from fieldcraft.kernels.compiling import pool; done = []; pool.run([(done.append, (1,))] * 3);"
        " print(done)"
    )
    result = forked(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[1, 1, 1]"


def test_set_threads() -> None:
    for count in (1, 2, 7):
        fc.set_threads(count)
        assert pool.threads() == count


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", None, True])
def test_set_threads_refuses(count: object) -> None:
    before = pool.threads()
    with refused(InvalidValue, "count"):
        fc.set_threads(count)
    assert pool.threads() == before


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from fieldcraft.layers.propagation.spread import spread_on_grid as spread

    monkeypatch.setattr(spread, "_CELLS_PER_THREAD", 1)
    results = set()
    for count in (1, 2, 3, 4):
        fc.set_threads(count)
        imap = fc.InfluenceMap(fc.Grid(91, 167, neighbors=8))
        layer = imap.add_layer("a", fc.Spread(0.05, 0.4))
        layer.add_sources([(3, 5), (80, 160), (40, 90)], [5, -4, 3])
        for steps in (1, 3, 1, 20):
            imap.step(steps)
        results.add(layer.values.tobytes())
    assert len(results) == 1
