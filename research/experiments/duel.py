"""The duel, many times: the tether layer against simpler ways to fight, from both sides."""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from fieldcraft import Grid, checks
from fieldcraft.errors import InvalidValue
from research.experiments.experiment import Experiment, words
from research.experiments.statistics import Interval, rate, ratio
from research.experiments.study import Job, Measure, Row, Study, Summary, integer, number
from research.experiments.worlds import (
    add_map_arguments,
    add_seed_arguments,
    grid_of,
    label_of,
    seeds_of,
    worlds_of,
)

__all__ = ["EXPERIMENT", "MEASURES", "duel_study", "play", "summarise"]

_ALL = "all maps"
_SIDES = ("long", "short")
_MAPS = ("open", "pillars", "rooms")

MEASURES = (
    Measure("duels won", percent=True, limits=(0.0, 1.0), mark=0.5),
    Measure("dealt to taken", limits=(0.0, 4.0), mark=1.0),
    Measure("as long range", limits=(0.0, 6.0), mark=1.0),
    Measure("as short range", limits=(0.0, 4.0), mark=1.0),
)


def duel_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "48x32",
    seeds: int = 20,
    first_seed: int = 0,
    brains: Sequence[str] = ("tether", "charge", "distance", "cover"),
    fighters: int = 1,
    limit: float | None = None,
) -> Study:
    """The study behind `experiment duel`.

    Parameters
    ----------
    kinds : Iterable[str], optional
        Kinds of generated maps, made anew from every seed; open, pillars and rooms if absent and
        there are no `files`.
    files : Iterable[str | path], optional
        Map files, on which only places and dice differ from seed to seed.
    size : str, optional
        Cells of generated maps, as "48x32".
    seeds, first_seed : int, optional
        How many worlds per map, and the first of their seeds. In each the first brain meets every
        other twice: once with the long range, once with the short one, which stays where it starts.
    brains : Sequence[str], optional
        The one who is measured, and then those against whom: "tether", "charge", "distance" or
        "cover".
    fighters, limit : int, optional / float, optional
        Of each side, and the seconds after which the damage decides, in place of those of the
        game's settings.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    from fieldcraft_worlds.games.tether.settings import BRAINS, Settings

    numbers = seeds_of(seeds, first_seed)
    maps = list(files)
    worlds, digests = worlds_of(_MAPS if kinds is None and not maps else kinds, maps, size)
    for world in worlds:
        _ground({**world, "seed": numbers[0]})
    named = tuple(checks.choice("brain", name, BRAINS) for name in brains)
    if len(named) < 2 or len(set(named)) != len(named):
        raise InvalidValue(
            "A brain is compared with one or more others",
            got=", ".join(named) or "none",
            remedy="Pass tether,charge, say",
        )
    given = {"fighters": fighters, **({} if limit is None else {"limit": limit})}
    settings = Settings(**given)  # type: ignore[arg-type]
    rules = {"fighters": settings.fighters, "limit": float(settings.limit)}
    jobs = [
        {**world, **rules, "seed": seed, "long": long, "short": short, "measured": named[0]}
        for world in worlds
        for rival in named[1:]
        for seed in numbers
        for long, short in ((named[0], rival), (rival, named[0]))
    ]
    title = f"Duel: {named[0]} against {', '.join(named[1:])}"
    return Study("duel", title, "duels", tuple(jobs), play, summarise, digests)


def play(job: Job) -> Row:
    """One duel: what the brains of the job did on its world."""
    from fieldcraft_worlds.games.tether import Settings, play_duel

    settings = Settings(fighters=integer(job, "fighters"), limit=number(job, "limit"))
    duel = play_duel(
        _ground(job),
        settings,
        seed=integer(job, "seed"),
        brains=(str(job["long"]), str(job["short"])),
    )
    return {
        "winner": None if duel.winner is None else job[_SIDES[duel.winner]],
        **{f"damage by {side}": dealt for side, dealt in zip(_SIDES, duel.dealt, strict=True)},
        **{f"hits by {side}": hits for side, hits in zip(_SIDES, duel.hits, strict=True)},
        **{f"{side} standing": left for side, left in zip(_SIDES, duel.standing, strict=True)},
        "steps": duel.steps,
        "out of time": duel.out_of_time,
        "digest": duel.digest,
    }


def summarise(rows: Sequence[Row]) -> Summary:
    """The damage that the measured brain dealt and took against each other one, map by map and
    taken together.

    "dealt to taken" is over the two duels of each world, one with either range; the next two are
    over one of them each. Duels won are counted with Wilson's interval, an undecided one as not
    won.
    """
    by_map: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_map[label_of(row)].append(row)
    groups = {**by_map, **({_ALL: list(rows)} if len(by_map) > 1 else {})}
    rivals = tuple(dict.fromkeys(_rival(row) for row in rows))
    found: dict[tuple[str, str, str], Interval] = {}
    lacking: list[str] = []
    for group, duels in groups.items():
        for rival in rivals:
            met = [duel for duel in duels if _rival(duel) == rival]
            if not met:
                continue
            series = f"against {rival}"
            found[group, series, "duels won"] = rate(
                sum(duel["winner"] == duel["measured"] for duel in met), len(met)
            )
            parts = {
                "dealt to taken": _worlds(met),
                "as long range": [[duel] for duel in met if duel["long"] == duel["measured"]],
                "as short range": [[duel] for duel in met if duel["short"] == duel["measured"]],
            }
            for name, worlds in parts.items():
                dealt, taken = (
                    [sum(_damage(duel, own=own) for duel in world) for world in worlds]
                    for own in (True, False)
                )
                if sum(dealt) > 0 and sum(taken) > 0:
                    found[group, series, name] = ratio(dealt, taken)
                elif worlds:
                    lacking.append(
                        f"{group}, {series}, {name}: dealt {sum(dealt):,.0f}, took"
                        f" {sum(taken):,.0f}, which is no ratio"
                    )
    most = {measure.name: measure.limits[1] for measure in MEASURES if measure.limits}
    if any(interval.value > most[name] for (_, _, name), interval in found.items()):
        lacking.append("In the plot, what lies beyond an axis is at its rim")
    return Summary(
        tuple(groups),
        tuple(f"against {rival}" for rival in rivals),
        MEASURES,
        found,
        (*_notes(rows), *lacking),
    )


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    measured = rows[0]["measured"]
    yield (
        f"Damage that {measured} dealt to damage that it took, sums over duels; each world was"
        " played with either range, and either started in the same place"
    )
    if late := sum(bool(row["out of time"]) for row in rows):
        yield f"{late:,} of {len(rows):,} duels ran out of time, where the damage decides"
    if undecided := sum(row["winner"] is None for row in rows):
        yield f"{undecided:,} of {len(rows):,} duels ended undecided"
    whole = sum(
        len(_worlds([row for row in rows if _rival(row) == rival]))
        for rival in dict.fromkeys(map(_rival, rows))
    )
    if alone := len(rows) - 2 * whole:
        yield (
            f"{alone:,} {'duel lacks its' if alone == 1 else 'duels lack their'} other side and"
            " count only as far as one side goes"
        )


def _worlds(duels: Iterable[Row]) -> list[list[Row]]:
    """The worlds that were played with either range."""
    found: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for duel in duels:
        found[duel["map"], duel["width"], duel["height"], duel["seed"]].append(duel)
    return [pair for pair in found.values() if len(pair) == 2]


def _rival(row: Row) -> str:
    return str(row["short"] if row["long"] == row["measured"] else row["long"])


def _damage(duel: Row, *, own: bool) -> float:
    """The damage that the measured brain dealt, or took."""
    side = _SIDES[(duel["long"] != duel["measured"]) == own]
    return number(duel, f"damage by {side}")


def _ground(job: Job) -> Grid:
    return grid_of(job, "The duel is fought", neighbors=8)


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_map_arguments(parser, size="48x32")
    add_seed_arguments(
        parser,
        seeds=20,
        what="worlds per map, in each of which every rival is met twice, with either range",
    )
    parser.add_argument(
        "--brains",
        default="tether,charge,distance,cover",
        metavar="A,B,...",
        help=(
            "who is measured, and then against whom: tether, charge, distance, cover (default: in"
            " this order)"
        ),
    )
    parser.add_argument(
        "--fighters",
        type=int,
        default=1,
        metavar="N",
        help="fighters of each side, 1 to 5 (default: 1)",
    )
    parser.add_argument(
        "--limit",
        type=float,
        metavar="S",
        help="seconds after which the damage decides, in place of the game's",
    )


def _study(chosen: argparse.Namespace) -> Study:
    return duel_study(
        None if chosen.maps is None else words(chosen.maps),
        chosen.map,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        brains=words(chosen.brains),
        fighters=chosen.fighters,
        limit=chosen.limit,
    )


EXPERIMENT = Experiment(
    "duel",
    "the tether layer against charging, keeping distance and hiding in the duel",
    "Plays the duel of long-range and short-range fighters: a brain that reads the tether layer"
    " against simpler ones, with either range in the same places. The default maps are open,"
    " pillars and rooms.",
    "python -m research experiment duel --seeds 20 --out out/duel",
    _arguments,
    _study,
)
