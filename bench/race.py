"""Timing several contenders against each other, round by round, so that a busy moment of the
machine hits all of them.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import fieldcraft as fc
from bench import machine

REST = 0.002
"""Seconds between two batches: threads that one contender left spinning are asleep when the next
begins.
"""
_clock = time.perf_counter


def now() -> float:
    """Return the seconds that suites measure: on the wall, or of the processor after
    `count_processor_time`.
    """
    return _clock()


def count_processor_time() -> None:
    """Let all suites measure processor time, on one thread. Other programs on the same cores then
    change figures little.
    """
    global _clock
    _clock = time.process_time
    fc.set_threads(1)
    try:
        import cv2
    except ImportError:
        return
    cv2.setNumThreads(1)


def most_threads() -> int:
    """Return the number of threads that suites may use: all cores, or one where they measure
    processor time.
    """
    if _clock is time.process_time:
        return 1
    return machine.cores()


@dataclass
class Times:
    """Seconds per step of every round that a contender ran."""

    rounds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        return min(self.rounds)

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


def race(
    batches: Mapping[str, tuple[Callable[[], None], Callable[[], None]]],
    steps: int,
    rounds: Mapping[str, int],
    clock: Callable[[], float] = now,
) -> dict[str, Times]:
    """Time each contender's batch: `batches[name]` is (prepare, run), and only `run` (of `steps`
    steps) is timed.

    Contender `name` takes part in the first `rounds[name]` rounds. `clock` may be
    `time.process_time`, for work on one thread.
    All should have run a batch before: nothing is left out.
    """
    times = {name: Times() for name in batches}
    for turn in range(max(rounds.values())):
        for name, (prepare, run) in batches.items():
            if turn >= rounds[name]:
                continue
            prepare()
            time.sleep(REST)
            start = clock()
            run()
            times[name].rounds.append((clock() - start) / steps)
    return times


def repeats(quick: bool, few: int, many: int) -> int:
    """Return how often a measurement is repeated: `few` times in a quick run, else `many` times."""
    if quick:
        return few
    return many


def nothing() -> None:
    """Prepare nothing: for a contender that needs no preparation before a round."""


def say(text: str) -> None:
    """A line on how far the run is, beside the tables (on stderr)."""
    print(text, file=sys.stderr, flush=True)
