"""The search for settings by Optuna: trials on some worlds, and a judgement on others."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, TextIO

from fieldcraft import checks
from fieldcraft.errors import FieldcraftError, InvalidValue, MissingLibrary
from fieldcraft.progress import Progress
from research.experiments.jobs import Failure, Outcome, code_digest, outcomes
from research.experiments.statistics import Interval, mean, paired
from research.experiments.study import Row, number
from research.tuning.ranges import Range, Value
from research.tuning.tunables import Tunable

__all__ = ["Found", "Trial", "Tuning", "tune"]

_FIRST = 3  # the share of worlds after which a trial may be given up: one in so many
_STARTUP = 8  # trials before a sampler learns from others


@dataclass(frozen=True)
class Tuning:
    """A search for settings: of what, where, and how long.

    Parameters
    ----------
    tunable, objective : Tunable / str
        What plays, and what is sought.
    ranges : tuple[Range, ...]
        The settings that are searched.
    worlds : tuple[Row, ...]
        Maps, as `worlds_of` gives them.
    trials : int, optional
        How many settings are tried.
    seeds, first_seed : int, optional
        Worlds of each map that the search sees.
    judge : int, optional
        Worlds of each map, with the seeds after these, that only the best settings play, and the
        usual ones.
    seed : int, optional
        Of the search.
    fixed : Mapping[str, Value], optional
        Settings that all play with, the usual ones too; none of those that are searched.
    """

    tunable: Tunable
    objective: str
    ranges: tuple[Range, ...]
    worlds: tuple[Row, ...]
    trials: int = 60
    seeds: int = 8
    first_seed: int = 0
    judge: int = 20
    seed: int = 0
    fixed: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = {each.name for each in self.ranges}
        if not self.ranges or len(names) < len(self.ranges):
            raise InvalidValue(
                "Settings are searched, each once",
                got=f"{len(self.ranges)} ranges",
                remedy="Pass --search NAME=LOW:HIGH",
            )
        least = {"trials": 2, "seeds": 1, "judge": 2, "first_seed": 0, "seed": 0}
        for name, minimum in least.items():
            checks.integer(name, getattr(self, name), minimum=minimum)
        if both := sorted(set(self.fixed) & names):
            raise InvalidValue(
                "What is fixed is not searched", got=", ".join(both), remedy="Drop one of the two"
            )
        for each in self.ranges:
            for value in each.choices or (each.low, each.high):
                self.tunable.check({**self.fixed, each.name: int(value) if each.integer else value})

    @property
    def sign(self) -> int:
        """1 where more is better."""
        return self.tunable.objectives[self.objective]

    def searched(self) -> list[Row]:
        """Return the worlds that trials play, one seed after the other."""
        return self._worlds(self.first_seed, self.seeds)

    def unseen(self) -> list[Row]:
        """Return the worlds that no trial plays."""
        return self._worlds(self.first_seed + self.seeds, self.judge)

    def _worlds(self, first: int, count: int) -> list[Row]:
        return [{**world, "seed": first + k} for k in range(count) for world in self.worlds]


@dataclass(frozen=True)
class Trial:
    """Settings that were tried: `state` is "complete", "pruned" or "failed", `value` the mean of
    the objective.
    """

    number: int
    values: Mapping[str, Value]
    state: str
    value: float | None
    error: str = ""


@dataclass(frozen=True)
class Found:
    """The outcome of a search: the best trial, the objective with it and with the usual settings
    on unseen worlds, and how far it is ahead there.
    """

    tuning: Tuning
    trials: tuple[Trial, ...]
    best: Trial
    got: Interval
    usual: Interval
    ahead: Interval
    importances: Mapping[str, float]
    resumed: int

    @property
    def is_better(self) -> bool:
        """Whether the best is surely better on unseen worlds: the interval lies above 0."""
        return self.ahead.low > 0


def tune(
    tuning: Tuning,
    out: str | Path = "out",
    *,
    workers: int = 1,
    scheduler: str | None = None,
    fresh: bool = False,
    progress: TextIO | None = None,
) -> Found:
    """Search for settings, and judge the best on worlds that the search never saw.

    Trials lie in `tune-NAME.unfinished.log` in the folder `out`, Optuna's journal; the same search
    goes on from there. Raises `MissingLibrary` without Optuna, and `FieldcraftError` where no
    trial came to an end.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"tune-{tuning.tunable.name}.unfinished.log"
    if fresh:
        log.unlink(missing_ok=True)

    def play(values: Mapping[str, Value], worlds: Sequence[Row]) -> list[Outcome]:
        settings = json.dumps(dict(sorted({**tuning.fixed, **values}.items())))
        jobs = [{**world, "settings": settings} for world in worlds]
        found = dict(outcomes(tuning.tunable.run, jobs, workers, scheduler))
        return [found[number] for number in range(len(jobs))]

    with _quiet() as optuna, Progress(progress) as bar:
        study = _study(optuna, tuning, log)
        resumed = len(_finished(study))
        while (done := len(_finished(study))) < tuning.trials:
            bar.label = f"tune {tuning.tunable.name}, {done} of {tuning.trials} trials"
            bar.show(done / tuning.trials)
            # A sampler for each trial: a search that goes on draws as one that was not stopped.
            study.sampler = optuna.samplers.TPESampler(
                seed=tuning.seed + 1009 * done, n_startup_trials=_STARTUP, multivariate=True
            )
            _try(optuna, tuning, study, play)
        trials = tuple(_trial(tuning, each) for each in _finished(study)[: tuning.trials])
        importances = _importances(optuna, study)
        ended = [each for each in trials if each.state == "complete"]
        if not ended:
            raise FieldcraftError(
                "A search has trials that come to an end",
                got=f"none of {len(trials)}; the first failed with {trials[0].error or 'nothing'}",
                remedy="Search narrower ranges",
            )
        best = max(ended, key=lambda each: (tuning.sign * (each.value or 0.0), -each.number))
        bar.label = f"tune {tuning.tunable.name}, the best on unseen worlds"
        own, usual = (_scores(tuning, play(each, tuning.unseen())) for each in (best.values, {}))
    log.unlink(missing_ok=True)
    got, base = (mean([tuning.sign * score for score in each]) for each in (own, usual))
    return Found(tuning, trials, best, got, base, paired(own, usual), importances, resumed)


