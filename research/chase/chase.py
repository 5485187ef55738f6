"""Searches for a lost fugitive by different methods: share found and time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import Diffuse, InfluenceMap, Motion, SearchParty, Space, Spread
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.maps import KINDS
from fieldcraft.pursuit.likely_places import assigned
from fieldcraft_worlds.games.chase.searches import (
    SEARCHES,
    AnySearch,
    BeliefSearch,
    FloodSearch,
    GuidedSearch,
    Search,
)
from research.chase.escapes import FUGITIVES, SPEED, Ground, escape, search_for
from research.shared.statistics import Interval, mean, mean_share, paired, rate
from research.shared.study import (
    Experiment,
    Job,
    Measure,
    Row,
    Study,
    Summary,
    integer,
    integers,
    map_options,
    number,
    seed_options,
    words,
)
from research.shared.worlds import by_map, seeds_of, world_of, worlds_of

METHODS = ("last", "random", "blind", "flood", "belief", "party")
"""Methods of searching, as in `SEARCHES` of the chase; "blind" is a flood that ignores what
searchers see.
"""

OTHERS = ("motion", "diffuse", "spread")
"""Methods that are compared on request: a belief that knows how fugitives move, and layers that
spread from the last sighting.
"""


def chase_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "80x56",
    seeds: int = 40,
    first_seed: int = 0,
    searchers: Sequence[int] = (1, 2, 4, 8),
    fugitives: Sequence[str] = FUGITIVES,
    sight: float = 10.0,
    lead: float = 4.0,
    limit: float = 60.0,
    methods: Sequence[str] = METHODS,
) -> Study:
    """Return the study of `experiment chase`.

    Parameters
    ----------
    kinds, files, size
        Maps, see `worlds_of`: grids or graphs.
    seeds, first_seed : int, optional
        The number of chases per map, and the first seed.
    searchers : Sequence[int], optional
        Numbers of searchers, each for the same chases.
    fugitives : Sequence[str], optional
        Behaviors of the fugitive out of sight, from `escapes.FUGITIVES`.
    sight : float, optional
        The radius of sight of all agents, in typical steps of the map.
    lead : float, optional
        Seconds until the search begins.
    limit : float, optional
        Seconds after which the search ends, counted from the loss of sight.
    methods : Sequence[str], optional
        Methods of searching, from `METHODS` and `OTHERS`; the others are compared with the first.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    numbers = seeds_of(seeds, first_seed)
    crews = [checks.integer("searchers", count, minimum=1) for count in searchers]
    behaviors = [checks.choice("fugitive", fugitive, FUGITIVES) for fugitive in fugitives]
    rules = {
        "sight": checks.positive("sight", sight),
        "lead": checks.not_negative("lead", lead),
        "limit": checks.positive("limit", limit),
    }
    if rules["lead"] >= rules["limit"]:
        raise InvalidValue(
            "A search begins before its limit",
            got=f"lead={lead}, limit={limit}",
            remedy="Pass a longer limit",
        )
    names = [checks.choice("method", name, (*METHODS, *OTHERS)) for name in methods]
    if not names:
        raise InvalidValue(
            "A study has methods of searching", got="none", remedy='Pass ("last", "belief"), say'
        )
    searched = ",".join(dict.fromkeys(names))
    worlds, digests = worlds_of(kinds, files, size, neighbors=8)
    jobs = [
        {
            **world,
            **rules,
            "seed": seed,
            "fugitive": fugitive,
            "searchers": count,
            "methods": searched,
        }
        for world in worlds
        for seed in numbers
        for fugitive in dict.fromkeys(behaviors)
        for count in sorted(set(crews))
    ]
    return Study(
        "chase", "Lost from sight, and found again", "chases", tuple(jobs), run, summarise, digests
    )


