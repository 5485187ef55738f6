"""Positions off the map: refused with a remedy that the same call takes."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.base.errors import InvalidValue, OutsideMap

OFF, RIM, INSIDE = (50.0, 3.2), (9.5, 3.5), (1.5, 1.5)
CALLS = {
    "visible": lambda space, point, **off: fc.visible(space, point, 4, **off),
    "sees": lambda space, point, **off: fc.sees(space, point, INSIDE, 20, **off),
    "sees a target": lambda space, point, **off: fc.sees(space, INSIDE, point, 20, **off),
    "incoming": lambda space, point, **off: fc.incoming(space, point, INSIDE, speed=1, **off).cells,
    "move": lambda space, point, **off: steering.move(space, point, (-1, 0.5), **off),
    "avoid walls": lambda space, point, **off: steering.avoid_walls(
        space, point, (1, 0.5), 2, **off
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_positions_off_the_map_are_refused_or_count_as_on_its_rim(call):
    space = fc.Grid(10, 8)
    with pytest.raises(OutsideMap, match='outside="clamp"'):
        CALLS[call](space, OFF)
    clamped = CALLS[call](space, OFF, outside="clamp")
    np.testing.assert_array_equal(clamped, CALLS[call](space, RIM))
    np.testing.assert_array_equal(
        CALLS[call](space, INSIDE, outside="clamp"), CALLS[call](space, INSIDE)
    )
    with pytest.raises(InvalidValue, match="outside"):
        CALLS[call](space, OFF, outside="ignore")
