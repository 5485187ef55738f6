"""Recorded pedestrians: predictions of walking directions from a trail.

The recording is cut in two at half of its time. The trail of the first half predicts the directions
of the second half; or the trail up to now predicts directions two seconds ahead. Half-life and blur
are chosen within the first half, which is split again; the second half is used once.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import InfluenceMap, Trail
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from research.recordings.tracks import read_pedestrians
from research.shared.recorded import DATA_OPTIONS, data_folder, digest_of
from research.shared.statistics import Interval, mean, paired
from research.shared.study import Experiment, Job, Measure, Row, Study, Summary, Value, number
from research.trails.pedestrian_walks import AHEAD, PLACES, STEP, Walks, ground_of, walks_of

HORIZONS = ("second half", "2 s ahead")
MODELS = ("one direction", "no blur", "trail", "their own before")
MEASURES = (
    Measure("degrees off", mark=90.0),
    Measure("within 30 degrees", percent=True, limits=(0.0, 1.0)),
    Measure("degrees saved"),
)

_FEWEST = 5
HALF_LIVES = (5.0, 20.0, math.inf)
UPDATES = (0.4, 2.0, 10.0)
BLURS = (1, 3, 7)

Floats = NDArray[np.float64]


def pedestrians_study(
    recordings: Iterable[str | Path] = (),
    *,
    data: str | Path | None = None,
    cell: float = 0.2,
    frames_per_second: float | None = None,
    unit: str | None = None,
) -> Study:
    """Return the study of `experiment pedestrians`: each job is a person and a horizon.

    Parameters
    ----------
    recordings : Iterable[str | Path], optional
        Files of trajectories, see `research.recordings.tracks.read_pedestrians`; by default the
        three of `data`. The walls of the recordings in `PLACES` are known.
    data : str or Path, optional
        The folder of recorded data.
    cell : float, optional
        The side of a cell, in meters.
    frames_per_second, unit : float / str, optional
        Needed for files that do not state them.

    Raises
    ------
    BadTimeline
        For a file that is no recording.
    InvalidValue
        If fewer than two people walk in the second half.
    """
    files = list(recordings)
    if not files:
        files = [data_folder(data) / "trajectories" / "pedestrians" / name for name in PLACES]
    side = checks.positive("cell", cell)
    jobs: list[Job] = []
    digests: dict[str, Value] = {}
    for file in dict.fromkeys(map(Path, files)):
        place: dict[str, Value] = {
            "recording": str(file),
            "cell": side,
            "frames per second": frames_per_second,
            "unit": unit,
        }
        walks = _walks(str(file), side, frames_per_second, unit)
        people = _walkers_between(walks, walks.duration / 2, math.inf)
        if len(people) < 2 or not len(
            _walkers_between(walks, walks.duration / 4, walks.duration / 2)
        ):
            raise InvalidValue(
                f"At least two people take {_FEWEST} steps in the second half, and one in the"
                " second quarter",
                got=f"{len(people)} in {file.name}",
                remedy="Take a longer recording",
            )
        jobs += [
            {**place, "person": int(person), "predicts": horizon}
            for horizon in HORIZONS
            for person in people
        ]
        digests[f"sha256 of {file.name}"] = digest_of(file)
    title = "Recorded pedestrians: does a trail say which way the next ones walk?"
    return Study("pedestrians", title, "predictions", tuple(jobs), predict, summarise, digests)


def predict(job: Job) -> Row:
    """Return the mean error of each model for one person, over the steps in the second half."""
    rate = job["frames per second"]
    unit = job["unit"]
    given = (
        None if rate is None else number(job, "frames per second"),
        None if unit is None else str(unit),
    )
    chosen, found = _all_angles(str(job["recording"]), number(job, "cell"), *given)[
        str(job["predicts"])
    ]
    row: dict[str, Any] = {"chosen": chosen}
    for model in MODELS:
        off = found[model].get(checks.integer("A person", job["person"]))
        row[f"degrees off, {model}"] = None if off is None else off[0]
        if off is None:
            row[f"within 30 degrees, {model}"] = None
        else:
            row[f"within 30 degrees, {model}"] = off[1]
    return row


def summarise(rows: Sequence[Row]) -> Summary:
    """Return the means over people with equal weights, for each recording and horizon."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        file = Path(str(row["recording"])).name
        groups[f"{PLACES[file].name if file in PLACES else file}, {row['predicts']}"].append(row)
    found: dict[tuple[str, str, str], Interval] = {}
    for group, people in groups.items():
        for model in MODELS:
            for measure in ("degrees off", "within 30 degrees"):
                known = [
                    number(row, f"{measure}, {model}")
                    for row in people
                    if row[f"{measure}, {model}"] is not None
                ]
                if known:
                    found[group, model, measure] = mean(known)
        one, trail = (
            [number(row, f"degrees off, {model}") for row in people]
            for model in ("one direction", "trail")
        )
        found[group, "trail", "degrees saved"] = paired(one, trail)
    return Summary(
        tuple(groups),
        MODELS,
        MEASURES,
        found,
        (
            (
                "Degrees off: the angle between where a person went in 0.4 s and what the model"
                " says there; degrees saved: by the trail against one direction for all"
            ),
            *(
                f"Chosen within the first half for {group}: {people[0]['chosen']}"
                for group, people in groups.items()
            ),
        ),
    )


