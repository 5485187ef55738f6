"""Layers with fitted parameters against layers set by hand, on unseen recordings.

`python -m research.learned matches` (or `ants`, `people`) prints bits per event relative to chance
for matches and ants, and to habit for people. "By hand" only the weights of the formula are fitted;
"fitted" also the reaches and half-lives.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import fieldcraft as fc
from fieldcraft.fitting import Fitted, LayerModel, Recorded
from fieldcraft.formats.recordings import TimelineBuilder
from fieldcraft.kernels.shared.arrays import Floats
from research.fights.fight_features import DISTANCES, moments_of
from research.fights.matches import ALL, WINDOW, Match, read_match
from research.recordings.forecasts import fit_places, score_places
from research.recordings.tracks import read_pedestrians, read_tracks
from research.shared.recorded import data_folder
from research.shared.statistics import Interval, mean, paired
from research.trails.ant_walks import walks_of
from research.trails.pedestrian_walks import PLACES, STEP, Walks, ground_of
from research.trails.pedestrian_walks import walks_of as steps_of

KINDS = ("by hand", "fitted")
EVEN = 0.02
"""The share of all chances that is spread evenly, so that no place has none."""
PENALTY = 0.003
MINUTE = 60.0
FEWEST = 20
TURNS = np.radians([-50, -25, 0, 25, 50])
AHEAD = 3
ASKED = 600
"""How many steps of a person lead to the place that is predicted, and how many are asked about."""
Rows = dict[str, list[float]]


@dataclass(frozen=True)
class Model:
    """A formula over layers, with parameters set by hand."""

    formula: str
    layers: Mapping[str, LayerModel]
    weights: Mapping[str, float]

    def found(self, known: Sequence[Recorded]) -> tuple[Fitted, Fitted]:
        """Return the parameters by hand with fitted weights, and all parameters fitted."""
        hand = {x for name, each in self.layers.items() for x in each.start(name)}
        both = [
            fc.fit(self.formula, self.layers, known, self.weights, fixed=held, penalty=PENALTY)
            for held in (hand, ())
        ]
        for each in both:
            numbers = [f"{name} {value:.3g}" for name, value in each.parameters.items()]
            print("  ", *numbers, sep="  ", flush=True)
        return both[0], both[1]


def gains(found: Fitted, tested: Recorded) -> Floats:
    """Return the bits of each event of a recording relative to chance."""
    counts = tested.options.sum(axis=1, keepdims=True)
    bits = np.log2((1 - EVEN) * found.chances(tested) * counts + EVEN)
    return np.repeat(bits.reshape(-1), tested.happened.reshape(-1).astype(int))


def show(rows: Rows) -> None:
    """Print the means, and the lead of fitted parameters."""
    for name, values in rows.items():
        print(f"{name:40s} {_written(mean(values))}")
        if name.endswith("fitted"):
            hand = rows[name.replace("fitted", "by hand")]
            print(f"{'    ahead of by hand':40s} {_written(paired(values, hand))}")
            for other in ("distances",) if "distances" in rows else ():
                print(f"{'    ahead of ' + other:40s} {_written(paired(values, rows[other]))}")


def _written(found: Interval) -> str:
    return f"{found.value:5.2f} [{found.low:.2f}, {found.high:.2f}]"


# Matches of StarCraft II


def _of_players(kind: fc.Spread, use: str, half_life: float | None) -> list[LayerModel]:
    """Return the layers of one use of units, one for each player, with the same numbers."""
    groups = [f"player {number} {use}" for number in (1, 2)]
    return [LayerModel(kind, [group], half_life, shared=use) for group in groups]


def _both(weight: str, a: str, b: str) -> str:
    logs = f"log({a} + 1e-6), log({b} + 1e-6)"
    return f"{weight}1 * min({logs}) + {weight}2 * max({logs})"


_SPREAD = fc.Spread(decay=0.2, pin=False)
_ARMIES = dict(zip("ab", _of_players(_SPREAD, "army", 30.0), strict=True))
_HALLS = dict(zip("cd", _of_players(_SPREAD, "halls", None), strict=True))
_LOST = LayerModel(fc.Radial(16.0, "gaussian", metric="straight"), ["losses"], 60.0, past=True)
MATCHES = {
    "armies": Model(_both("army", "a", "b"), _ARMIES, {"army1": 1.0, "army2": 0.1}),
    "armies, halls, losses": Model(
        f"{_both('army', 'a', 'b')} + {_both('hall', 'c', 'd')} + last * log(lost + 0.01)",
        {**_ARMIES, **_HALLS, "lost": _LOST},
        {"army1": 1.0, "army2": 0.1, "hall1": 0.1, "hall2": 0.1, "last": 0.1},
    ),
}


def recorded_match(match: Match) -> Recorded:
    """Return the losses of the 30 seconds after each moment, and the data known until then."""
    builder = TimelineBuilder()
    for use in ("army", "assets", "halls"):
        each = getattr(match, use)
        for row, (x, y) in enumerate(each.positions.tolist()):
            builder.add(
                each.seconds[row],
                f"{use} {each.ids[each.entities[row]]}",
                f"{each.groups[each.group_of[row]]} {use}",
                None if np.isnan(x) else (x, y),
                each.strengths[row],
                age=each.ages[row],
            )
    for row, (x, y) in enumerate(match.losses.positions.tolist()):
        builder.add(match.losses.seconds[row], f"loss {row}", "losses", (x, y))
    ahead = [(now, match.losses.between(now, now + WINDOW)) for now in match.moments()]
    seconds = np.concatenate([np.full(len(each), now) for now, each in ahead])
    where = np.concatenate([each.positions for _, each in ahead])
    return Recorded.events(match.grid, builder.build(), seconds, where)


def study_matches(data: Path) -> None:
    """Predict each match from the others."""
    matches = []
    for file in sorted((data / "sc2" / "events").glob("*.csv")):
        grid = data / "sc2" / "grids" / f"{file.stem.split('_')[0]}.npz"
        matches.append(read_match(file, grid if grid.is_file() else None))
    recordings = [recorded_match(match) for match in matches]
    moments = [list(moments_of(match, ALL)) for match in matches]
    tables = [[each.table(DISTANCES, {}) for each in several] for several in moments]
    lost = [[each.lost for each in several] for several in moments]
    rows: Rows = {}
    for held, tested in enumerate(recordings):
        print(matches[held].name)
        others = [index for index in range(len(matches)) if index != held]
        for name, model in MATCHES.items():
            both = model.found([recordings[index] for index in others])
            for kind, found in zip(KINDS, both, strict=True):
                rows.setdefault(f"{name}, {kind}", []).append(float(gains(found, tested).mean()))
        straight = fit_places(
            [each for index in others for each in tables[index]],
            [each for index in others for each in lost[index]],
        )
        score = score_places([straight.chances(each) for each in tables[held]], lost[held])
        rows.setdefault("distances", []).append(score.bits)
    show(rows)


# Ants

_TRAIL = fc.Radial(2.0, "gaussian", metric="straight")
ANTS = Model(
    "mine * log(own + 0.1) + theirs * log(others + 0.1)",
    {
        "own": LayerModel(_TRAIL, ["own"], 300.0, past=True),
        "others": LayerModel(_TRAIL, ["others"], 300.0, past=True),
    },
    {"mine": 0.5, "theirs": 0.1},
)


def study_ants(data: Path) -> None:
    """Predict the places of each ant in the next minute from the trails until then."""
    walks = walks_of(read_tracks(data / "trajectories" / "ants"), 35.0, 28.0, 1.0)

    def recorded(ant: str, first: float, last: float) -> Recorded | None:
        when, cells = walks.ants[ant]
        inside = (when >= first) & (when < last)
        if inside.sum() < FEWEST:
            return None
        builder = TimelineBuilder()
        for name, (seconds, places) in walks.ants.items():
            group = "own" if name == ant else "others"
            for row, (now, place) in enumerate(zip(seconds, places.tolist(), strict=True)):
                builder.add(now, f"{name} {row}", group, tuple(walks.grid.position_of(place)))
        minutes = np.maximum(when[inside] // MINUTE * MINUTE - 1e-6, 0)
        where = walks.grid.position_of(cells[inside])
        return Recorded.events(walks.grid, builder.build(), minutes, where)

    half = walks.duration / 2
    rows: Rows = {}
    known = [recorded(ant, half / 2, half) for ant in walks.ants]
    both = ANTS.found([each for each in known if each is not None])
    for tested in [recorded(ant, half, np.inf) for ant in walks.ants]:
        for kind, found in zip(KINDS, both, strict=True):
            if tested is not None:
                rows.setdefault(f"trails, {kind}", []).append(float(gains(found, tested).mean()))
    show(rows)


# People

PEOPLE = Model(
    "follow * log(trail + 0.1) + shy * crowd",
    {
        "trail": LayerModel(fc.Radial(0.6, "gaussian", metric="straight"), ["people"], 20.0, True),
        "crowd": LayerModel(fc.Radial(1.0, "linear", metric="straight"), ["people"]),
    },
    {"follow": 0.3, "shy": -0.1},
)


def study_people(data: Path) -> None:
    """Predict turns of people, one of five directions, from the paths and places of others."""
    rows: Rows = {}
    for file, place in PLACES.items():
        timeline = read_pedestrians(
            data / "trajectories" / "pedestrians" / file,
            frames_per_second=place.frames_per_second,
            unit=place.unit,
        )
        walks = steps_of(timeline, ground_of(timeline, place, 0.2))
        quarter = walks.duration / 4
        half = walks.duration / 2
        known, habit = recorded_people(walks, quarter, half)
        tested, _ = recorded_people(walks, half, np.inf, habit)
        for kind, found in zip(KINDS, PEOPLE.found([known]), strict=True):
            rows[f"{place.name}, {kind}"] = gains(found, tested).tolist()
    show(rows)


def recorded_people(
    walks: Walks, first: float, last: float, habit: Floats | None = None
) -> tuple[Recorded, Floats]:
    """Return some turns of people, weighted by the frequency of each turn, and the frequencies: the
    argument, or measured here.
    """
    builder = TimelineBuilder()
    at = walks.grid.position_of(walks.cells)
    for row in range(len(walks.when)):
        name = str(int(walks.who[row]))
        builder.add(walks.when[row], name, "people", tuple(at[row].tolist()))
    rows = []
    for person in np.unique(walks.who):
        own = np.flatnonzero(walks.who == person)
        builder.add(walks.when[own[-1]] + STEP, str(int(person)))
        inside = (walks.when[own] >= first) & (walks.when[own] < last)
        inside[:1] = inside[len(own) - AHEAD :] = False
        rows += [(own[each - 1], own[each], own[each + AHEAD]) for each in np.flatnonzero(inside)]
    rng = np.random.default_rng(1)
    picked = np.array(rows)[np.sort(rng.permutation(len(rows))[:ASKED])]
    heading = walks.steps[picked[:, 0]]
    gone = at[picked[:, 2]] - at[picked[:, 1]]
    angles = np.arctan2(heading[:, 1], heading[:, 0])[:, None] + TURNS
    length = np.hypot(*gone.T)[:, None]
    spots = np.stack([np.cos(angles) * length, np.sin(angles) * length], axis=2)
    turned = np.argmin(((spots - gone[:, None]) ** 2).sum(axis=2), axis=1)
    candidates = at[picked[:, 1], None] + spots
    seconds = walks.when[picked[:, 1]]
    timeline = builder.build()
    found = Recorded.choices(walks.grid, timeline, seconds, list(candidates), turned)
    if habit is None:
        usual = np.bincount(turned, minlength=len(TURNS)).astype(np.float64) + 1
    else:
        usual = habit
    options = np.zeros_like(found.options)
    for row, each in enumerate(np.argsort(seconds, kind="stable")):
        cells = walks.grid.nearest_open(walks.grid.cell_at(candidates[each], outside="clamp"))
        np.add.at(options[row], np.searchsorted(found.cells, cells), usual / usual.sum())
    return replace(found, options=options), usual


STUDIES: dict[str, Callable[[Path], None]] = {
    "matches": study_matches,
    "ants": study_ants,
    "people": study_people,
}


def main() -> None:
    """Print the table of one study."""
    parser = argparse.ArgumentParser(prog="python -m research.learned", description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--data", type=Path, help="the folder of recorded data")
    chosen = parser.parse_args()
    STUDIES[chosen.study](data_folder(chosen.data))


if __name__ == "__main__":
    main()
