"""Files of strangers with true checksums are loaded or refused within 5 seconds and 500 MB.

Each mutant is loaded in a process of its own, whose memory is measured. Mutants have nested, many,
repeated and large parts, and keys that nobody knows. `FIELDCRAFT_FUZZ` sets how many of each are
tried.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import FieldcraftError
from fieldcraft_lab.session import Session
from fuzz import test_loaders as loaders
from fuzz.test_loaders import MUTANTS, TARGETS, Target

COUNT = MUTANTS if MUTANTS >= 100 else 4
SECONDS = 5.0  # of processor time, so that other programs on the machine don't count
BYTES = 500e6
_WAIT = 600.0  # A load that hangs without using the processor ends after so many seconds.

QUESTIONS = """
[cover]
generate = { reach = 6 }
require = [{ distance = [2, 2], most = 5 }]
score = [{ value = "threat", curve = ["linear", 1, 0] }]
choose = { count = 2, spacing = 1.5 }
fall_back = "near"
[near]
generate = { points = [[1.5, 1.5]] }
"""


def nested(levels: int) -> object:
    """A value within many tuples and dicts."""
    value: object = None
    for level in range(levels):
        value = (value,) if level % 2 else {"a": value}
    return value


LARGE = [
    nested(30),
    (None,) * 300_000,
    ({},) * 50_000,
    ((),) * 50_000,
    (np.zeros(0),) * 10_000,
    tuple(range(100_000)),
    {f"key {number}": number for number in range(30_000)},
    "é" * 1_000_000,
    (1 << 8190),
    np.zeros((2000, 2000), np.float32),
    np.zeros((0, 1 << 40), np.float32),
    np.zeros(1_000_000, np.int64),
    np.arange(1_000_000),
    (np.random.default_rng(1),) * 1000,
    (fc.Grid(2, 2),) * 500,
]


def write_toml(path: Path, data: bytes, rng: np.random.Generator) -> None:
    """Write a TOML file with long keys, deep arrays, and repeated lines."""
    lines = data.decode().splitlines(keepends=True)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(lines)))
        count = int(rng.choice([2, 30, 45, 1000, 20_000]))
        kind = int(rng.integers(8))
        line = lines[at]
        if len(line) > 1000:
            count = 2
        if kind == 0:
            lines[at] = "x." * count + line
        elif kind == 1:
            lines[at] = line.replace("=", "=" + "[" * count, 1)
        elif kind == 2:
            lines[at] = line * min(count, 20_000)
        elif kind == 3:
            lines[at] = line.replace("[", "[" * min(count, 1000)).replace("]", "]" * 3)
        elif kind == 4:
            lines[at] = line.replace("=", "= 1" + "0" * count + " #", 1)
        elif kind == 5:
            lines[at:at] = [f"[t{number}]\n" for number in range(min(count, 10_000))]
        elif kind == 6:
            lines[at] = line.replace("=", "= {a" + ".a" * count + " = 1} #", 1)
        else:
            lines[at] = loaders.damaged(line.encode(), rng).decode("utf-8", "replace")
    path.write_text("".join(lines))


def load_questions(path: Path) -> None:
    fc.Question.read(path)


def load_session(path: Path) -> None:
    Session.load(path, check=False).step()


LARGE_TARGETS = {
    **{name: TARGETS[name] for name in ("map", "hex map", "graph map", "cluster", *loaders.GAMES)},
    **{
        name: Target(TARGETS[name].make, TARGETS[name].write, load_session)
        for name in ("session", "recipe session")
    },
    "recipe.toml": Target(TARGETS["recipe.toml"].make, write_toml, TARGETS["recipe.toml"].load),
    "question.toml": Target(
        loaders.bytes_of(lambda path: path.write_text(QUESTIONS)), write_toml, load_questions
    ),
}


def resident() -> float:
    """Return the bytes of memory that this process has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def outcome_of(load: object, path: Path) -> str:
    """Load a file in a child process; return what is wrong with that, "" for nothing."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        # Either ends the process: much processor time, or a wait.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, 20 * SECONDS)
        signal.setitimer(signal.ITIMER_REAL, _WAIT)
        before = resident()
        begun = time.process_time()
        problem = ""
        try:
            load(path)  # type: ignore[operator]
        except FieldcraftError:
            pass
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            problem = f"{type(error).__name__}: {error!s:.100} at {place.filename}:{place.lineno}"
        seconds = time.process_time() - begun
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
        if seconds > SECONDS:
            problem += f" {seconds:.1f} s"
        if peak > BYTES:
            problem += f" {peak / 1e6:.0f} MB"
        os.write(write, problem.encode()[:4000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        problem = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if status:
        problem += f" the process ended with status {status}"
    return problem


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured on Linux")
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", LARGE_TARGETS)
def test_a_mutant_takes_little_time_and_memory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = LARGE_TARGETS[name]
    path = tmp_path / name.replace(" ", "-")
    threads = fc.set_threads(1)  # a child process has no threads of its parent
    try:
        made = target.make(path)
        monkeypatch.setattr(loaders, "ODD", [*loaders.ODD, *LARGE])
        found = []
        for seed in range(COUNT):
            target.write(path, made, np.random.default_rng([seed, 1]))
            problem = outcome_of(target.load, path)
            if problem:
                found.append(f"mutant {seed}: {problem}")
                print(name, found[-1], flush=True)
    finally:
        fc.set_threads(threads)
    assert not found, "\n".join(found)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured on Linux")
def test_the_measure_sees_errors_time_memory_and_the_end_of_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SECONDS", 0.1)

    def refuse(path: Path) -> None:
        raise FieldcraftError("A rule")

    def fail(path: Path) -> None:
        raise KeyError("foreign")

    def spin(path: Path) -> None:
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass

    def fill(path: Path) -> None:
        np.ones(70_000_000)

    def spin_on(path: Path) -> None:
        while True:
            pass

    def stop(path: Path) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    assert outcome_of(refuse, tmp_path) == ""
    assert outcome_of(fail, tmp_path).startswith("KeyError: 'foreign'")
    assert outcome_of(spin, tmp_path).endswith(" s")
    assert outcome_of(spin_on, tmp_path).endswith(f"ended with status {int(signal.SIGPROF)}")
    assert outcome_of(fill, tmp_path).endswith(" MB")
    assert "ended with status" in outcome_of(stop, tmp_path)
