"""The laws of spreading, whatever kernel serves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from oracles.spread import decayed
from support.refusals import refused
from support.spreading import POWERS, stand

pytestmark = pytest.mark.reference


@pytest.mark.parametrize("falloff", POWERS)
@pytest.mark.parametrize("strength", [5.0, 0.3, -5.0])
@pytest.mark.parametrize("cell_size", [1.0, 0.25])
def test_a_corridor_settles_to_the_curve_of_its_falloff(
    falloff: str, strength: float, cell_size: float
) -> None:
    spread = fc.Spread(0.21, 0.5, falloff=falloff)
    layer = stand(fc.InfluenceMap(fc.Grid(60, 1, cell_size=cell_size)), spread, {0: strength})
    layer.settle()
    away = np.arange(60) * cell_size
    expected = decayed(spread, away, strength)
    # Right at the floor the corridor's float32 may fall on the other side.
    near = np.abs(np.abs(expected) - spread.floor) < 1e-4
    np.testing.assert_allclose(layer.values[0][~near], expected[~near], rtol=1e-4, atol=1e-5)
    assert expected[0] == pytest.approx(strength)


class TestSpread:
    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            ({"decay": -0.1}, "decay=-0.1"),
            ({"decay": math.nan}, "decay=nan"),
            ({"decay": math.inf}, "decay=inf"),
            ({"decay": "0.3"}, "decay='0.3'"),
            ({"decay": None}, "decay=None"),
            ({"momentum": -0.01}, "momentum=-0.01"),
            ({"momentum": 1.01}, "momentum=1.01"),
            ({"momentum": math.nan}, "momentum=nan"),
            ({"momentum": True}, "momentum=True"),
            ({"falloff": "gaussian"}, "falloff='gaussian'"),
            ({"falloff": None}, "falloff=None"),
            ({"half_life": 0}, "half_life=0"),
            ({"half_life": -1}, "half_life=-1"),
            ({"half_life": math.inf}, "half_life=inf"),
            ({"floor": -1e-3}, "floor=-0.001"),
            ({"floor": math.nan}, "floor=nan"),
            ({"stack": "mean"}, "stack='mean'"),
            ({"stack": None}, "stack=None"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_refuses(self, arguments: dict[str, object], named: str) -> None:
        with refused(InvalidValue, named):
            fc.Spread(**{"decay": 0.2, "momentum": 0.3, **arguments})

    def test_is_a_value(self) -> None:
        assert fc.Spread(0.2, 0.3) == fc.Spread(0.2, 0.3)
        assert hash(fc.Spread(0.2, 0.3)) == hash(fc.Spread(0.2, 0.3))
        with pytest.raises(AttributeError):
            fc.Spread(0.2, 0.3).decay = 1.0
