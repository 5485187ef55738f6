"""The search for settings: trials on some worlds, and a judgement on others."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, TextIO

from fieldcraft import checks
from fieldcraft.errors import FieldcraftError, InvalidValue, MissingLibrary
from fieldcraft.progress import Progress
from research.experiments.journal import Journal
from research.experiments.statistics import Interval, mean, paired
from research.experiments.study import Job, Row, Study, Summary, identity
from research.experiments.workers import Failure
from research.experiments.worlds import label_of
from research.tuning.crew import Crew, crew_of
from research.tuning.ranges import Range, Value
from research.tuning.tunable import Tunable
from research.tuning.tunables import score_of

__all__ = ["PRUNERS", "SAMPLERS", "Found", "Judged", "Trial", "Tuning", "tune"]

SAMPLERS = ("tpe", "cmaes", "random")
PRUNERS = ("hyperband", "none")
# trials that are asked for at once, whoever runs them: what comes out must not depend on the number
# of workers
_BATCH = 8
_ALL = "all maps"


@dataclass(frozen=True)
class Tuning:
    """A search for settings: of what, where, and how long.

    Parameters
    ----------
    tunable, objective: what plays, and what is sought.
    ranges: the settings that are searched.
    worlds: maps, as `worlds_of` gives them.
    trials: how many settings are tried.
    seeds, first_seed: worlds of each map that the search sees.
    judge: worlds of each map, with the seeds after these, that only the finalists play, and the
        usual settings.
    finalists: how many of the best are judged. Of several the intervals are wider, so that all of
        them hold at once in 95 %.
    sampler: "tpe", "cmaes" or "random"; `pruner`: "hyperband" gives up trials that begin badly,
        "none" none.
    seed: of the search.
    fixed: settings that all play with, the usual ones too: a shorter limit, say. They are none of
        those that are searched.
    """

    tunable: Tunable
    objective: str
    ranges: tuple[Range, ...]
    worlds: tuple[Row, ...]
    trials: int = 60
    seeds: int = 8
    first_seed: int = 0
    judge: int = 20
    finalists: int = 1
    sampler: str = "tpe"
    pruner: str = "hyperband"
    seed: int = 0
    fixed: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.ranges or len({each.name for each in self.ranges}) < len(self.ranges):
            raise InvalidValue(
                "Settings are searched, each once",
                got=f"{len(self.ranges)} ranges",
                remedy="Pass --search NAME=LOW:HIGH",
            )
        for name, least in (
            ("trials", 2),
            ("seeds", 1),
            ("judge", 2),
            ("finalists", 1),
            ("first_seed", 0),
            ("seed", 0),
        ):
            checks.whole(name, getattr(self, name), minimum=least)
        checks.choice("sampler", self.sampler, SAMPLERS)
        checks.choice("pruner", self.pruner, PRUNERS)
        if self.sampler == "cmaes" and any(each.choices for each in self.ranges):
            raise InvalidValue(
                "CMA-ES searches numbers", got="words to choose from", remedy="Use --sampler tpe"
            )
        if both := sorted(set(self.fixed) & {each.name for each in self.ranges}):
            raise InvalidValue(
                "What is fixed is not searched", got=", ".join(both), remedy="Drop one of the two"
            )
        for each in self.ranges:
            for value in each.choices or (each.low, each.high):
                self.tunable.check({**self.fixed, each.name: int(value) if each.whole else value})

    @property
    def sign(self) -> int:
        """1 where more is better."""
        return self.tunable.objectives[self.objective]

    def searched(self) -> list[list[Row]]:
        """The worlds that trials play, one seed after the other."""
        return [
            [{**world, "seed": self.first_seed + k} for world in self.worlds]
            for k in range(self.seeds)
        ]

    def unseen(self) -> list[Row]:
        """The worlds that they do not."""
        first = self.first_seed + self.seeds
        return [{**world, "seed": first + k} for k in range(self.judge) for world in self.worlds]


@dataclass(frozen=True)
class Trial:
    """Settings that were tried: `state` is "complete", "pruned" or "failed", `value` the mean of
    the objective on `worlds` worlds.
    """

    number: int
    values: Mapping[str, Value]
    state: str
    value: float | None
    worlds: int
    error: str = ""


@dataclass(frozen=True)
class Judged:
    """A finalist on unseen worlds: the objective, and how far it is ahead of the usual settings in
    the same worlds, by map and in all.
    """

    trial: Trial
    got: Mapping[str, Interval]
    ahead: Mapping[str, Interval]


@dataclass(frozen=True)
class Found:
    """The outcome of a search. `usual` is the objective with the usual settings on unseen worlds,
    by map; finalists are best first.
    """

    tuning: Tuning
    trials: tuple[Trial, ...]
    usual_searched: float
    usual: Mapping[str, Interval]
    judged: tuple[Judged, ...]
    importances: Mapping[str, float]
    resumed: int
    notes: tuple[str, ...] = field(default=())

    @property
    def best(self) -> Judged:
        """The best of the search, whatever the judgement says."""
        return self.judged[0]

    @property
    def is_better(self) -> bool:
        """Whether it is surely better on unseen worlds: the interval lies above 0."""
        return self.best.ahead[_ALL].low > 0


def tune(
    tuning: Tuning,
    out: str | Path = "out",
    *,
    workers: int = 1,
    fresh: bool = False,
    progress: TextIO | None = None,
    crew: Crew | None = None,
) -> Found:
    """Search for settings, and judge the best on worlds that the search never saw.

    What has been played lies in `tune-NAME.unfinished.jsonl` in the folder `out`; the same search
    goes on from there. The outcome does not depend on the number of workers, nor on interruptions.

    Raises `MissingLibrary` without Optuna, and `FieldcraftError` where no trial came to an end.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        Journal(
            folder / f"tune-{tuning.tunable.name}.unfinished.jsonl", _study(tuning), fresh=fresh
        ) as journal,
        closing(
            _Table(tuning, journal, crew or crew_of(tuning.tunable.run, workers), progress)
        ) as table,
    ):
        resumed = len(journal.rows)
        trials, importances, notes = _search(tuning, table)
        usual = fmean(table.scores([({}, world) for part in tuning.searched() for world in part]))
        ended = [each for each in trials if each.state == "complete"]
        ended.sort(key=lambda each: (-tuning.sign * (each.value or 0.0), each.number))
        if not ended:
            raise FieldcraftError(
                "A search has trials that come to an end",
                got=f"none of {len(trials)}; the first failed with {trials[0].error or 'nothing'}",
                remedy="Search narrower ranges",
            )
        judged, usually = _judge(tuning, table, ended[: tuning.finalists])
    return Found(
        tuning,
        tuple(trials),
        tuning.sign * usual,
        usually,
        tuple(judged),
        importances,
        resumed,
        tuple(notes),
    )


