"""Search for settings that play better, judged on maps that no trial played."""

from research.tuning.ranges import Range, parse_range
from research.tuning.search import Found, Tuning, tune
from research.tuning.tunables import TUNABLES, Tunable

__all__ = ["TUNABLES", "Found", "Range", "Tunable", "Tuning", "parse_range", "tune"]