# Walks


@lru_cache(maxsize=4)
def _walks(recording: str, cell: float, frames_per_second: float | None, unit: str | None) -> Walks:
    file = Path(recording)
    place = PLACES.get(file.name)
    if frames_per_second is not None or place is None:
        rate = frames_per_second
    else:
        rate = place.frames_per_second
    timeline = read_pedestrians(
        file, frames_per_second=rate, unit=unit if unit is not None or place is None else place.unit
    )
    return walks_of(timeline, ground_of(timeline, place, cell))


def _walkers_between(walks: Walks, first: float, last: float) -> NDArray[np.int64]:
    """Return the people with enough steps in a span of time."""
    people, steps = np.unique(
        walks.who[(walks.when >= first) & (walks.when < last)], return_counts=True
    )
    return np.asarray(people[steps >= _FEWEST])


# Fields


def _field(
    walks: Walks, half_life: float, every: float, blur: int, until: float, ahead: bool
) -> Iterator[tuple[float, NDArray[np.float32]]]:
    """Return the vectors (cells, 2) of a trail and the moment of each; without `ahead` only the
    last before `until`, with it all from there.
    """
    if math.isinf(half_life):
        kind = Trail(keep=1.0, vector=True, blur=blur)
    else:
        kind = Trail(half_life=half_life, vector=True, blur=blur)
    layer = InfluenceMap(walks.grid).add_layer("flow", kind, every=every)
    if ahead:
        last = walks.duration
    else:
        last = until
    steps = max(int(last / every + 1e-9), 1)
    ends = np.searchsorted(walks.when + STEP, np.arange(1, steps + 1) * every + 1e-9)
    begun = 0
    for step, end in enumerate(ends.tolist(), start=1):
        if end > begun:
            layer.deposit_at(walks.cells[begun:end], walks.steps[begun:end])
        layer.step()
        begun = end
        if (ahead and step * every >= until - AHEAD * STEP - every) or step == steps:
            yield step * every, layer.vectors.reshape(-1, 2).copy()


Angles = dict[int, tuple[float, float]]


def angles(walks: Walks, forecast: Floats, is_step: NDArray[np.bool_]) -> Angles:
    """Return for each person the mean angle in degrees between the steps and their forecast, and
    the share within 30 degrees.

    `forecast` are vectors (forecast steps, 2); steps without a forecast (NaN) and people with too
    few steps are left out.
    """
    steps = walks.steps[is_step]
    who = walks.who[is_step]
    known = ~np.isnan(forecast[:, 0])
    turns = np.degrees(
        np.abs(
            np.angle(
                np.exp(
                    1j
                    * (
                        np.arctan2(forecast[:, 1], forecast[:, 0])
                        - np.arctan2(steps[:, 1], steps[:, 0])
                    )
                )
            )
        )
    )
    found = {}
    for person in np.unique(who).tolist():
        own = turns[(who == person) & known]
        if len(own) >= _FEWEST:
            found[person] = (float(own.mean()), float((own <= 30).mean()))
    return found


