"""The ants, many times: how much food trails bring home, and how many ants go nowhere on velocity
trails.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fieldcraft import Grid, checks
from fieldcraft.errors import InvalidValue
from research.experiments.experiment import Experiment, numbers
from research.experiments.statistics import mean, mean_share
from research.experiments.study import Job, Measure, Row, Study, Summary, integer, number
from research.experiments.worlds import add_seed_arguments, seeds_of, size_of

if TYPE_CHECKING:
    from fieldcraft_worlds.games.ants import Settings

__all__ = ["EXPERIMENT", "VORTEX", "ants_study", "forage", "vortex_study", "watch_vortices"]

MOST_SECONDS = 36_000
SETTLING = 30
"""Seconds before food is counted: ants must find some first."""

FOOD = (
    Measure("food a minute"),
    Measure("per 100 ants"),
    Measure("beside the least keep, same meadow", percent=True, mark=1.0),
)
NOWHERE = (Measure("ants that go nowhere", percent=True, limits=(0.0, 1.0)),)
_BLIND = "without trails"
_WAYS = {_BLIND: (0.0, 0.0), "velocity trails alone": (1.0, 0.0), "and keeping apart": (1.0, 2.0)}
_ENOUGH = 1_000_000


def ants_study(
    ants: Iterable[int] = (500, 2000, 4000),
    keep: Iterable[float] = (0.95, 0.98, 0.99, 0.995),
    *,
    size: str = "160x100",
    seeds: int = 6,
    first_seed: int = 0,
    seconds: int = 90,
) -> Study:
    """The study behind `experiment ants`: two pheromones, by numbers of ants and by what
    part of a trail stays at each step.

    Each seed is a meadow without a rim, with boulders, a nest and three piles of food that don't
    run out; all colonies of a seed have the same, among them one whose ants heed no trails. Food
    counts from second 30 to `seconds`.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    """
    counts = _rising("ants", [checks.integer("ants", each, minimum=1) for each in ants])
    keeps = _rising("keep", [checks.finite("keep", each) for each in keep])
    lasts = _seconds(seconds, SETTLING + 1)
    width, height = _size(size)
    for count in counts:
        for part in keeps:
            _settings({"ants": count, "keep": part})
    jobs: list[Row] = [
        {
            "width": width,
            "height": height,
            "seed": seed,
            "ants": count,
            "keep": part,
            "seconds": lasts,
        }
        for count in counts
        for part in (None, *keeps)
        for seed in seeds_of(seeds, first_seed)
    ]
    return Study("ants", "Ants: food by trails", "colonies", tuple(jobs), forage, _summarise_food)


def forage(job: Job) -> Row:
    """One colony: the food that came home a minute, once trails were there."""
    from fieldcraft_worlds.games.ants import play_ants

    settings = _settings(job)
    first, steps = SETTLING * settings.rate, integer(job, "seconds") * settings.rate
    before: list[int] = []
    colony = play_ants(
        _meadow(job),
        settings,
        seed=integer(job, "seed"),
        steps=steps,
        watch=lambda derived, state: before.append(state.home) if state.step == first else None,
    )
    return {
        "food": colony.home,
        "food a minute": (colony.home - before[0]) * 60 * settings.rate / (steps - first),
        "digest": colony.digest,
    }


def _summarise_food(rows: Sequence[Row]) -> Summary:
    counts = sorted({integer(row, "ants") for row in rows})
    keeps = sorted({number(row, "keep") for row in rows if row["keep"] is not None})
    food = {(row["ants"], row["keep"], row["seed"]): number(row, "food a minute") for row in rows}
    found = {}
    for count in counts:
        for part in (None, *keeps):
            some = {
                seed: amount
                for (ants, keep, seed), amount in food.items()
                if ants == count and keep == part
            }
            if not some:
                continue
            group, series = str(count), _series(part)
            found[group, series, FOOD[0].name] = mean(list(some.values()))
            found[group, series, FOOD[1].name] = mean(
                [amount * 100 / count for amount in some.values()]
            )
            if beside := [
                amount / least
                for seed, amount in some.items()
                if (least := food.get((count, keeps[0], seed), 0.0))
            ]:
                found[group, series, FOOD[2].name] = mean(beside)
    notes = (f"Food that came home from second {SETTLING} on, of piles that don't run out",)
    return Summary(
        tuple(map(str, counts)),
        tuple(_series(part) for part in (None, *keeps)),
        FOOD,
        found,
        notes,
        axis="ants",
        log=True,
    )


def _series(keep: float | None) -> str:
    return _BLIND if keep is None else f"keep {keep:g}"


def vortex_study(
    *,
    ants: int = 2000,
    keep: float = 0.98,
    size: str = "160x100",
    rim: bool = False,
    seeds: int = 10,
    first_seed: int = 0,
    seconds: int = 60,
) -> Study:
    """The study behind `experiment vortex`: ants on velocity trails, that keep apart or
    don't, beside ants without trails.

    Each seed is a meadow with boulders and a nest, and no food; with `rim` one with walls around
    it. In each window of 6 s an ant goes nowhere that comes less far, as the crow flies, than 0.3
    of the way it walks.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    """
    width, height = _size(size)
    count, part = checks.integer("ants", ants, minimum=1), checks.finite("keep", keep)
    if not isinstance(rim, bool):
        raise InvalidValue("rim is True or False", got=repr(rim), remedy="Pass one of the two")
    _walking({"ants": count, "keep": part}, "without trails")
    lasts = _seconds(seconds, 6)
    jobs: list[Row] = [
        {
            "width": width,
            "height": height,
            "rim": rim,
            "seed": seed,
            "ants": count,
            "keep": part,
            "seconds": lasts,
            "ways": name,
        }
        for seed in seeds_of(seeds, first_seed)
        for name in _WAYS
    ]
    return Study(
        "vortex",
        "Ants on velocity trails: who goes nowhere",
        "colonies",
        tuple(jobs),
        watch_vortices,
        _summarise_nowhere,
    )


def watch_vortices(job: Job) -> Row:
    """One colony: the share of ants that went nowhere, by the second at which each window ended."""
    from fieldcraft_worlds.games.ants import play_ants

    settings = _walking(job, str(job["ways"]))
    colony = play_ants(
        _meadow(job),
        settings,
        seed=integer(job, "seed"),
        steps=integer(job, "seconds") * settings.rate,
    )
    return {
        f"{(number + 1) * settings.window:g}": share for number, share in enumerate(colony.nowhere)
    } | {"digest": colony.digest}


def _summarise_nowhere(rows: Sequence[Row]) -> Summary:
    ends = [name for name in rows[0] if name.replace(".", "").isdigit()]
    found = {
        (end, name, NOWHERE[0].name): mean_share(some)
        for end in ends
        for name in _WAYS
        if (some := [number(row, end) for row in rows if row["ways"] == name])
    }
    notes = ("Nowhere: within 6 s less far, as the crow flies, than 0.3 of the way walked",)
    return Summary(tuple(ends), tuple(_WAYS), NOWHERE, found, notes, axis="seconds")


def _settings(job: Job) -> Settings:
    from fieldcraft_worlds.games.ants import Settings, Tuning

    if job["keep"] is None:
        return Settings(ants=integer(job, "ants"), food=_ENOUGH, follow=0.0)
    return Settings(
        ants=integer(job, "ants"), food=_ENOUGH, scalar=Tuning(keep=number(job, "keep"))
    )


def _walking(job: Job, ways: str) -> Settings:
    from fieldcraft_worlds.games.ants import Settings, Tuning

    follow, separate = _WAYS[ways]
    tuning = Tuning(keep=number(job, "keep"), distance=4.0, separate=separate)
    return Settings(
        ants=integer(job, "ants"), trails="velocity", piles=0, follow=follow, velocity=tuning
    )


def _meadow(job: Job) -> Grid:
    from fieldcraft import generate_map
    from fieldcraft_worlds.games.ants.plugin import meadow

    width, height, seed = integer(job, "width"), integer(job, "height"), integer(job, "seed")
    return (
        generate_map("open", width, height, seed=seed)
        if job.get("rim")
        else meadow(width, height, seed=seed)
    )


def _size(size: str) -> tuple[int, int]:
    from fieldcraft import generate_map

    width, height = size_of(size)
    generate_map("open", width, height)
    return width, height


def _seconds(seconds: object, least: int) -> int:
    lasts = checks.integer("seconds", seconds, minimum=least)
    if lasts > MOST_SECONDS:
        raise InvalidValue(
            f"seconds is at most {MOST_SECONDS:,}", got=f"seconds={lasts}", remedy="Ask for fewer"
        )
    return lasts


def _rising(name: str, values: Sequence[float]) -> list[float]:
    if not values:
        raise InvalidValue(
            f"{name} are one number or more", got="none", remedy="Pass 500,2000, say"
        )
    return sorted(set(values))


def _add_world(parser: argparse.ArgumentParser, *, seeds: int, seconds: int) -> None:
    add_seed_arguments(parser, seeds=seeds, what="meadows")
    parser.add_argument(
        "--size", default="160x100", metavar="WxH", help="cells of a meadow (default: 160x100)"
    )
    parser.add_argument(
        "--seconds",
        type=int,
        default=seconds,
        metavar="S",
        help=f"how long each colony runs (default: {seconds})",
    )


def _ants_arguments(parser: argparse.ArgumentParser) -> None:
    _add_world(parser, seeds=6, seconds=90)
    parser.add_argument(
        "--ants",
        default="500,2000,4000",
        metavar="N,...",
        help="numbers of ants (default: 500,2000,4000)",
    )
    parser.add_argument(
        "--keep",
        default="0.95,0.98,0.99,0.995",
        metavar="K,...",
        help=(
            "what part of a trail stays at each of 30 steps a second (default:"
            " 0.95,0.98,0.99,0.995)"
        ),
    )


def _vortex_arguments(parser: argparse.ArgumentParser) -> None:
    _add_world(parser, seeds=10, seconds=60)
    parser.add_argument(
        "--ants", type=int, default=2000, metavar="N", help="how many (default: 2000)"
    )
    parser.add_argument(
        "--keep",
        type=float,
        default=0.98,
        metavar="K",
        help="what part of a trail stays at each step (default: 0.98)",
    )
    parser.add_argument(
        "--rim",
        action="store_true",
        help="meadows with walls around them, in place of such as have no rim",
    )


EXPERIMENT = Experiment(
    "ants",
    "food that ants bring home, by their number and by how long trails last",
    "Lets colonies forage by two pheromones on meadows with boulders, and counts the food that"
    " comes home.",
    "python -m research experiment ants --ants 1000,4000 --seeds 10 --out out/ants",
    _ants_arguments,
    lambda chosen: ants_study(
        numbers("--ants", chosen.ants, int),
        numbers("--keep", chosen.keep, float),
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        seconds=chosen.seconds,
    ),
)

VORTEX = Experiment(
    "vortex",
    "ants that go nowhere on velocity trails, and what keeping apart does about it",
    "Lets ants align with the trails that they leave, with and without a layer by which they keep"
    " apart, and counts those that go nowhere.",
    "python -m research experiment vortex --ants 4000 --seeds 20 --out out/vortex",
    _vortex_arguments,
    lambda chosen: vortex_study(
        ants=chosen.ants,
        keep=chosen.keep,
        size=chosen.size,
        rim=chosen.rim,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        seconds=chosen.seconds,
    ),
)
