"""The flock, many times: how soon layers and exact neighbors come to order."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from research.experiments.experiment import Experiment
from research.experiments.statistics import mean
from research.experiments.study import Job, Measure, Row, Study, Summary, integer, number
from research.experiments.worlds import add_seed_arguments, seeds_of, size_of

if TYPE_CHECKING:
    from fieldcraft.steering import Swarm
    from fieldcraft_worlds.games.flock.derived import FlockDerived
    from fieldcraft_worlds.games.flock.state import State

__all__ = ["EXPERIMENT", "flock_study", "fly"]

MOST_SECONDS = 36_000

_RULES = {"layers": "by layers", "neighbors": "by neighbours"}
_AFTER = (0, 2, 5, 10, 15, 20, 30, 40, 50, 60, 90, 120, 180, 240, 300)
_REACH = 4.0

FLYING = (
    Measure("order", limits=(0.0, 1.0)),
    Measure("order among neighbours", limits=(0.0, 1.0)),
    Measure("to the nearest, cells"),
)


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
    count = Settings(birds=checks.integer("birds", birds, minimum=2)).birds
    lasts = checks.integer("seconds", seconds, minimum=1)
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

    settings = Settings(birds=integer(job, "birds"), rule=str(job["rule"]))
    lasts = integer(job, "seconds")
    found: dict[str, float] = {}

    def watch(derived: FlockDerived, state: State) -> None:
        second, part = divmod(state.step, settings.rate)
        if part == 0 and second in _moments(lasts):
            birds = derived.swarm(state)
            local, nearest = _among(birds)
            found[f"order {second} s"] = order_of(birds.headings)
            found[f"among {second} s"] = local
            found[f"nearest {second} s"] = nearest

    space = Grid(integer(job, "width"), integer(job, "height"), wrap=True)
    flight = play_flock(
        space, settings, seed=integer(job, "seed"), steps=lasts * settings.rate, watch=watch
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