def _forecast(
    walks: Walks,
    settings: tuple[float, float, int],
    horizon: str,
    begin: float,
    is_step: NDArray[np.bool_],
) -> Floats:
    """Return the forecast of a field for some steps; in empty cells, the mean direction before."""
    forecast = np.zeros((int(is_step.sum()), 2))
    when = walks.when[is_step]
    cells = walks.cells[is_step]
    if horizon == "second half":
        *_, (_, vectors) = _field(walks, *settings, begin, False)
        forecast[:] = vectors[cells]
    else:
        for moment, vectors in _field(walks, *settings, begin, True):
            later = when - AHEAD * STEP >= moment - 1e-9
            forecast[later] = vectors[cells[later]]
    nothing = np.hypot(forecast[:, 0], forecast[:, 1]) == 0
    forecast[nothing] = _one_direction(walks, begin)
    return forecast


def _one_direction(walks: Walks, until: float) -> Floats:
    steps = walks.steps[walks.when < until]
    return np.asarray((steps / np.hypot(steps[:, 0], steps[:, 1])[:, np.newaxis]).mean(axis=0))


@lru_cache(maxsize=4)
def _all_angles(
    recording: str, cell: float, frames_per_second: float | None, unit: str | None
) -> dict[str, tuple[str, dict[str, Angles]]]:
    """Return for each horizon the chosen settings, and by model the error for each person in the
    second half.
    """
    walks = _walks(recording, cell, frames_per_second, unit)
    quarter = walks.duration / 4
    half = walks.duration / 2
    tuning = (walks.when >= quarter) & (walks.when < half)
    testing = walks.when >= half
    answer = {}
    for horizon in HORIZONS:

        def off(settings: tuple[float, float, int], horizon: str = horizon) -> float:
            return float(
                np.mean(
                    [
                        off
                        for off, _ in angles(
                            walks, _forecast(walks, settings, horizon, quarter, tuning), tuning
                        ).values()
                    ]
                )
            )

        best = min(
            ((life, every, blur) for life in HALF_LIVES for every in UPDATES for blur in BLURS),
            key=off,
        )
        raw = min(((life, UPDATES[0], 1) for life in HALF_LIVES), key=off)
        if math.isinf(best[0]):
            life = "no evaporation"
        else:
            life = f"half-life {best[0]:g} s"
        found = {
            "one direction": angles(
                walks, np.tile(_one_direction(walks, half), (int(testing.sum()), 1)), testing
            ),
            "no blur": angles(walks, _forecast(walks, raw, horizon, half, testing), testing),
            "trail": angles(walks, _forecast(walks, best, horizon, half, testing), testing),
            "their own before": (
                angles(walks, walks.before[testing], testing) if horizon != "second half" else {}
            ),
        }
        answer[horizon] = (f"{life}, blur {best[2]} each {best[1]:g} s", found)
    return answer


EXPERIMENT = Experiment(
    "pedestrians",
    "does a trail of recorded people predict which way others walk?",
    "Reads recorded trajectories of pedestrians, lays trails of directions, and compares them with"
    " the directions of those that walk later.",
    {
        **DATA_OPTIONS,
        "--recording": {
            "dest": "recordings",
            "type": Path,
            "action": "append",
            "default": [],
            "metavar": "FILE",
            "help": "trajectories as PeTrack writes them; repeatable (default: those of --data)",
        },
        "--cell": {
            "type": float,
            "default": 0.2,
            "metavar": "C",
            "help": "the side of a cell in meters (default: 0.2)",
        },
        "--fps": {
            "dest": "frames_per_second",
            "type": float,
            "metavar": "N",
            "help": "frames a second, for files that do not state it",
        },
        "--unit": {"choices": ("m", "cm"), "help": "of positions, for files without one"},
    },
    pedestrians_study,
)
