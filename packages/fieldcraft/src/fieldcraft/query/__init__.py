"""Queries of layers: samples, best positions, gradients, peaks, regions.

Every function takes a layer, an expression, an array with its space, or any object with `values` on
a `space`.
"""

from fieldcraft.paths.making import first_arrival
from fieldcraft.query.choosing import best, peaks, pick, regions, worst
from fieldcraft.query.sampling import Along, along, gradient, sample
from fieldcraft.query.stepping import Reservations, explore_step, uphill
from fieldcraft.query.values import Explanation, explain
from fieldcraft.space.results import ChosenCells, Region, Regions

__all__ = [
    "Along",
    "ChosenCells",
    "Explanation",
    "Region",
    "Regions",
    "Reservations",
    "along",
    "best",
    "explain",
    "explore_step",
    "first_arrival",
    "gradient",
    "peaks",
    "pick",
    "regions",
    "sample",
    "uphill",
    "worst",
]
