"""The search for settings by Optuna: trials in some worlds, and a comparison in others."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, TextIO

from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, InvalidValue, MissingLibrary
from fieldcraft.base.progress import Progress
from research.shared.jobs import Failure, code_digest, outcomes
from research.shared.statistics import Interval, mean, paired
from research.shared.study import Row, number
from research.tuning.tunables import Tunable


@dataclass(frozen=True)
class Range:
    """A setting to search: numbers from `low` to `high`, by equal ratios if `log`."""

    name: str
    low: float
    high: float
    log: bool = False
    integer: bool = False

    def distribution(self, optuna: Any) -> Any:
        """Return the range as a distribution of Optuna."""
        if self.integer:
            low, high = int(self.low), int(self.high)
            return optuna.distributions.IntDistribution(low, high, log=self.log)
        return optuna.distributions.FloatDistribution(self.low, self.high, log=self.log)

    def __str__(self) -> str:
        return f"{self.name}={self.low:g}:{self.high:g}{':log' if self.log else ''}"


def parse_range(text: str, usual: Mapping[str, Any]) -> Range:
    """Return the range of "name=low:high" or "name=low:high:log"; `usual` are the default settings
    of the game by dotted name.

    Raises
    ------
    InvalidValue
        For an unknown name, and for any other text.
    """
    name, _, ends = text.partition("=")
    low, _, rest = ends.partition(":")
    high, _, scale = rest.partition(":")
    known = usual.get(name)
    try:
        found = Range(name, float(low), float(high), scale == "log", isinstance(known, int))
    except ValueError:
        found = None
    if (
        not isinstance(known, (int, float))
        or found is None
        or scale not in ("", "log")
        or not (0 if found.log else -1e12) < found.low < found.high < 1e12
        or (found.integer and not (found.low.is_integer() and found.high.is_integer()))
    ):
        numbers = [each for each, value in usual.items() if isinstance(value, (int, float))]
        raise InvalidValue(
            f"--search takes SETTING=LOW:HIGH with one of {', '.join(sorted(numbers))}"[:400],
            got=repr(text)[:80],
            remedy="Write caution=0:40, or caution=1:100:log for equal ratios",
            about="search",
        )
    return found


_FIRST = 3  # a trial may be pruned after this share of its worlds: one in so many
_STARTUP = 8  # trials before the sampler and the pruner learn from others


@dataclass(frozen=True)
class Tuning:
    """The arguments of a search for settings.

    Parameters
    ----------
    tunable, objective : Tunable / str
        The game and its objective.
    ranges : tuple[Range, ...]
        The settings to search.
    worlds : tuple[Row, ...]
        Maps, as `worlds_of` gives them.
    trials : int, optional
        The number of trials.
    seeds, first_seed : int, optional
        Worlds of each map for trials.
    judge : int, optional
        Worlds of each map, with the seeds after these, for the comparison of the best settings with
        the defaults.
    seed : int, optional
        The seed of the search.
    fixed : tuple[str, ...], optional
        Settings "name=value" for all trials and for the defaults.
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
    fixed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.ranges or len({each.name for each in self.ranges}) < len(self.ranges):
            raise InvalidValue(
                "A search has ranges, each of another setting",
                got=f"{len(self.ranges)} ranges",
                remedy="Pass --search NAME=LOW:HIGH",
            )
        least = {"trials": 2, "seeds": 1, "judge": 2, "first_seed": 0, "seed": 0}
        for name, minimum in least.items():
            checks.integer(name, getattr(self, name), minimum=minimum)
        for each in self.ranges:
            for value in (each.low, each.high):
                self.tunable.check(self.texts({each.name: int(value) if each.integer else value}))

    @property
    def sign(self) -> int:
        """1 where more is better, -1 where less is."""
        return self.tunable.objectives[self.objective]

    def texts(self, values: Mapping[str, float]) -> list[str]:
        """Return the settings of a trial as "name=value"."""
        return [*self.fixed, *(f"{name}={value!r}" for name, value in sorted(values.items()))]

    def searched(self) -> list[Row]:
        """Return the worlds of trials, one seed after the other."""
        return self._worlds(self.first_seed, self.seeds)

    def unseen(self) -> list[Row]:
        """Return the worlds of the comparison."""
        return self._worlds(self.first_seed + self.seeds, self.judge)

    def _worlds(self, first: int, count: int) -> list[Row]:
        return [{**world, "seed": first + k} for k in range(count) for world in self.worlds]


@dataclass(frozen=True)
class Trial:
    """A trial: `state` is "complete", "pruned" or "fail", `value` the mean of the objective."""

    number: int
    values: Mapping[str, float]
    state: str
    value: float | None
    error: str


@dataclass(frozen=True)
class Found:
    """The outcome of a search: the best trial, the objective with it and with the defaults in
    unseen worlds, and its lead there. `resumed` trials come from an unfinished search.
    """

    tuning: Tuning
    trials: tuple[Trial, ...]
    best: Trial
    got: Interval
    usual: Interval
    ahead: Interval
    resumed: int


