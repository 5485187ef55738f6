"""What is compared of the objects of two worlds.

A reading whose name begins with `history` is not compared with a new object, which has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import fieldcraft as fc
from fieldcraft.layers import ArrayLayer, RadialLayer, TrailLayer
from fieldcraft.layers.source_layer import SourceLayer
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.space import Space
from fieldcraft.values.eased import Eased
from fieldcraft.values.operand import Operand
from support.any_order.scripts import reading


@reading(Space)
def space(each: Space) -> dict[str, Any]:
    steps = each.adjacency
    seen = [np.asarray(each.walls), np.asarray(each.opaque)]
    return {"walls": seen, "ends": steps.ends, "lengths": steps.lengths, "parts": each.parts()}


@reading(Operand)
def values(each: Operand) -> dict[str, Any]:
    return {"values": each.values}


@reading(fc.Layer)
def history_of_a_layer(each: fc.Layer) -> dict[str, Any]:
    return {
        "time": each.time,
        "every": each.every,
        "resistance": each.resistance,
        "propagation": str(each.propagation),
        "read": each.read(),
    }


@reading(RadialLayer)
def heights(each: RadialLayer) -> dict[str, Any]:
    return {"heights": each.heights}


@reading(TrailLayer)
def vectors_of_a_trail(each: TrailLayer) -> dict[str, Any]:
    if each.propagation is None or not each.propagation.vector:
        return {}
    return {"vectors": each.vectors}


@reading(SourceLayer)
def sources(each: SourceLayer) -> dict[str, Any]:
    held = each.sources
    return {
        "ids": held.ids,
        "cells": held.cells,
        "positions": held.positions,
        "strengths": held.strengths,
        "keys": [str(key) for key in held.keys],
    }


@reading(RadialLayer)
def values_without_sources(each: RadialLayer) -> dict[str, Any]:
    held = [each.source(identity) for identity in each.sources.ids[:2]]
    centers = each.space.position_of(np.arange(len(each.space)))
    maps = (each, 2 * each + 1)
    if each.propagation.blend == "max":
        return {}  # as of the sources now, not of the last step
    return {"without": [fc.sample(one, centers, without=source) for one in maps for source in held]}


@reading(RadialLayer)
def strongest(each: RadialLayer) -> dict[str, Any]:
    cells = range(len(each.space))
    return {"strongest": each.strongest, "parts": [each.attribution(cell) for cell in cells]}


@reading(ArrayLayer)
def finite_values(each: ArrayLayer) -> dict[str, Any]:
    return {"finite values": each.finite_values()}


@reading(DistanceMap)
def distances(each: DistanceMap) -> dict[str, Any]:
    return {
        "distances": each.exact,
        "outdated": each.outdated,
        "for expressions": each.finite_values(),
    }


@reading(FlowField)
def flow(each: FlowField) -> dict[str, Any]:
    if each.distance_map.outdated:
        return {}
    centers = each.space.position_of(np.arange(len(each.space)))
    return {"vectors": each.vectors, "samples": each.sample(centers)}


@reading(Eased)
def eased(each: Eased) -> dict[str, Any]:
    return {"values": each.values}


@reading(fc.Belief)
def belief(each: fc.Belief) -> dict[str, Any]:
    return {
        "probabilities": [each.probability(number) for number in range(each.targets)],
        "hypotheses": each.hypotheses(),
        "estimate": each.estimate(),
    }


@reading(fc.LastSeen)
def last_seen(each: fc.LastSeen) -> dict[str, Any]:
    return {"time": each.time, "never": each.never, "knowledge": each.knowledge.values}


@reading(fc.Pursuit)
def pursuit(each: fc.Pursuit) -> dict[str, Any]:
    return {
        "hot": each.hot,
        "barrier": each.barrier,
        "stopped": each.stopped,
        "steps": each.steps,
        "time": each.time,
    }


@reading(fc.SearchParty)
def party(each: fc.SearchParty) -> dict[str, Any]:
    return {
        "searching": each.searching,
        "values": each.values,
        "hypotheses": each.hypotheses(),
        "estimate": each.estimate(),
    }


@reading(fc.Teams)
def teams(each: fc.Teams) -> dict[str, Any]:
    first = each.names[0]
    found = {
        "hostile": list(each.hostile.items()),
        "owner": each.owner(),
        "tension": each.tension().values,
        "influence": each.influence(first).values,
        "share": each.share(first).values,
        "vulnerability": each.vulnerability(first).values,
    }
    if len(each.names) > 1:
        found["front lines"] = [line.points for line in each.front_lines()]
    return found


@reading(np.ndarray)
def array(each: np.ndarray) -> dict[str, Any]:
    return {"array": each}
