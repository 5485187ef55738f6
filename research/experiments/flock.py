"""The flock, many times: how soon layers and exact neighbours come to order, and what a step of
each takes.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from research.experiments.experiment import Experiment, numbers
from research.experiments.statistics import mean
from research.experiments.study import Job, Measure, Row, Study, Summary, number, whole
from research.experiments.worlds import add_seed_arguments, seeds_of, size_of

if TYPE_CHECKING:
    from fieldcraft.steering import Swarm
    from fieldcraft_worlds.games.flock.derived import FlockDerived
    from fieldcraft_worlds.games.flock.state import State

__all__ = ["EXPERIMENT", "TIMES", "clock", "flock_study", "flock_times_study", "fly"]

MOST_SECONDS = 36_000
ROUNDS = 7
"""Steps of each rule that are timed at least; the fastest counts."""

_RULES = {"layers": "by layers", "neighbors": "by neighbours"}
_AFTER = (0, 2, 5, 10, 15, 20, 30, 40, 50, 60, 90, 120, 180, 240, 300)
_REACH = 4.0
_WARM = 3
_SECONDS = 2.0  # so long steps are timed, if they are short

FLYING = (
    Measure("order", limits=(0.0, 1.0)),
    Measure("order among neighbours", limits=(0.0, 1.0)),
    Measure("to the nearest, cells"),
)
TIMED = (Measure("ms a step"), Measure("times as fast", mark=1.0))


def flock_study(
    *,
    birds: int = 1500,
    size: str = "128x80",
    seeds: int = 10,
    first_seed: int = 0,
    seconds: int = 60,
) -> Study:
    """The study behind `experiment flock`: the same birds in the same sky, by layers and
    by exact neighbours.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    """
    from fieldcraft_worlds.games.flock import Settings

    width, height = size_of(size)
    count = Settings(birds=checks.whole("birds", birds, minimum=2)).birds
    lasts = checks.whole("seconds", seconds, minimum=1)
    if lasts > MOST_SECONDS:
        raise InvalidValue(
            f"seconds is at most {MOST_SECONDS:,}", got=f"seconds={lasts}", remedy="Ask for fewer"
        )
    jobs: list[Row] = [
        {
            "width": width,
            "height": height,
            "seed": seed,
            "birds": count,
            "seconds": lasts,
            "rule": rule,
        }
        for seed in seeds_of(seeds, first_seed)
        for rule in _RULES
    ]
    return Study(
        "flock", "The flock: by layers and by neighbours", "flights", tuple(jobs), fly, _summarise
    )


def fly(job: Job) -> Row:
    """One flight: order, order among neighbours and the distance to the nearest bird, at some
    moments.
    """
    from fieldcraft import Grid
    from fieldcraft_worlds.games.flock import Settings, play_flock
    from fieldcraft_worlds.games.flock.state import order_of

    settings = Settings(birds=whole(job, "birds"), rule=str(job["rule"]))
    lasts = whole(job, "seconds")
    found: dict[str, float] = {}

    def watch(derived: FlockDerived, state: State) -> None:
        second, part = divmod(state.step, settings.rate)
        if part == 0 and second in _moments(lasts):
            birds = derived.swarm(state)
            local, nearest = _among(birds)
            found[f"order {second} s"] = order_of(birds.headings)
            found[f"among {second} s"] = local
            found[f"nearest {second} s"] = nearest

    space = Grid(whole(job, "width"), whole(job, "height"), wrap=True)
    flight = play_flock(
        space, settings, seed=whole(job, "seed"), steps=lasts * settings.rate, watch=watch
    )
    return {**found, "digest": flight.digest}


def _among(birds: Swarm) -> tuple[float, float]:
    """How well birds agree with those around them, and how far the nearest is, both on average and
    within a reach.
    """
    import numpy as np

    from fieldcraft.steering import Neighbors

    near = Neighbors(birds.positions, _REACH, space=birds.space)
    sums = near.sums(birds.headings)
    some = sums[:, 0] > 0
    means = sums[some, 3:] / sums[some, :1]
    agree = float((means * birds.headings[some]).sum(axis=1).mean()) if some.any() else 0.0
    return agree, float(np.minimum(near.nearest()[1], _REACH).mean())


def _moments(lasts: int) -> list[int]:
    return [second for second in _AFTER if second < lasts] + [lasts]


def _summarise(rows: Sequence[Row]) -> Summary:
    moments = [name.split()[1] for name in rows[0] if name.startswith("order ")]
    found = {
        (moment, title, measure.name): mean(some)
        for moment in moments
        for rule, title in _RULES.items()
        for measure, column in zip(FLYING, ("order", "among", "nearest"), strict=True)
        if (some := [number(row, f"{column} {moment} s") for row in rows if row["rule"] == rule])
    }
    notes = (
        (
            f"Neighbours: within {_REACH:g} cells; who has none there counts as {_REACH:g} from the"
            " nearest"
        ),
    )
    return Summary(tuple(moments), tuple(_RULES.values()), FLYING, found, notes, axis="seconds")


def flock_times_study(
    birds: Iterable[int] = (1000, 3000, 10_000, 30_000, 100_000),
    *,
    size: str = "512x512",
    seeds: int = 3,
    first_seed: int = 0,
) -> Study:
    """The study behind `experiment flock-times`: what a step takes, for both rules in
    turn, on one thread.

    Times differ from run to run and from machine to machine; all else is that of the seeds. Jobs
    run one after the other.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    """
    from fieldcraft_worlds.games.flock import Settings

    width, height = size_of(size)
    counts = sorted(
        {Settings(birds=checks.whole("birds", each, minimum=2)).birds for each in birds}
    )
    if not counts:
        raise InvalidValue(
            "birds are one number or more", got="none", remedy="Pass 1000,10000, say"
        )
    jobs = [
        {"width": width, "height": height, "birds": count, "seed": seed}
        for count in counts
        for seed in seeds_of(seeds, first_seed)
    ]
    return Study(
        "flock_times",
        "The flock: what a step takes",
        "skies",
        tuple(jobs),
        clock,
        _summarise_times,
        alone=True,
    )


def clock(job: Job) -> Row:
    """The fastest of some steps of each rule, timed in turn."""
    import numpy as np

    from fieldcraft import Grid
    from fieldcraft_worlds.games.flock import Settings
    from fieldcraft_worlds.games.flock.derived import FlockDerived
    from fieldcraft_worlds.games.flock.rules import start, step

    space = Grid(whole(job, "width"), whole(job, "height"), wrap=True)
    dice = np.random.default_rng(0)
    flights = {}
    for rule in _RULES:
        derived = FlockDerived(space, Settings(birds=whole(job, "birds"), rule=rule))
        flights[rule] = derived, start(derived, np.random.default_rng(whole(job, "seed")))
    best = dict.fromkeys(_RULES, float("inf"))
    number, until = 0, time.perf_counter() + _SECONDS
    while number < _WARM + ROUNDS or time.perf_counter() < until:
        for rule, (derived, state) in flights.items():
            begun = time.perf_counter()
            after = step(derived, state, (), dice)
            took = time.perf_counter() - begun
            flights[rule] = derived, after
            if number >= _WARM:
                best[rule] = min(best[rule], took)
        number += 1
    return {
        **{f"ms {title}": best[rule] * 1000 for rule, title in _RULES.items()},
        "machine": _machine(),
    }


def _summarise_times(rows: Sequence[Row]) -> Summary:
    counts = [str(count) for count in sorted({whole(row, "birds") for row in rows})]
    found = {}
    for count in counts:
        some = [row for row in rows if str(row["birds"]) == count]
        for title in _RULES.values():
            found[count, title, TIMED[0].name] = mean([number(row, f"ms {title}") for row in some])
        layers, neighbors = _RULES.values()
        ratios = [number(row, f"ms {neighbors}") / number(row, f"ms {layers}") for row in some]
        found[count, layers, TIMED[1].name] = mean(ratios)
    machines = " and ".join(dict.fromkeys(str(row["machine"]) for row in rows))
    notes = (
        (
            f"One thread, the fastest of {ROUNDS} steps or more for each sky, both rules in turn,"
            f" in one process on {machines}"
        ),
    )
    return Summary(
        tuple(counts), tuple(_RULES.values()), TIMED, found, notes, axis="birds", log=True
    )


def _machine() -> str:
    """The processor's name, as far as it is known."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_seed_arguments(parser, seeds=10, what="skies, each flown by both rules")
    parser.add_argument(
        "--birds", type=int, default=1500, metavar="N", help="how many (default: 1500)"
    )
    parser.add_argument(
        "--size", default="128x80", metavar="WxH", help="cells of the sky (default: 128x80)"
    )
    parser.add_argument(
        "--seconds",
        type=int,
        default=60,
        metavar="S",
        help="how long each flight lasts (default: 60)",
    )


