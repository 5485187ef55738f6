"""What studies share: jobs over many seeds on many cores, confidence intervals, plots."""

from research.shared.jobs import Failure
from research.shared.runner import Report, run_study
from research.shared.statistics import Interval, mean, paired, rate
from research.shared.study import Job, Measure, Row, Study, Summary

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