@contextmanager
def _quiet() -> Iterator[Any]:
    """Optuna, without its warnings."""
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


def _study(optuna: Any, tuning: Tuning, log: Path) -> Any:
    """The study of a search in the journal; another search in the same folder has another name."""
    what: list[object] = [code_digest(), tuning.objective, [str(each) for each in tuning.ranges]]
    what += [dict(tuning.fixed), [dict(each) for each in tuning.searched()], tuning.seed]
    name = hashlib.sha256(json.dumps(what).encode()).hexdigest()
    backend = optuna.storages.journal.JournalFileBackend(str(log))
    study = optuna.create_study(
        study_name=name,
        storage=optuna.storages.JournalStorage(backend),
        direction="maximize",
        pruner=optuna.pruners.MedianPruner(_STARTUP, 0),
        load_if_exists=True,
    )
    if not study.trials:
        usual = tuning.tunable.settings
        study.enqueue_trial(
            {each.name: usual[each.name] for each in tuning.ranges if usual[each.name] in each}
        )
    return study


def _finished(study: Any) -> list[Any]:
    return [each for each in study.trials if each.state.is_finished()]


def _try(optuna: Any, tuning: Tuning, study: Any, play: Any) -> None:
    """Play one trial: a share of the worlds, and the rest if it begins well."""
    trial = study.ask({each.name: each.distribution(optuna) for each in tuning.ranges})
    states, worlds = optuna.trial.TrialState, tuning.searched()
    first = max(1, len(worlds) // _FIRST)
    scores: list[float] = []
    for step, part in enumerate((worlds[:first], worlds[first:])):
        rows = play(trial.params, part)
        failed = next((row for row in rows if isinstance(row, Failure)), None)
        if failed is not None:
            trial.set_user_attr("error", failed.error)
            study.tell(trial, state=states.FAIL)
            return
        scores += _scores(tuning, rows)
        trial.report(fmean(scores), step)
        if step == 0 and trial.should_prune():
            study.tell(trial, state=states.PRUNED)
            return
    study.tell(trial, fmean(scores))


def _scores(tuning: Tuning, rows: Sequence[Outcome]) -> list[float]:
    """The objective of each row, the more the better."""
    found = []
    for row in rows:
        if isinstance(row, Failure):
            raise FieldcraftError(
                "The worlds that judge can be played",
                got=str(row),
                remedy="Pass other seeds or maps",
            )
        found.append(tuning.sign * number(row, tuning.objective))
    return found


def _trial(tuning: Tuning, trial: Any) -> Trial:
    names = {"COMPLETE": "complete", "PRUNED": "pruned"}
    value = None if trial.value is None else tuning.sign * float(trial.value)
    error = str(trial.user_attrs.get("error", ""))
    state = names.get(trial.state.name, "failed")
    return Trial(trial.number, dict(trial.params), state, value, error)


def _importances(optuna: Any, study: Any) -> dict[str, float]:
    """What share of the differences among trials each setting explains (fANOVA)."""
    try:
        return dict(optuna.importance.get_param_importances(study))
    except (RuntimeError, ValueError, ImportError):
        return {}
