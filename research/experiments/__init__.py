"""Experiments: games played over many seeds on many cores, with confidence intervals."""

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
