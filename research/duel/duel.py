"""Many duels: the tether layer and plain distance keeping, with the longer range, against charging
enemies of several speeds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fieldcraft.base import checks
from fieldcraft_worlds.games import tether
from fieldcraft_worlds.play.session import play_out
from research.shared.statistics import Interval, paired, rate, ratio
from research.shared.study import (
    Experiment,
    Job,
    Measure,
    Row,
    Study,
    Summary,
    floats,
    integer,
    map_options,
    number,
    seed_options,
)
from research.shared.worlds import by_map, grid_of, seeds_of, worlds_of

BRAINS = ("tether", "distance")
SPEEDS = (3.6, 4.0, 4.2)
"""Cells a second of the charging enemy; the long range walks 4."""

MEASURES = (
    Measure("dealt to taken", mark=1.0),
    Measure("duels won", percent=True, limits=(0.0, 1.0), mark=0.5),
    Measure("ahead of distance", mark=0.0),
)


def duel_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "48x32",
    seeds: int = 25,
    first_seed: int = 0,
    speeds: Sequence[float] = SPEEDS,
) -> Study:
    """Return the study of `experiment duel`: each world with each brain and enemy speed.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    maps = list(files)
    if kinds is None and not maps:
        kinds = ("open", "pillars", "rooms")
    worlds, digests = worlds_of(kinds, maps, size)
    jobs = tuple(
        {**world, "seed": seed, "speed": checks.positive("speed", speed), "brain": brain}
        for speed in speeds
        for world in worlds
        for seed in seeds_of(seeds, first_seed)
        for brain in BRAINS
    )
    title = "Duel: the long range against an enemy that charges"
    return Study("duel", title, "duels", jobs, play, summarise, digests)


def play(job: Job) -> Row:
    """Return the outcome of one duel."""
    usual = tether.Settings()
    settings = replace(
        usual,
        brains=(str(job["brain"]), "charge"),
        short=replace(usual.short, speed=number(job, "speed")),
    )
    space = grid_of(job, "The duel is fought", neighbors=8)
    duel = play_out(tether.GAME, space, settings, integer(job, "seed"))
    dealt, taken = duel.state.dealt.tolist()
    return {"won": duel.state.winner == 0, "dealt": dealt, "taken": taken, "digest": duel.digest()}


def summarise(rows: Sequence[Row]) -> Summary:
    """Return the ratio of damage dealt to damage taken for each enemy speed and map, and the lead
    of the tether over distance keeping in the same worlds.
    """
    found: dict[tuple[str, str, str], Interval] = {}
    groups: list[str] = []
    for speed in dict.fromkeys(number(row, "speed") for row in rows):
        for label, duels in by_map([row for row in rows if row["speed"] == speed]).items():
            group = f"enemy {speed:g}, {label}"
            groups.append(group)
            ahead = {}
            for brain in BRAINS:
                own = [row for row in duels if row["brain"] == brain]
                won = sum(bool(row["won"]) for row in own)
                dealt, taken = (
                    np.array([number(row, part) for row in own]) for part in ("dealt", "taken")
                )
                found[group, brain, "duels won"] = rate(won, len(own))
                if dealt.any() and taken.any():
                    found[group, brain, "dealt to taken"] = ratio(dealt, taken)
                ahead[brain] = dealt - taken
            found[group, "tether", "ahead of distance"] = paired(*ahead.values())
    note = "Damage that the long range dealt to damage that it took, sums over duels"
    return Summary(tuple(groups), BRAINS, MEASURES, found, (note,))


EXPERIMENT = Experiment(
    "duel",
    "the tether layer against plain distance keeping in the duel",
    "Plays the duel with the long range led by the tether layer or by distance keeping, against an"
    " enemy that charges at three speeds.",
    {
        **map_options("48x32"),
        **seed_options(25, "worlds per map, each played by both brains at each speed"),
        "--speeds": {
            "type": floats,
            "default": SPEEDS,
            "metavar": "V,...",
            "help": "cells a second of the enemy (default: 3.6,4.0,4.2)",
        },
    },
    duel_study,
)
