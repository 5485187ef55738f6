"""Looking for settings that play better, and saying on worlds that the search never saw how much
better.
"""

from research.tuning.ranges import Range, parse_range
from research.tuning.search import Found, Tuning, tune
from research.tuning.tunable import Tunable
from research.tuning.tunables import TUNABLES

__all__ = ["TUNABLES", "Found", "Range", "Tunable", "Tuning", "parse_range", "tune"]
