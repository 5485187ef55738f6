"""Looking for settings that play better, and saying on worlds that the search never saw how much better."""

from fieldcraft_worlds.tuning.ranges import Range, parse_range
from fieldcraft_worlds.tuning.search import Found, Tuning, tune
from fieldcraft_worlds.tuning.tunable import Tunable
from fieldcraft_worlds.tuning.tunables import TUNABLES

__all__ = ["TUNABLES", "Found", "Range", "Tunable", "Tuning", "parse_range", "tune"]
