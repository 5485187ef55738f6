"""Totals and leaders over the maps of all teams."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.teams.survey import Survey, Surveyed
from support.refusals import refused


def layers() -> list[fc.Layer]:
    imap = fc.InfluenceMap(fc.Grid(4, 2))
    return [
        imap.add_layer("red", values=[[3, 2, 1, 0]] * 2),
        imap.add_layer("blue", values=[[0, 2, -4, 0]] * 2),
    ]


def test_presences_are_magnitudes_and_of_equals_the_first_leads() -> None:
    survey = Survey(layers(), "total")
    assert survey.total.tolist() == [[3, 4, 5, 0]] * 2
    assert survey.contested.tolist() == [[0, 4, 2, 0]] * 2
    assert survey.leader.tolist() == [[0, 0, 1, -1]] * 2
    assert survey.lead(2.5).tolist() == [[0, -1, 1, -1]] * 2
    assert survey.presence(1).tolist() == [[0, 2, 4, 0]] * 2


def test_it_is_read_again_when_a_layer_changes() -> None:
    red, blue = layers()
    survey = Survey([red, blue], "total")
    total = Surveyed(survey, "tension", "total")
    before = total.version
    assert total.version == before
    red.write(np.zeros((2, 4)))
    assert total.version > before
    assert total.values.tolist() == [[0, 2, 4, 0]] * 2


def test_sources_are_compared_on_radial_layers_alone() -> None:
    with refused(InvalidValue, 'by="source"', "fc.Radial"):
        Survey(layers(), "source")