def run(job: Job) -> Row:
    """Return the outcome of one chase for each method: whether the fugitive was found, and the
    seconds until then (the limit, if not).
    """
    seed = integer(job, "seed")
    limit = number(job, "limit")
    ground = _ground(job)
    fled = escape(
        ground,
        str(job["fugitive"]),
        hunters=integer(job, "searchers"),
        ticks=round(limit / ground.tick),
        lead=round(number(job, "lead") / ground.tick),
        seed=seed,
    )
    results: dict[str, float | bool] = {}
    for method in _methods(job):
        rng = np.random.default_rng([seed, 3, fled.hunters.size])
        found = search_for(ground, fled, _search(ground, method), rng)
        results[f"found by {method}"] = found is not None
        if found is None:
            results[f"seconds by {method}"] = limit
        else:
            results[f"seconds by {method}"] = round(found * ground.tick, 3)
    return results


class _Blind(FloodSearch):
    """A flood that ignores what searchers see."""

    def observe(self, view: ArrayLike) -> None:
        Search.observe(self, view)


class LayerSearch(GuidedSearch):
    """A layer spreads from the last sighting; searchers erase what they see, and each goes to a
    place of its own where the layer is strong.
    """

    def __init__(self, space: Space, speed: float, propagation: Diffuse | Spread) -> None:
        every = space.typical_step / speed
        self._layer = InfluenceMap(space).add_layer("trace", propagation, every=every)
        super().__init__(space, speed)

    def lost(self, position: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Begin anew at the last sighting."""
        super().lost(position)
        values = np.zeros(self.space.shape)
        values.reshape(-1)[self._last] = 1
        self._layer.write(values)

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass."""
        super().advance(dt)
        self._layer.advance(dt)

    def observe(self, view: ArrayLike) -> None:
        """Erase what searchers see; where nothing is left, begin anew everywhere else."""
        super().observe(view)
        values = self._layer.read()
        seen = self.space.cell_ids(view)
        values.reshape(-1)[seen] = 0
        if not values.any():
            values[~self.space.walls] = 1
            values.reshape(-1)[seen] = 0
        self._layer.write(values)

    def _assigned(self, points: NDArray[np.float64], spacing: float) -> NDArray[np.float64]:
        cells = np.flatnonzero(self._layer.values)
        weights = self._layer.values.reshape(-1)[cells].astype(np.float64)
        return assigned(self.space, cells, weights, points, spacing, "clamp")


def _search(ground: Ground, method: str) -> AnySearch:
    """Return a search that is as fast as the fugitive, with the sight of the world."""
    space = ground.space
    speed = SPEED * ground.step
    if method == "motion":
        return BeliefSearch(space, speed, motion=Motion())
    if method == "blind":
        return _Blind(space, speed)
    if method == "diffuse":
        return LayerSearch(space, speed, Diffuse(rate=0.9, floor=0.0))
    if method == "spread":
        return LayerSearch(space, speed, Spread(decay=0.1, floor=0.0))
    if method == "party":
        return SearchParty(space, speed, sight=ground.reach * ground.step)
    return SEARCHES[method](space, speed)


def summarise(rows: Sequence[Row]) -> Summary:
    """Return the summary over the number of searchers for each fugitive, and map by map.

    A share found has Wilson's interval where a chase counts once. Map by map it is a mean over
    worlds, because the fugitives and numbers of searchers of a world are not independent.
    """
    crews = sorted({integer(row, "searchers") for row in rows})
    fugitives = tuple(dict.fromkeys(str(row["fugitive"]) for row in rows))
    methods = _methods(rows[0])
    found: dict[tuple[str, str, str], Interval] = {}
    for count in crews:
        for fugitive in fugitives:
            chases = [
                row for row in rows if row["searchers"] == count and row["fugitive"] == fugitive
            ]
            for method in methods if chases else ():
                found[str(count), method, f"{fugitive}: found"] = rate(
                    sum(bool(row[f"found by {method}"]) for row in chases), len(chases)
                )
                found[str(count), method, f"{fugitive}: seconds"] = mean(
                    [number(row, f"seconds by {method}") for row in chases]
                )
    limit = max(number(row, "limit") for row in rows)
    measures = (
        *(Measure(f"{each}: found", percent=True, limits=(0.0, 1.0)) for each in fugitives),
        *(Measure(f"{each}: seconds", limits=(0.0, limit)) for each in fugitives),
    )
    return Summary(
        tuple(map(str, crews)),
        methods,
        measures,
        found,
        _notes(rows[0]),
        axis="searchers",
        log=len(crews) > 1,
        columns=len(fugitives),
        title="by searchers and fugitive",
        more=(_map_by_map(rows, fugitives),),
    )


def _map_by_map(rows: Sequence[Row], fugitives: Sequence[str]) -> Summary:
    groups = by_map(rows)
    methods = _methods(rows[0])
    found: dict[tuple[str, str, str], Interval] = {}
    sooner = f"sooner than {methods[0]}"
    for group, chases in groups.items():
        for method in methods:
            column = f"seconds by {method}"
            found[group, method, "found"] = mean_share(_worlds(chases, f"found by {method}"))
            for fugitive in fugitives:
                if own := [row for row in chases if row["fugitive"] == fugitive]:
                    found[group, method, f"{fugitive}: s"] = mean(_worlds(own, column))
            seconds = _worlds(chases, column)
            found[group, method, "seconds"] = mean(seconds)
            if method != methods[0]:
                found[group, method, sooner] = paired(
                    _worlds(chases, f"seconds by {methods[0]}"), seconds
                )
    measures = (
        Measure("found", percent=True),
        *(Measure(f"{fugitive}: s") for fugitive in fugitives),
        Measure("seconds"),
        Measure(sooner, mark=0.0),
    )
    return Summary(
        tuple(groups),
        methods,
        measures,
        found,
        _notes(rows[0]),
        name="maps",
        title="map by map",
        unit="worlds",
    )


def _methods(row: Row) -> tuple[str, ...]:
    """Return the methods of a job or of its results."""
    return tuple(str(row["methods"]).split(","))


def _worlds(rows: Iterable[Row], column: str) -> list[float]:
    """Return the mean of a column in each world: one map, one seed."""
    worlds: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        key = row["map"], row["width"], row["height"], row["seed"]
        worlds.setdefault(key, []).append(number(row, column))
    return [fmean(values) for values in worlds.values()]


def _notes(row: Row) -> tuple[str, ...]:
    return (
        f"Everybody sees {row['sight']:g} steps far and is as fast as the fugitive; the search"
        f" begins {row['lead']:g} s after the loss of sight and ends after {row['limit']:g} s,"
        " which count where the fugitive was not found",
        f'All methods search the same chases; "sooner than {_methods(row)[0]}" is in the same'
        " worlds",
    )


def _ground(job: Job) -> Ground:
    name = str(job["map"])
    width, height, seed = (integer(job, key) for key in ("width", "height", "seed"))
    return _ground_of(name, width, height, seed if name in KINDS else 0, number(job, "sight"))


@lru_cache(maxsize=4)
def _ground_of(name: str, width: int, height: int, seed: int, sight: float) -> Ground:
    return Ground(
        world_of({"map": name, "width": width, "height": height, "seed": seed}, neighbors=8), sight
    )


EXPERIMENT = Experiment(
    "chase",
    "six methods of searching for a fugitive that was lost from sight",
    "Loses a fugitive from sight and searches for it: where it was last seen (last), by chance"
    " (random), by a flood without looks (blind) and with them (flood), by a shared belief, and by"
    " a search party (party); in the same chases.",
    {
        **map_options(),
        **seed_options(40, "chases per map, each with every fugitive and number of searchers"),
        "--searchers": {
            "type": integers,
            "default": (1, 2, 4, 8),
            "metavar": "N,...",
            "help": "how many search (default: 1,2,4,8)",
        },
        "--fugitives": {
            "type": words,
            "default": FUGITIVES,
            "metavar": "KIND,...",
            "help": f"what the fugitive does out of sight (default: {','.join(FUGITIVES)})",
        },
        "--methods": {
            "type": words,
            "default": METHODS,
            "metavar": "NAME,...",
            "help": f"methods of searching, and {','.join(OTHERS)} (default: {','.join(METHODS)})",
        },
        "--sight": {
            "type": float,
            "default": 10.0,
            "metavar": "STEPS",
            "help": "how far one sees, in typical steps (default: 10)",
        },
        "--lead": {
            "type": float,
            "default": 4.0,
            "metavar": "S",
            "help": "seconds until the search begins (default: 4)",
        },
        "--limit": {
            "type": float,
            "default": 60.0,
            "metavar": "S",
            "help": "seconds after which the search ends (default: 60)",
        },
    },
    chase_study,
)