def forget(tuning: Tuning, out: str | Path) -> None:
    """Drop what has been played, once the outcome is written."""
    (Path(out) / f"tune-{tuning.tunable.name}.unfinished.jsonl").unlink(missing_ok=True)


class _Table:
    """All that has been played, by settings and world; what has not is played when it is asked
    for.
    """

    def __init__(
        self, tuning: Tuning, journal: Journal, crew: Crew, progress: TextIO | None
    ) -> None:
        self._tuning, self._journal, self._crew = tuning, journal, crew
        self._bar = Progress(progress)
        self._bar.__enter__()
        self.errors: dict[str, Failure] = {}

    def rows(self, asked: Sequence[tuple[Mapping[str, Value], Row]]) -> list[Row | Failure]:
        """The outcome for each of some settings in a world."""
        jobs = [_job({**self._tuning.fixed, **values}, world) for values, world in asked]
        missing = list(
            {
                identity(job): job
                for job in jobs
                if self._journal.row(job) is None and identity(job) not in self.errors
            }.values()
        )
        for outcome in self._crew.results(missing) if missing else ():
            if isinstance(outcome, Failure):
                self.errors[identity(outcome.job)] = outcome
            else:
                self._journal.add(outcome)
        return [self._journal.row(job) or self.errors[identity(job)] for job in jobs]

    def scores(self, asked: Sequence[tuple[Mapping[str, Value], Row]]) -> list[float]:
        """The objective for each, the more the better; raises `FieldcraftError` where one
        failed.
        """
        found = []
        for outcome in self.rows(asked):
            if isinstance(outcome, Failure):
                raise FieldcraftError(
                    "The worlds that judge can be played",
                    got=str(outcome),
                    remedy="Pass other seeds or maps",
                )
            found.append(score_of(outcome, self._tuning.objective, self._tuning.sign))
        return found

    def show(self, share: float, label: str) -> None:
        """Tell how far it is."""
        self._bar.label = label
        self._bar.show(share)

    def close(self) -> None:
        """End the crew."""
        self._bar.__exit__(None, None, None)
        self._crew.dismiss()


