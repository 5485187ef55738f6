"""Positions on grids as rows and columns."""

from __future__ import annotations

import fieldcraft as fc

SPACES = [
    fc.Grid(13, 7),
    fc.Grid(7, 13, cell_size=0.3, origin=(-2.0, 5.0)),
    fc.Grid(9, 14, cell_size=2.5, origin=(3.0, -4.0), y_up=True),
]
