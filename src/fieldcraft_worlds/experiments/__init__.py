"""Many worlds, one table: games played over seeds and cores, and how sure the outcome is."""

from fieldcraft_worlds.experiments.runner import Report, run_study
from fieldcraft_worlds.experiments.statistics import Interval, mean, paired, rate
from fieldcraft_worlds.experiments.study import Job, Measure, Row, Study, Summary
from fieldcraft_worlds.experiments.workers import Failure

__all__ = [
    "Failure",
    "Interval",
    "Job",
    "Measure",
    "Report",
    "Row",
    "Study",
    "Summary",
    "mean",
    "paired",
    "rate",
    "run_study",
]
