"""Answers: what is where, where it is best, and why.

Every function takes a layer, an expression, or anything else with `values` on a `space`.
"""

from fieldcraft.query.ahead import sense
from fieldcraft.query.climbing import uphill
from fieldcraft.query.explanation import Accountable, Contribution, Explanation, explain
from fieldcraft.query.exploring import explore_step
from fieldcraft.query.ground import Readable
from fieldcraft.query.maxima import peaks
from fieldcraft.query.picking import pick
from fieldcraft.query.regions import regions
from fieldcraft.query.reservations import Reservations
from fieldcraft.query.route import Along, along
from fieldcraft.query.samples import gradient, sample
from fieldcraft.query.spots import best, worst
from fieldcraft.space.answers import Region, Regions, Spots

__all__ = [
    "Accountable",
    "Along",
    "Contribution",
    "Explanation",
    "Readable",
    "Region",
    "Regions",
    "Reservations",
    "Spots",
    "along",
    "best",
    "explain",
    "explore_step",
    "gradient",
    "peaks",
    "pick",
    "regions",
    "sample",
    "sense",
    "uphill",
    "worst",
]
