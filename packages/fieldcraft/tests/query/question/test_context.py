"""The context of a question: names, positions, formulas."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.query.question.context import Context, Formulas
from support.refusals import refused


def context(**given: object) -> Context:
    imap = fc.InfluenceMap(fc.Grid(6, 4))
    imap.add_layer("threat", values=np.arange(24).reshape(4, 6))
    return Context(imap, given, Formulas())


def test_positions_are_names_or_positions_and_those_of_the_start() -> None:
    guards = np.array([(0.5, 0.5), (5.5, 3.5)])
    asked = context(guards=guards)
    guards += 1
    assert asked.places("guards").tolist() == [[0.5, 0.5], [5.5, 3.5]]
    assert asked.places([(1, 2)]).tolist() == [[1, 2]]
    with refused(UnknownName, "guard", "guards"):
        asked.places("guard")
    with refused(InvalidValue, "one position or more"):
        context(nobody=np.empty((0, 2))).some_places("nobody")


def test_formulas_name_layers_maps_and_numbers() -> None:
    asked = context(weight=2)
    cells = np.array([0, 5, 23])
    assert asked.values_at("weight * threat", cells).tolist() == [0, 10, 46]
    distances = fc.distance_map(asked.space, (0.5, 0.5))
    assert asked.values_at(distances, cells).tolist() == [0, 5, 8]
    with refused(InvalidValue, "cells that it is asked on"):
        asked.map_of(fc.InfluenceMap(fc.Grid(5, 4)).add_layer("a", values=np.zeros((4, 5))))


def test_expressions_are_cached_while_their_names_stay() -> None:
    formulas = Formulas()
    imap = fc.InfluenceMap(fc.Grid(6, 4))
    known = {"threat": imap.add_layer("threat", fc.Radial(3)), "weight": 2}
    first = formulas.expression("weight * threat", known)
    assert formulas.expression("weight * threat", {**known, "other": 3}) is first
    assert formulas.expression("weight * threat", {**known, "weight": 3}) is not first


def test_results_are_computed_once() -> None:
    asked = context()
    calls: list[int] = []
    for _ in range(2):
        assert asked.once("key", lambda: calls.append(1) or 7) == 7
    assert calls == [1]
