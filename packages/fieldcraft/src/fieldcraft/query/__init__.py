"""Queries of layers: samples, best positions, gradients, peaks, regions.

Every function takes a layer, an expression, an array with its space, or any object with `values` on
a `space`.
"""

from fieldcraft.paths.first_arrival import first_arrival
from fieldcraft.query.choke_points import ChokePoint, ChokePoints, choke_points
from fieldcraft.query.choosing import best, peaks, pick, regions, worst
from fieldcraft.query.climbing import explore_step, uphill
from fieldcraft.query.damage import DamageNextTurn, damage_next_turn
from fieldcraft.query.explanation import Explanation, explain
from fieldcraft.query.reservations import Reservations
from fieldcraft.query.slopes import Along, along, gradient
from fieldcraft.space.chosen_cells import ChosenCells
from fieldcraft.space.regions import Region, Regions
from fieldcraft.space.sight.sight import watchers
from fieldcraft.values.sampling import sample

__all__ = [
    "Along",
    "ChokePoint",
    "ChokePoints",
    "ChosenCells",
    "DamageNextTurn",
    "Explanation",
    "Region",
    "Regions",
    "Reservations",
    "along",
    "best",
    "choke_points",
    "damage_next_turn",
    "explain",
    "explore_step",
    "first_arrival",
    "gradient",
    "peaks",
    "pick",
    "regions",
    "sample",
    "uphill",
    "watchers",
    "worst",
]
