"""Timing several contenders against each other, round by round, so that a busy moment of the
machine hits all of them.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

REST = 0.002
"""Seconds between two batches: threads that one contender left spinning are asleep when the next
begins.
"""


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
    clock: Callable[[], float] = time.perf_counter,
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