def _job(values: Mapping[str, Value], world: Row) -> Job:
    return {**world, "settings": json.dumps(dict(sorted(values.items())))}


def _study(tuning: Tuning) -> Study:
    """The study that a journal knows a search by: who plays, on which kind of world. Other ranges
    and seeds may use what lies there.
    """
    first = _job({}, {**tuning.worlds[0], "seed": tuning.first_seed})
    return Study(
        f"tune-{tuning.tunable.name}",
        tuning.tunable.told,
        "worlds",
        (first,),
        tuning.tunable.run,
        lambda rows: Summary((), (), (), {}),
    )


@contextmanager
def _quiet() -> Iterator[Any]:
    try:
        import optuna
    except ImportError:
        raise MissingLibrary("optuna", "tune", "A search for settings") from None
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield optuna
    finally:
        optuna.logging.set_verbosity(before)


def _search(tuning: Tuning, table: _Table) -> tuple[list[Trial], dict[str, float], list[str]]:
    with _quiet() as optuna:
        study = optuna.create_study(
            study_name="fieldcraft",
            direction="maximize",
            sampler=_sampler(optuna, tuning),
            pruner=_pruner(optuna, tuning),
        )
        study.enqueue_trial(
            {
                each.name: _usual(tuning, each)
                for each in tuning.ranges
                if _usual(tuning, each) is not None
            }
        )
        trials: list[Trial] = []
        while len(trials) < tuning.trials:
            asked = [
                study.ask(_distributions(optuna, tuning))
                for _ in range(min(_BATCH, tuning.trials - len(trials)))
            ]
            table.show(
                len(trials) / tuning.trials,
                f"tune {tuning.tunable.name}, {len(trials)} of {tuning.trials} trials",
            )
            trials += _tried(optuna, tuning, table, study, asked)
        importances, notes = _importances(optuna, study, tuning)
    return trials, importances, notes


def _usual(tuning: Tuning, each: Range) -> Value | None:
    """The usual value, where it lies in the range: the search begins there."""
    value: Value = tuning.tunable.settings[each.name]
    if each.choices:
        return value if value in each.choices else None
    return value if each.low <= float(value) <= each.high else None


