"""Turnovers: does an influence map of a football match know where the ball is lost in the next five
    seconds?

Every second of a recording it is asked where the ball will pass to the other team within five
seconds. The recording is cut into blocks of half a minute; each is foretold by forecasts that are
fitted to the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft import InfluenceMap, Radial, Spread
from fieldcraft.errors import InvalidValue
from fieldcraft.recordings import fit_places, pitch, read_football, read_turnovers, score_places
from research.experiments.experiment import Experiment
from research.experiments.moments import Moment
from research.experiments.pitch_control import pitch_control
from research.experiments.recorded import add_data_argument, data_folder, digest_of
from research.experiments.statistics import Interval, mean, paired
from research.experiments.study import Job, Measure, Row, Study, Summary, Value, number, whole

__all__ = [
    "EXPERIMENT",
    "MEASURES",
    "MODELS",
    "asked_of",
    "foretell",
    "summarise",
    "turnovers_study",
]

Floats = NDArray[np.float64]

TEAMS = ("home", "away")
BEST = "all baselines"
MEASURES = (
    Measure("bits per turnover", mark=0.0),
    Measure("AUC", limits=(0.0, 1.0), mark=0.5),
    Measure("ahead of all baselines", mark=0.0),
)
WINDOW = 5.0
BLOCK = 30.0
_CELL = 2.5
_REACH = 10.0  # metres that a player's influence reaches
_DECAY = 0.2
_FAINTEST = 1e-6
_AHEAD = 2.0  # seconds that the ball is carried on
_BEFORE = 0.4  # seconds over which it is seen how ball and players move
_NEAR = 2.0
_BLUR = 8.0  # metres that a turnover elsewhere is spread over
_NO_DENSITY = 0.01
_PATH = Path("trajectories") / "football" / "anon_match_25hz_frames1-6000.csv"

ELSEWHERE = "turnovers elsewhere"
CONTROL = "pitch control"
LAYERS = ("tension", "influence", "contested", "spread of both teams", "spread of a team")
_BALL = ("the ball", "the ball's way")
_BASELINES = (*_BALL, "nearest opponents", ELSEWHERE)
MODELS: Mapping[str, tuple[str, ...]] = {
    "uniform": (),
    "the ball": ("the ball",),
    "the ball and its way": _BALL,
    "nearest opponents": ("nearest opponents",),
    "turnovers elsewhere": (ELSEWHERE,),
    BEST: _BASELINES,
    "contested": ("contested",),
    "all layers": LAYERS,
    CONTROL: (CONTROL,),
    "the ball, contested": (*_BALL, "contested"),
    "the ball, pitch control": (*_BALL, CONTROL),
    "the ball, all layers": (*_BALL, *LAYERS),
    "everything": (*_BASELINES, *LAYERS, CONTROL),
}


def turnovers_study(path: Path) -> Study:
    """The study behind `fieldcraft experiment turnovers`: `path` is a wide tracking table with
    possession, as `read_turnovers` takes it.
    """
    asked, _ = _read(str(path))
    blocks = sorted({int(each.seconds // BLOCK) for each in asked})
    if len(blocks) < 2:
        raise InvalidValue(
            "A recording has turnovers in two half minutes at least",
            got=str(len(blocks)),
            remedy="Take a longer one",
        )
    jobs: tuple[Job, ...] = tuple({"recording": str(path), "block": block} for block in blocks)
    settings: dict[str, Value] = {path.name: digest_of(path)}
    return Study(
        "turnovers",
        "Where the ball is lost in the next five seconds",
        "half minutes",
        jobs,
        foretell,
        summarise,
        settings,
    )


def foretell(job: Job) -> Row:
    """The scores of all models on one half minute, fitted to the others; moments whose windows
    reach into it are left out of those.
    """
    asked, places = _read(str(job["recording"]))
    block = whole(job, "block")
    begin, end = block * BLOCK, (block + 1) * BLOCK
    held = [each for each in asked if begin <= each.seconds < end]
    others = [
        each for each in asked if each.seconds + WINDOW < begin or each.seconds >= end + WINDOW
    ]
    row: dict[str, Value] = {"moments": len(held)}
    known, asked_about = (
        [{ELSEWHERE: _elsewhere(places, others, each)} for each in moments]
        for moments in (others, held)
    )
    for model, names in MODELS.items():
        tables = [each.table(names, more) for each, more in zip(others, known, strict=True)]
        fitted = fit_places(tables, [each.lost for each in others])
        chances = [
            fitted.chances(each.table(names, more))
            for each, more in zip(held, asked_about, strict=True)
        ]
        score = score_places(chances, [each.lost for each in held])
        row |= {f"{model} bits": score.bits, f"{model} AUC": score.auc}
    return row


def summarise(rows: Sequence[Row]) -> Summary:
    """The mean over half minutes of bits per turnover and AUC, each half minute counting as
    much.
    """
    series = ("all players",)
    found: dict[tuple[str, str, str], Interval] = {}
    for model in MODELS:
        bits, best = ([number(row, f"{name} bits") for row in rows] for name in (model, BEST))
        found[model, series[0], "bits per turnover"] = mean(bits)
        found[model, series[0], "AUC"] = mean([number(row, f"{model} AUC") for row in rows])
        if model not in ("uniform", BEST):
            found[model, series[0], "ahead of all baselines"] = paired(bits, best)
    note = (
        "Half minutes of one match are not independent of each other: the intervals are rather too"
        " narrow"
    )
    return Summary(tuple(MODELS), series, MEASURES, found, (note,))


def asked_of(path: Path) -> tuple[list[Moment], Floats]:
    """Every second of a recording that has turnovers in the window after it, and the places of the
    cells, (C, 2) in metres.
    """
    players, lost = read_football(path, ball=True), read_turnovers(path)
    grid = pitch(margin=2.0, cell_size=_CELL)
    places = grid.position_of(np.arange(len(grid)))
    imap = InfluenceMap(grid)
    teams = imap.add_teams(TEAMS, Radial(_REACH, "linear"))
    spreads = [
        imap.add_layer(f"spread of {team}", Spread(_DECAY, 1.0, floor=_FAINTEST / 10))
        for team in TEAMS
    ]
    play, before = players.play(), players.play()

    def told() -> Iterator[Moment]:
        for moment in np.arange(1.0, players.duration, 1.0).tolist():
            ahead = lost.between(moment, moment + WINDOW)
            if not len(ahead):
                continue
            play.advance_to(moment)
            players_now = [play.living(team) for team in TEAMS]
            sides = [each.positions for each in players_now]
            for team, spread, side in zip(TEAMS, spreads, sides, strict=True):
                for layer in (teams[team], spread):
                    layer.sync(range(len(side)), side, outside="clamp")
                spread.settle()
            imap.step()
            ball, earlier = (
                each.living("ball").positions
                for each in (play, before.advance_to(moment - _BEFORE))
            )
            if not len(ball) or not len(earlier):
                continue
            on = ball[0] + (ball[0] - earlier[0]) / _BEFORE * _AHEAD
            players_then = [before.living(team) for team in TEAMS]
            home, away = (
                _velocities(now.keys, now.positions, then.keys, then.positions)
                for now, then in zip(players_now, players_then, strict=True)
            )
            control = pitch_control(places, (sides[0], sides[1]), (home, away), ball[0])
            logs = [
                np.log(spread.values.reshape(-1).astype(np.float64) + _FAINTEST)
                for spread in spreads
            ]
            gaps = ((sides[0][:, None] - sides[1][None]) ** 2).sum(axis=2)
            one, other = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
            features = {
                "tension": _flat(teams.tension().values),
                "influence": np.abs(_flat(teams.influence(TEAMS[0]).values)),
                "contested": _flat(teams.contested().values),
                "spread of both teams": np.minimum(*logs),
                "spread of a team": np.maximum(*logs),
                "the ball": _closeness(places, ball[0]),
                "the ball's way": _closeness(places, on),
                CONTROL: 4 * control * (1 - control),
                "nearest opponents": _closeness(places, (sides[0][one] + sides[1][other]) / 2),
            }
            yield Moment(
                moment,
                features,
                np.atleast_1d(grid.cell_at(ahead.positions, outside="clamp")).astype(np.int64),
            )

    return list(told()), places


def _velocities(
    keys: NDArray[np.int64], now: Floats, keys_before: NDArray[np.int64], before: Floats
) -> Floats:
    """How players move, (N, 2) metres a second; 0 for who was not there before."""
    moves = np.zeros_like(now)
    _, here, there = np.intersect1d(keys, keys_before, assume_unique=True, return_indices=True)
    moves[here] = (now[here] - before[there]) / _BEFORE
    return moves


@lru_cache(maxsize=2)
def _read(path: str) -> tuple[list[Moment], Floats]:
    return asked_of(Path(path))


def _elsewhere(places: Floats, others: Sequence[Moment], asked: Moment) -> Floats:
    """The logarithm of how many turnovers other half minutes had in each cell, blurred."""
    cells = [
        cell
        for each in others
        if each.seconds // BLOCK != asked.seconds // BLOCK
        for cell in each.lost.tolist()
    ]
    counts = np.bincount(cells, minlength=len(places)).astype(np.float64)
    there = np.flatnonzero(counts)
    gaps = ((places[:, None] - places[None, there]) ** 2).sum(axis=2)
    return np.asarray(
        np.log(np.exp(-gaps / (2 * _BLUR**2)) @ counts[there] / max(len(cells), 1) + _NO_DENSITY)
    )


def _flat(values: NDArray[np.float32]) -> Floats:
    return values.reshape(-1).astype(np.float64)


def _closeness(places: Floats, point: Floats) -> Floats:
    return np.asarray(-np.log1p(np.hypot(*(places - point).T) / _NEAR))


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    parser.add_argument(
        "--recording",
        type=Path,
        metavar="FILE",
        help="a wide tracking table with possession (default: that of --data)",
    )


def _study(chosen: argparse.Namespace) -> Study:
    return turnovers_study(
        chosen.recording if chosen.recording is not None else data_folder(chosen.data) / _PATH
    )


EXPERIMENT = Experiment(
    "turnovers",
    "do contested ground and pitch control say where a football team loses the ball in the next"
    " five seconds?",
    "Reads a recorded football match, draws layers of influence of both teams, and asks where the"
    " ball is lost in the next five seconds; against the place of the ball itself.",
    "fieldcraft experiment turnovers --data data --out out/turnovers",
    _arguments,
    _study,
)