def tune(
    tuning: Tuning,
    out: str | Path = "out",
    *,
    workers: int = 1,
    progress: TextIO | None = None,
) -> Found:
    """Search for settings, and compare the best with the defaults in unseen worlds.

    Trials are stored in `tune-NAME.unfinished.log` in the folder `out`, Optuna's journal, until the
    search ends; the same search continues from there. Raises `MissingLibrary` without Optuna, and
    `FieldcraftError` if all trials fail.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"tune-{tuning.tunable.name}.unfinished.log"

    def play(values: Mapping[str, float], worlds: Sequence[Row]) -> list[float]:
        """Return the objective in each world, with the sign that makes more better."""
        settings = json.dumps(tuning.texts(values))
        jobs = [{**world, "settings": settings} for world in worlds]
        rows = dict(outcomes(tuning.tunable.run, jobs, workers))
        for row in rows.values():
            if isinstance(row, Failure):
                raise FieldcraftError(
                    "Trials can be played", got=str(row), remedy="Search narrower ranges"
                )
        return [tuning.sign * number(rows[each], tuning.objective) for each in range(len(jobs))]  # type: ignore[arg-type]

    with _quiet() as optuna, Progress(progress) as bar:
        study = _study(optuna, tuning, log)
        resumed = len(_finished(study))
        while (done := len(_finished(study))) < tuning.trials:
            bar.label = f"tune {tuning.tunable.name}, {done} of {tuning.trials} trials"
            bar.show(done / tuning.trials)
            # A sampler for each trial: a resumed search draws like one that was not interrupted.
            study.sampler = optuna.samplers.TPESampler(
                seed=tuning.seed + 1009 * done, n_startup_trials=_STARTUP, multivariate=True
            )
            _try(optuna, tuning, study, play)
        trials = tuple(_trial(tuning, each) for each in _finished(study)[: tuning.trials])
        complete = [each for each in trials if each.state == "complete"]
        if not complete:
            raise FieldcraftError(
                "A search has a trial that succeeds",
                got=f"none of {len(trials)}; the first failed with {trials[0].error or 'nothing'}",
                remedy="Search narrower ranges",
            )
        best = max(complete, key=lambda each: (tuning.sign * (each.value or 0.0), -each.number))
        bar.label = f"tune {tuning.tunable.name}, the best in unseen worlds"
        own, usual = (play(values, tuning.unseen()) for values in (best.values, {}))
    log.unlink(missing_ok=True)
    got, base = (mean([tuning.sign * score for score in each]) for each in (own, usual))
    return Found(tuning, trials, best, got, base, paired(own, usual), resumed)


@contextmanager
def _quiet() -> Iterator[Any]:
    """Import Optuna, without its warnings."""
    try:
        import optuna
    except ImportError:
        raise MissingLibrary("optuna", "tune", "A search for settings") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield optuna


def _study(optuna: Any, tuning: Tuning, log: Path) -> Any:
    """Return the study of a search in the journal; each search has its own name there."""
    what: list[object] = [code_digest(), tuning.objective, [str(each) for each in tuning.ranges]]
    what += [list(tuning.fixed), [dict(each) for each in tuning.searched()], tuning.seed]
    backend = optuna.storages.journal.JournalFileBackend(str(log))
    study = optuna.create_study(
        study_name=hashlib.sha256(json.dumps(what).encode()).hexdigest(),
        storage=optuna.storages.JournalStorage(backend),
        direction="maximize",
        pruner=optuna.pruners.MedianPruner(_STARTUP, 0),
        load_if_exists=True,
    )
    if not study.trials:
        usual = tuning.tunable.settings
        study.enqueue_trial(
            {
                each.name: usual[each.name]
                for each in tuning.ranges
                if each.low <= usual[each.name] <= each.high
            }
        )
    return study


def _finished(study: Any) -> list[Any]:
    return [each for each in study.trials if each.state.is_finished()]


def _try(optuna: Any, tuning: Tuning, study: Any, play: Any) -> None:
    """Run one trial: a part of the worlds, and the rest unless it is pruned."""
    trial = study.ask({each.name: each.distribution(optuna) for each in tuning.ranges})
    states = optuna.trial.TrialState
    worlds = tuning.searched()
    first = max(1, len(worlds) // _FIRST)
    scores: list[float] = []
    for step, part in enumerate((worlds[:first], worlds[first:])):
        try:
            scores += play(trial.params, part)
        except FieldcraftError as error:
            trial.set_user_attr("error", str(error))
            study.tell(trial, state=states.FAIL)
            return
        trial.report(fmean(scores), step)
        if step == 0 and trial.should_prune():
            study.tell(trial, state=states.PRUNED)
            return
    study.tell(trial, fmean(scores))


def _trial(tuning: Tuning, trial: Any) -> Trial:
    if trial.value is None:
        value = None
    else:
        value = tuning.sign * float(trial.value)
    error = str(trial.user_attrs.get("error", ""))
    return Trial(trial.number, dict(trial.params), trial.state.name.lower(), value, error)