def _sampler(optuna: Any, tuning: Tuning) -> Any:
    if tuning.sampler == "random":
        return optuna.samplers.RandomSampler(seed=tuning.seed)
    first = max(
        _BATCH, min(10, tuning.trials // 3)
    )  # of the first batch nothing is known before it is asked for
    if tuning.sampler == "cmaes":
        return optuna.samplers.CmaEsSampler(seed=tuning.seed, n_startup_trials=first)
    return optuna.samplers.TPESampler(
        seed=tuning.seed, n_startup_trials=first, multivariate=True, constant_liar=True
    )


def _pruner(optuna: Any, tuning: Tuning) -> Any:
    if tuning.pruner == "none" or tuning.seeds < 3:
        return optuna.pruners.NopPruner()
    return optuna.pruners.HyperbandPruner(
        min_resource=1, max_resource=tuning.seeds, reduction_factor=3
    )


def _distributions(optuna: Any, tuning: Tuning) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in tuning.ranges:
        if each.choices:
            found[each.name] = optuna.distributions.CategoricalDistribution(each.choices)
        elif each.whole:
            found[each.name] = optuna.distributions.IntDistribution(
                int(each.low), int(each.high), log=each.log
            )
        else:
            found[each.name] = optuna.distributions.FloatDistribution(
                each.low, each.high, log=each.log
            )
    return found


def _tried(optuna: Any, tuning: Tuning, table: _Table, study: Any, asked: list[Any]) -> list[Trial]:
    """Play a batch of trials, seed after seed; those that begin badly are given up."""
    states = optuna.trial.TrialState
    scores: dict[int, list[float]] = {trial.number: [] for trial in asked}
    found: dict[int, Trial] = {}

    def end(trial: Any, state: str, error: str = "") -> None:
        got = scores[trial.number]
        value = tuning.sign * fmean(got) if got else None
        found[trial.number] = Trial(trial.number, dict(trial.params), state, value, len(got), error)

    alive = list(asked)
    for rung, worlds in enumerate(tuning.searched(), 1):
        outcomes = iter(table.rows([(trial.params, world) for trial in alive for world in worlds]))
        played = [(trial, [next(outcomes) for _ in worlds]) for trial in alive]
        alive = []
        for trial, rows in played:
            failed = next((row for row in rows if isinstance(row, Failure)), None)
            if failed is not None:
                study.tell(trial, state=states.FAIL)
                end(trial, "failed", failed.error)
                continue
            scores[trial.number] += [
                score_of(row, tuning.objective, tuning.sign)
                for row in rows
                if not isinstance(row, Failure)
            ]
            trial.report(fmean(scores[trial.number]), rung)
            if rung < tuning.seeds and trial.should_prune():
                study.tell(trial, state=states.PRUNED)
                end(trial, "pruned")
                continue
            alive.append(trial)
    for trial in alive:
        study.tell(trial, fmean(scores[trial.number]))
        end(trial, "complete")
    return [found[trial.number] for trial in asked]


def _importances(optuna: Any, study: Any, tuning: Tuning) -> tuple[dict[str, float], list[str]]:
    try:
        evaluator = optuna.importance.FanovaImportanceEvaluator(seed=tuning.seed)
        found = optuna.importance.get_param_importances(study, evaluator=evaluator)
    except ImportError:
        return {}, ["Which settings matter is not told: that needs scikit-learn"]
    except (RuntimeError, ValueError) as error:
        return {}, [f"Which settings matter is not told: {error}"]
    return {name: float(share) for name, share in found.items()}, []


def _judge(
    tuning: Tuning, table: _Table, finalists: Sequence[Trial]
) -> tuple[list[Judged], dict[str, Interval]]:
    worlds = tuning.unseen()
    table.show(1.0, f"tune {tuning.tunable.name}, the best on {len(worlds)} unseen worlds")
    asked: list[tuple[Mapping[str, Value], Row]] = [({}, world) for world in worlds]
    asked += [(trial.values, world) for trial in finalists for world in worlds]
    scores = table.scores(asked)
    parts = [scores[k * len(worlds) : (k + 1) * len(worlds)] for k in range(len(finalists) + 1)]
    maps = dict.fromkeys(label_of(world) for world in worlds)
    groups = (
        {name: [i for i, world in enumerate(worlds) if label_of(world) == name] for name in maps}
        if len(maps) > 1
        else {}
    )
    groups[_ALL] = list(range(len(worlds)))
    level = 1 - 0.05 / len(finalists)
    judged = [
        Judged(
            trial,
            {name: mean([tuning.sign * own[i] for i in some]) for name, some in groups.items()},
            {
                name: paired([own[i] for i in some], [parts[0][i] for i in some], confidence=level)
                for name, some in groups.items()
            },
        )
        for trial, own in zip(finalists, parts[1:], strict=True)
    ]
    return judged, {
        name: mean([tuning.sign * parts[0][i] for i in some]) for name, some in groups.items()
    }
