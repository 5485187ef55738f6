"""Recorded ants: forecasts of their places by a trail, against a uniform and a blurred density.

The recording is cut in two at half of its time. A map of the first half predicts the places of ants
in the second half, or a map up to now predicts their places in the next minute. All settings, such
as the evaporation of a trail, are chosen within the first half, which is split again; the second
half is used once.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import InfluenceMap, Trail
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from research.recordings.tracks import read_tracks
from research.shared.recorded import DATA_OPTIONS, data_folder, digest_of
from research.shared.statistics import Interval, mean, paired
from research.shared.study import Experiment, Job, Measure, Row, Study, Summary, Value, number
from research.trails.ant_walks import Walks, walks_of

HORIZONS = ("second half", "next minute")
SOURCES = ("all ants", "other ants", "the ant itself")
MODELS = ("uniform", "density", "trail")
MEASURES = (
    Measure("bits per point", mark=0.0),
    Measure("AUC", limits=(0.0, 1.0), mark=0.5),
    Measure("bits ahead of density", mark=0.0),
)

_MINUTE = 60.0
_FEWEST = 20
# What is chosen among: half-lives and seconds between two updates, each of which blurs; widths of
# the blur of the density, in cells; and the part of every map that is spread evenly, for walks
# where nobody has been.
HALF_LIVES = (60.0, 300.0, 1500.0, math.inf)
UPDATES = (5.0, 20.0, 60.0)
WIDTHS = (1.0, 2.0, 4.0, 8.0)
EVEN = (0.02, 0.1, 0.3, 0.6)

Floats = NDArray[np.float64]


def real_ants_study(
    tracks: str | Path | None = None,
    *,
    data: str | Path | None = None,
    size: tuple[float, float] = (35.0, 28.0),
    cell: float = 0.5,
) -> Study:
    """Return the study of `experiment real-ants`: each job is an ant, a map and a horizon.

    Parameters
    ----------
    tracks : str or Path, optional
        A folder of tracks, see `research.recordings.tracks.read_tracks`; by default the one in
        `data`.
    data : str or Path, optional
        The folder of recorded data.
    size : tuple[float, float], optional
        Width and height of the nest, with its corner at (0, 0), in the units of the tracks.
    cell : float, optional
        The side of a cell, in the same units.

    Raises
    ------
    BadTimeline
        For a folder without tracks.
    InvalidValue
        If fewer than two ants walk in both halves.
    """
    if tracks is None:
        folder = data_folder(data) / "trajectories" / "ants"
    else:
        folder = Path(tracks)
    wide, high = (checks.positive("size", side) for side in size)
    side = checks.positive("cell", cell)
    place: dict[str, Value] = {"tracks": str(folder), "width": wide, "height": high, "cell": side}
    walks = _walks(str(folder), wide, high, side)
    tested = [
        name
        for name, (when, _) in walks.ants.items()
        if np.count_nonzero(when >= walks.duration / 2) >= _FEWEST
    ]
    tuned = [
        name
        for name, (when, _) in walks.ants.items()
        if _between(when, walks.duration / 4, walks.duration / 2).sum() >= _FEWEST
    ]
    if len(tested) < 2 or len(tuned) < 2:
        raise InvalidValue(
            f"At least two ants come to {_FEWEST} cells in the second half, and two in the second"
            " quarter",
            got=f"{len(tested)} and {len(tuned)} of {len(walks.ants)}",
            remedy="Take a longer recording, or smaller cells",
        )
    jobs: list[Job] = [
        {**place, "ant": name, "map of": source, "predicts": horizon}
        for horizon in HORIZONS
        for source in SOURCES
        for name in tested
    ]
    return Study(
        "real-ants",
        "Recorded ants: does a trail say where they walk next?",
        "predictions",
        tuple(jobs),
        predict,
        summarise,
        {
            "sha256 of the tracks": digest_of(folder),
            "ants": len(walks.ants),
            "outside of the nest": round(walks.outside, 4),
        },
    )


def predict(job: Job) -> Row:
    """Return the scores of each model for one ant in the second half."""
    width, height, cell = (number(job, name) for name in ("width", "height", "cell"))
    found = _all_scores(str(job["tracks"]), width, height, cell)[
        str(job["map of"]), str(job["predicts"])
    ]
    row: dict[str, Any] = {}
    for model in MODELS:
        chosen, by_ant = found[model]
        bits, auc, count = by_ant[str(job["ant"])]
        row |= {
            f"bits of {model}": bits,
            f"AUC of {model}": auc,
            f"{model} chosen": chosen,
            "points": count,
        }
    return row


def summarise(rows: Sequence[Row]) -> Summary:
    """Return the means over ants with equal weights, for each map and horizon."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[f"{row['predicts']}, map of {row['map of']}"].append(row)
    found: dict[tuple[str, str, str], Interval] = {}
    for group, ants in groups.items():
        for model in MODELS:
            found[group, model, "bits per point"] = mean(
                [number(row, f"bits of {model}") for row in ants]
            )
            found[group, model, "AUC"] = mean([number(row, f"AUC of {model}") for row in ants])
        trail, density = (
            [number(row, f"bits of {model}") for row in ants] for model in ("trail", "density")
        )
        found[group, "trail", "bits ahead of density"] = paired(trail, density)
    chosen = {
        (row["predicts"], row["map of"]): f"{row['trail chosen']}; density: {row['density chosen']}"
        for row in rows
    }
    return Summary(
        tuple(groups),
        MODELS,
        MEASURES,
        found,
        (
            (
                "Bits per point: how much more of its map a model puts where an ant walks than"
                " uniform ground does, as log2 of the ratio"
            ),
            "AUC: how often the model has more where an ant walks than in a cell taken at random",
            *(
                f"Chosen within the first half for {horizon}, map of {source}: trail: {text}"
                for (horizon, source), text in chosen.items()
            ),
        ),
    )


