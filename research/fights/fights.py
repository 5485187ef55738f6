"""Fights: forecasts of the places of losses in recorded matches by influence maps.

Every ten seconds of a match, models predict the cells of the losses of the next 30 seconds from the
knowledge then. They are fitted to all other matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats
from research.fights.fight_features import ASKED, ELSEWHERE, MODELS, PARTS, density, moments_of
from research.fights.matches import ALL, PLAYERS, VIEWS, Match, read_match
from research.fights.moments import Moment
from research.recordings.forecasts import PlaceModel, fit_places, score_places
from research.recordings.replay import REPLAY, write_replay_table
from research.shared.recorded import DATA_OPTIONS, data_folder, digest_of
from research.shared.statistics import Interval, mean, paired
from research.shared.study import Experiment, Job, Measure, Row, Study, Summary, Value, number

ONE = "one player's"
BEST = "all baselines"
WHOLE = "everything"
MEASURES = (
    Measure("bits per loss", mark=0.0),
    Measure("AUC", limits=(0.0, 1.0), mark=0.5),
    Measure("ahead of all baselines", mark=0.0),
)
ADDS = Measure("bits that it adds", mark=0.0)


def fights_study(
    replays: Sequence[Path] = (),
    *,
    data: str | Path | None = None,
    only: bool = False,
    grids: Path | None = None,
) -> Study:
    """Return the study of `experiment fights`.

    Parameters
    ----------
    replays : Sequence[Path], optional
        Tables of matches, or replays.
    data : str or Path, optional
        The folder of recorded data; its matches are used too.
    only : bool, optional
        Whether to use only the replays. Each match is predicted from the others, so two or more are
        needed.
    grids : Path, optional
        A folder of maps. The map of a match has the first part of the match's name, up to an
        underscore; by default the maps of `data`.

    Raises
    ------
    InvalidValue
        For fewer than two matches, and for two of the same name.
    """
    events = list(replays)
    if not only:
        home = data_folder(data) / "sc2"
        events = sorted((home / "events").glob("*.csv")) + events
        grids = home / "grids" if grids is None else grids
    if len(events) < 2:
        raise InvalidValue(
            "A match is predicted from others",
            got=f"{len(events)} matches",
            remedy="Pass --replay again, or --data with recorded matches",
        )
    names = [path.stem for path in events]
    if len(set(names)) < len(names):
        raise InvalidValue(
            "Matches have different names",
            got=", ".join(sorted(names))[:200],
            remedy="Leave out the duplicate",
        )
    digests: dict[str, Value] = {path.name: digest_of(path) for path in events}
    if grids is None:
        folder = ""
    else:
        folder = str(grids)
    files = "\n".join(str(path) for path in events)
    jobs = tuple(
        {"match": name, "view": view, "files": files, "grids": folder}
        for view in VIEWS
        for name in names
    )
    return Study(
        "fights",
        "Where the next losses of a match fall",
        "views of matches",
        jobs,
        predict,
        summarise,
        digests,
    )


def predict(job: Job) -> Row:
    """Return the scores of all models on one match, in one view, fitted to all the others."""
    files, grids, view, name = (str(job[key]) for key in ("files", "grids", "view", "match"))
    matches = _matches(files, grids)
    moments = _moments(files, grids, view)
    held = next(index for index, match in enumerate(matches) if match.name == name)
    cells = [moment.lost for moment in moments[held]]
    row: dict[str, Value] = {"losses": len(matches[held].losses), "moments": len(cells)}
    if not cells:
        return row
    elsewhere = _elsewhere(matches, held)
    for model, names in (
        *MODELS.items(),
        *((f"without {part}", names) for part, names in PARTS.items()),
    ):
        fitted = _fit(matches, moments, held, names, elsewhere)
        chances = [
            fitted.chances(moment.table(names, {ELSEWHERE: elsewhere[held]}))
            for moment in moments[held]
        ]
        score = score_places(chances, cells)
        row |= {
            f"{model} bits": score.bits,
            f"{model} AUC": score.auc,
            f"{model} log-likelihood": score.log_likelihood,
        }
    return row


def forecast(
    matches: Sequence[Match], held: int, view: str = ALL, model: str = WHOLE
) -> tuple[PlaceModel, list[tuple[Moment, Floats]]]:
    """Return a model fitted to all matches but one, and its forecasts of that match: its moments
    with the probabilities of their cells.
    """
    moments = [list(moments_of(match, view)) for match in matches]
    elsewhere = _elsewhere(matches, held)
    names = MODELS[model]
    fitted = _fit(matches, moments, held, names, elsewhere)
    return fitted, [
        (moment, fitted.chances(moment.table(names, {ELSEWHERE: elsewhere[held]})))
        for moment in moments[held]
    ]


def _fit(
    matches: Sequence[Match],
    moments: Sequence[Sequence[Moment]],
    held: int,
    names: Sequence[str],
    elsewhere: Sequence[Floats],
) -> PlaceModel:
    tables = []
    cells = []
    for index in range(len(matches)):
        if index != held:
            tables += [
                moment.table(names, {ELSEWHERE: elsewhere[index]}) for moment in moments[index]
            ]
            cells += [moment.lost for moment in moments[index]]
    return fit_places(tables, cells)


def _elsewhere(matches: Sequence[Match], held: int) -> list[Floats]:
    """Return for each match the density of losses in other matches, never in the predicted one."""
    return [
        density(
            match, [other for number, other in enumerate(matches) if number not in (held, index)]
        )
        for index, match in enumerate(matches)
    ]


@lru_cache(maxsize=1)
def _matches(files: str, grids: str) -> tuple[Match, ...]:
    return tuple(_match(Path(file), Path(grids) if grids else None) for file in files.split("\n"))


@lru_cache(maxsize=3)
def _moments(files: str, grids: str, view: str) -> tuple[tuple[Moment, ...], ...]:
    return tuple(tuple(moments_of(match, view)) for match in _matches(files, grids))


def _match(path: Path, grids: Path | None) -> Match:
    import tempfile

    if grids is None:
        grid = None
    else:
        grid = grids / f"{path.stem.split('_')[0]}.npz"
    grid = grid if grid is not None and grid.is_file() else None
    if path.suffix != REPLAY:
        return read_match(path, grid)
    with tempfile.TemporaryDirectory(prefix="fieldcraft-") as folder:
        table = Path(folder) / f"{path.stem}.csv"
        write_replay_table(path, table)
        return read_match(table, grid)


def summarise(rows: Sequence[Row]) -> Summary:
    """Return the means over matches of bits per loss and AUC, for the view of all units and of one
    player (the mean of both), with equal weights.
    """
    scored = [row for row in rows if "uniform bits" in row]
    found: dict[tuple[str, str, str], Interval] = {}
    added: dict[tuple[str, str, str], Interval] = {}
    groups = tuple(group for group in (ALL, ONE) if _by_match(scored, group))
    for group in groups:
        by_match = _by_match(scored, group)
        for model in MODELS:
            found[model, group, "bits per loss"] = mean(_values(by_match, model, "bits"))
            found[model, group, "AUC"] = mean(_values(by_match, model, "AUC"))
            if model in ASKED:
                found[model, group, "ahead of all baselines"] = paired(
                    _values(by_match, model, "bits"), _values(by_match, BEST, "bits")
                )
        for part in PARTS:
            complete = _values(by_match, WHOLE, "bits")
            added[part, group, ADDS.name] = paired(
                complete, _values(by_match, f"without {part}", "bits")
            )
    adds = Summary(
        tuple(PARTS),
        groups,
        (ADDS,),
        added,
        name="adds",
        title="what a part adds to everything else",
    )
    return Summary(
        tuple(MODELS),
        groups,
        MEASURES,
        found,
        tuple(_notes(rows, scored)),
        more=(adds, _per_match(scored)),
    )


def _by_match(rows: Sequence[Row], group: str) -> list[list[Row]]:
    """Return the rows of each match: one for the view of all units, two for the views of
    players.
    """
    views = (ALL,) if group == ALL else PLAYERS
    matches = sorted({str(row["match"]) for row in rows if row["view"] in views})
    return [
        [row for row in rows if row["match"] == match and row["view"] in views] for match in matches
    ]


def _values(by_match: list[list[Row]], model: str, part: str) -> list[float]:
    return [float(np.mean([number(row, f"{model} {part}") for row in same])) for same in by_match]


def _per_match(rows: Sequence[Row]) -> Summary:
    measures = (
        Measure("losses"),
        *(
            Measure(f"bits, {model}", mark=0.0)
            for model in ("last fight", BEST, "layers that spread", WHOLE)
        ),
    )
    found = {}
    for row in rows:
        if row["view"] == ALL:
            match = str(row["match"])
            found[match, ALL, "losses"] = mean([number(row, "losses")])
            for model in ("last fight", BEST, "layers that spread", WHOLE):
                found[match, ALL, f"bits, {model}"] = mean([number(row, f"{model} bits")])
    names = tuple(dict.fromkeys(str(row["match"]) for row in rows))
    return Summary(names, (ALL,), measures, found, name="matches", title="each match by itself")


def _notes(rows: Sequence[Row], scored: Sequence[Row]) -> Iterable[str]:
    yield (
        "Bits per loss are those ahead of uniform ground: one bit more means that the place was"
        " called twice as likely"
    )
    yield (
        "Intervals are over matches, each counting as much; every match was predicted by forecasts"
        " fitted to the others alone"
    )
    if quiet := {str(row["match"]) for row in rows} - {str(row["match"]) for row in scored}:
        yield f"Without losses, and left out: {', '.join(sorted(quiet))}"


EXPERIMENT = Experiment(
    "fights",
    "do influence maps predict where the next losses of a recorded match fall?",
    "Reads recorded matches of StarCraft II, builds layers of influence from what was known at each"
    " moment, and predicts where the losses of the next 30 seconds fall; each match is predicted"
    " from the others, and compared with baselines.",
    {
        **DATA_OPTIONS,
        "--replay": {
            "dest": "replays",
            "type": Path,
            "action": "append",
            "default": [],
            "metavar": "FILE",
            "help": "a replay, .SC2Replay (extra: replay) or its event table; repeatable",
        },
        "--only": {
            "action": "store_true",
            "help": "use the replays alone, without the matches of --data",
        },
        "--grids": {
            "type": Path,
            "metavar": "DIR",
            "help": "a folder of maps, MAP.npz for a match MAP_....csv (default: that of --data)",
        },
    },
    fights_study,
)
