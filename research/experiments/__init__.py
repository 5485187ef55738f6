"""Many worlds, one table: games played over seeds and cores, and how sure the outcome is."""

from research.experiments.jobs import Failure
from research.experiments.runner import Report, run_study
from research.experiments.statistics import Interval, mean, paired, rate
from research.experiments.study import Job, Measure, Row, Study, Summary

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
