"""Memory: marks, how they fade, spread and diffuse, whatever the slicing of time."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap, WrongLayer
from fieldcraft.layers.propagation import Fade
from support.fading import remembering
from support.refusals import refused, unchanged


class TestRefusals:
    @pytest.mark.parametrize(
        "bad",
        [
            {"amount": -0.25},
            {"amount": 0},
            {"interval": 0.0},
            {"interval": -5},
            {"maximum": 0},
            {"maximum": -1},
            {"half_life": 0},
            {"half_life": -3.0},
            {"mark_spread": -0.1},
            {"mark_spread": 1.0},
            {"amount": float("nan")},
            {"maximum": float("inf")},
            {"amount": "much"},
            {"half_life": 1.0, "floor": 200.0},
            {"maximum": 1e31},
            {"amount": 1e-12},
            {"half_life": 1e9},
            {"diffusion": 0.96},
        ],
    )
    def test_of_parameters(self, bad: dict[str, float]) -> None:
        with refused(InvalidValue):
            Fade(**bad)

    def test_of_marks(self) -> None:
        walls = np.zeros((7, 13), bool)
        walls[2, 3] = True
        layer = remembering(walls=walls)
        layer.mark((9.5, 2.5))
        with unchanged(layer):
            for kind, arguments, settings in (
                (OnWall, ((3.5, 2.5),), {}),
                (OutsideMap, ((99.0, 2.5),), {}),
                (InvalidValue, ((4.5, 2.5), -1.0), {}),
                (InvalidValue, ((4.5, 2.5), float("nan")), {}),
                (InvalidValue, ([(4.5, 2.5)], [1.0, 2.0]), {}),
                (InvalidValue, ((4.5, 2.5),), {"radius": 0.0}),
                (InvalidValue, ((4.5, 2.5),), {"radius": 2.0, "metric": "crow"}),
                (InvalidValue, ((4.5, 2.5),), {"radius": 2.0, "falloff": "steep"}),
                (InvalidValue, ([(4.5, 2.5), (5.5, 2.5)],), {"radius": [2.0, 0.0]}),
                (InvalidValue, ([(4.5, 2.5), (5.5, 2.5)],), {"radius": [2.0]}),
                (InvalidValue, (np.ones((13, 7), bool),), {}),
                (InvalidValue, (np.ones((7, 13), bool), np.full((7, 13), -1.0)), {}),
                (InvalidValue, (np.ones((7, 13), bool), [1.0, 2.0]), {}),
            ):
                with refused(kind):
                    layer.mark(*arguments, **settings)
            with refused(InvalidValue, "A mask is bool"):
                layer.mark(np.ones((7, 13), int))
            with refused(WrongLayer, "mark"):
                layer.add_source((4.5, 2.5))
            with refused(WrongLayer, "mark"):
                layer.sync(["a"], [(4.5, 2.5)])
            for bad in (-1.0, 101.0):
                with refused(InvalidValue, "maximum"):
                    layer.write(np.full((7, 13), bad))

    def test_of_marks_elsewhere(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(5, 4))
        for layer in (
            imap.add_layer("a", fc.Spread(0.5, 0.5)),
            imap.add_layer("b", values=np.zeros((4, 5))),
        ):
            with refused(WrongLayer, "Fade"):
                layer.mark((1.5, 1.5))