# Walks


@lru_cache(maxsize=2)
def _walks(tracks: str, width: float, height: float, cell: float) -> Walks:
    return walks_of(read_tracks(tracks), width, height, cell)


# Maps: (minutes, cells), each as it stood at the end of a minute, the first at second 0


def _trails(walks: Walks, half_life: float, every: float) -> Iterator[tuple[str, Floats]]:
    """Return the trail of each ant. The trail of several ants is the sum of their trails."""
    per_minute = max(round(_MINUTE / every), 1)
    if math.isinf(half_life):
        kind = Trail(keep=1.0)
    else:
        kind = Trail(half_life=half_life)
    for name, (when, cells) in walks.ants.items():
        layer = InfluenceMap(walks.grid).add_layer("trail", kind, every=every)
        minutes = _minutes(walks)
        maps = np.zeros((minutes + 1, len(walks.grid)))
        ends = np.searchsorted(when, np.arange(1, minutes * per_minute + 1) * every)
        begun = 0
        for step, end in enumerate(ends.tolist(), start=1):
            if end > begun:
                layer.deposit_at(cells[begun:end])
            layer.step()
            begun = end
            if step % per_minute == 0:
                maps[step // per_minute] = layer.values.reshape(-1)
        yield name, maps


def _densities(walks: Walks, width: float) -> Iterator[tuple[str, Floats]]:
    """Return the number of visits of each ant to each cell so far, blurred by a Gaussian of a width
    in cells that ends at the border.
    """
    from scipy import ndimage

    for name, (when, cells) in walks.ants.items():
        counts = np.zeros((_minutes(walks) + 1, len(walks.grid)))
        np.add.at(
            counts,
            (np.minimum(when // _MINUTE, _minutes(walks) - 1).astype(np.int64) + 1, cells),
            1.0,
        )
        total = counts.cumsum(axis=0).reshape(-1, *walks.grid.shape)
        yield (
            name,
            ndimage.gaussian_filter(total, (0, width, width), mode="reflect").reshape(counts.shape),
        )


def _nothing(walks: Walks) -> Iterator[tuple[str, Floats]]:
    for name in walks.ants:
        yield name, np.zeros((_minutes(walks) + 1, len(walks.grid)))


def _minutes(walks: Walks) -> int:
    return max(int(walks.duration // _MINUTE), 1)


# Scores

Scores = dict[str, tuple[float, float, int]]


def scores(
    walks: Walks,
    maps: dict[str, Floats],
    source: str,
    horizon: str,
    even: float,
    span: tuple[float, float],
) -> Scores:
    """Return for each ant with enough points in a span of time: bits per point over a uniform
    forecast, AUC, and the number of points.

    `maps` are the maps of each ant. The forecast is the map at the beginning of the span, or for
    the next minute the map of the last whole minute before each point.
    """
    total = np.sum(list(maps.values()), axis=0)
    found = {}
    for name, (when, cells) in walks.ants.items():
        is_within = _between(when, *span)
        if is_within.sum() < _FEWEST:
            continue
        if source == "all ants":
            own = total
        else:
            if source == "the ant itself":
                own = maps[name]
            else:
                own = np.maximum(total - maps[name], 0.0)
        if horizon == "second half":
            minute = np.full(int(is_within.sum()), int(span[0] // _MINUTE))
        else:
            minute = (when[is_within] // _MINUTE).astype(np.int64)
        found[name] = _score(own, np.minimum(minute, len(own) - 1), cells[is_within], even)
    return found


def _score(
    maps: Floats, minute: NDArray[np.int64], cells: NDArray[np.int64], even: float
) -> tuple[float, float, int]:
    count = maps.shape[1]
    bits = np.empty(len(cells))
    wins = np.empty(len(cells))
    for each in np.unique(minute).tolist():
        total = float(maps[each].sum())
        if total > 0:
            density = (1 - even) * maps[each] / total + even / count
        else:
            density = np.full(count, 1 / count)
        here = density[cells[minute == each]]
        ranked = np.sort(density)
        bits[minute == each] = np.log2(here * count)
        wins[minute == each] = (
            np.searchsorted(ranked, here, "left") + np.searchsorted(ranked, here, "right")
        ) / (2 * count)
    return float(bits.mean()), float(wins.mean()), len(cells)


@lru_cache(maxsize=2)
def _all_scores(
    tracks: str, width: float, height: float, cell: float
) -> dict[tuple[str, str], dict[str, tuple[str, Scores]]]:
    """Return for each source and horizon, by model, the chosen settings and the scores of each ant
    in the second half.
    """
    walks = _walks(tracks, width, height, cell)
    end = walks.duration
    tuning = (end / 4, end / 2)
    testing = (end / 2, math.inf)
    best: dict[tuple[str, str, str], tuple[float, str, Scores]] = {}
    for model, text, make in _candidates():
        maps = dict(make(walks))
        for source in SOURCES:
            for horizon in HORIZONS:
                for even in (1.0,) if model == "uniform" else EVEN:
                    reached = scores(walks, maps, source, horizon, even, tuning)
                    value = float(np.mean([bits for bits, _, _ in reached.values()]))
                    if (source, horizon, model) not in best or value > best[source, horizon, model][
                        0
                    ]:
                        tested = scores(walks, maps, source, horizon, even, testing)
                        best[source, horizon, model] = (
                            value,
                            f"{text}, {even:.0%} even" if model != "uniform" else text,
                            tested,
                        )
    return {
        (source, horizon): {model: best[source, horizon, model][1:] for model in MODELS}
        for source in SOURCES
        for horizon in HORIZONS
    }


def _candidates() -> Iterator[tuple[str, str, Callable[[Walks], Iterator[tuple[str, Floats]]]]]:
    yield "uniform", "nothing", _nothing
    for width in WIDTHS:
        yield (
            "density",
            f"blurred by {width:g} cell{'' if width == 1 else 's'}",
            partial(_densities, width=width),
        )
    for half_life in HALF_LIVES:
        for every in UPDATES:
            if math.isinf(half_life):
                life = "no evaporation"
            else:
                life = f"half-life {half_life:g} s"
            yield (
                "trail",
                f"{life}, a blur each {every:g} s",
                partial(_trails, half_life=half_life, every=every),
            )


def _between(when: Floats, first: float, last: float) -> NDArray[np.bool_]:
    return np.asarray((when >= first) & (when < last))


EXPERIMENT = Experiment(
    "real-ants",
    "does a trail of recorded ants predict where ants walk next?",
    "Reads recorded tracks of ants, lays trails and blurred densities in the first half, and"
    " compares them with the walks of the second half.",
    {
        **DATA_OPTIONS,
        "--tracks": {
            "type": Path,
            "metavar": "DIR",
            "help": "a folder with a .txt for each ant: seconds, x, y (default: that of --data)",
        },
        "--size": {
            "type": float,
            "nargs": 2,
            "default": (35.0, 28.0),
            "metavar": ("W", "H"),
            "help": "the nest, from (0, 0), in the units of the tracks (default: 35 28)",
        },
        "--cell": {
            "type": float,
            "default": 0.5,
            "metavar": "C",
            "help": "the side of a cell, in the same units (default: 0.5)",
        },
    },
    real_ants_study,
)