def _times_arguments(parser: argparse.ArgumentParser) -> None:
    add_seed_arguments(parser, seeds=3, what="skies for each number of birds")
    parser.add_argument(
        "--birds",
        default="1000,3000,10000,30000,100000",
        metavar="N,...",
        help="numbers of birds (default: 1000,3000,10000,30000,100000)",
    )
    parser.add_argument(
        "--size", default="512x512", metavar="WxH", help="cells of the sky (default: 512x512)"
    )


EXPERIMENT = Experiment(
    "flock",
    "how soon a flock comes to order by layers, and by exact neighbours",
    "Lets the same birds fly by layers and by exact neighbours, and measures their order over"
    " time.",
    "python -m research experiment flock --birds 3000 --seeds 20 --out out/flock",
    _arguments,
    lambda chosen: flock_study(
        birds=chosen.birds,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        seconds=chosen.seconds,
    ),
)

TIMES = Experiment(
    "flock-times",
    "what a step of a flock takes by layers, and by exact neighbours",
    "Times steps of flocks of several sizes, by layers and by exact neighbours in turn, one after"
    " the other in one process.",
    "python -m research experiment flock-times --birds 1000,100000 --out out/flock",
    _times_arguments,
    lambda chosen: flock_times_study(
        numbers("--birds", chosen.birds, int),
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
    ),
)
