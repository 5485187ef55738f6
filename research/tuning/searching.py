"""Searchers after a fugitive who was lost from sight, as in `experiment chase`, played
for a search of settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from inspect import signature
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from fieldcraft.pursuit import SEARCHES, Motion, SearchParty
from research.experiments.chase import _ground_of
from research.experiments.escapes import FUGITIVES, SPEED, Ground, escape, search_for
from research.experiments.study import Job, Row, whole
from research.tuning.ranges import nested
from research.tuning.tunable import asked

if TYPE_CHECKING:
    from fieldcraft.pursuit import Search

__all__ = ["SEARCHED", "belief", "flood", "party", "probe"]

_SIGHT, _LIMIT, _LEAD, _CREW = 10.0, 60.0, 4.0, 4
_MOTION = Motion()


def _usual(name: str) -> Any:
    return signature(SearchParty).parameters[name].default


SEARCHED: Mapping[str, Mapping[str, Any]] = {
    "flood": {
        "every": 3.0,
        "spacing": 20.0,
        "patience": 40.0,
        "cooling": 0.02,
        "barrier_angle": 100.0,
    },
    "belief": {"every": 3.0, "spacing": 20.0, "patience": 40.0, "stay": 0.1},
    "party": {
        "every": _usual("every"),
        "patience": _usual("patience"),
        "particles": _usual("particles"),
        "motion.runs": _MOTION.runs,
        "motion.hides": _MOTION.hides,
        "motion.doubles_back": _MOTION.doubles_back,
        "motion.stands": _MOTION.stands,
        "motion.wanders": _MOTION.wanders,
        "motion.far": _MOTION.far,
    },
}
"""The settings of each way of searching that may be tuned, and their usual values; `spacing` is in
typical steps.
"""


def flood(job: Job) -> Row:
    """Four searchers by a flood after each kind of fugitive: seconds until it is seen again, and
    the share of those found.
    """
    return _searched("flood", job)


def belief(job: Job) -> Row:
    """Four searchers by a shared belief after each kind of fugitive: seconds until it is seen
    again, and the share of those found.
    """
    return _searched("belief", job)


def party(job: Job) -> Row:
    """Four searchers who share the work, after each kind of fugitive: seconds until it is seen
    again, and the share of those found.
    """
    return _searched("party", job)


def _searched(way: str, job: Job) -> Row:
    seed = whole(job, "seed")
    ground = _ground_of(str(job["map"]), whole(job, "width"), whole(job, "height"), seed, _SIGHT)
    values = asked(job)
    seconds, found = [], []
    for fugitive in FUGITIVES:
        fled = escape(
            ground,
            fugitive,
            hunters=_CREW,
            ticks=round(_LIMIT / ground.tick),
            lead=round(_LEAD / ground.tick),
            seed=seed,
        )
        search = _search(way, ground, values)
        at = search_for(ground, fled, search, np.random.default_rng([seed, 3, fled.hunters.size]))
        seconds.append(_LIMIT if at is None else at * ground.tick)
        found.append(float(at is not None))
    return {"seconds": fmean(seconds), "found": fmean(found)}


def _search(way: str, ground: Ground, values: Mapping[str, Any]) -> Search:
    options = nested(values)
    if "spacing" in options:
        options["spacing"] *= ground.step
    if way == "party":
        motion = Motion(**options.pop("motion", {}))
        return SearchParty(
            ground.space,
            SPEED * ground.step,
            sight=ground.reach * ground.step,
            motion=motion,
            **options,
        )
    return SEARCHES[way](ground.space, SPEED * ground.step, **options)


def probe(way: str, values: Mapping[str, Any]) -> Search:
    """A search with these settings on a small map: it refuses those that nobody can search with."""
    return _search(way, _probe(), values)


@lru_cache(maxsize=1)
def _probe() -> Ground:
    return _ground_of("open", 20, 15, 0, _SIGHT)
