"""Many worlds, one table: games played over seeds and cores, and how sure the outcome is."""

from fieldcraft.experiments.runner import Report, run_study
from fieldcraft.experiments.statistics import Interval, mean, paired, rate
from fieldcraft.experiments.study import Job, Measure, Row, Study, Summary
from fieldcraft.experiments.workers import Failure

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
