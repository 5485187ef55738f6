"""Grids, drawn as text."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc


def drawn(*rows: str, **options: object) -> fc.Grid:
    walls = np.array([[letter == "#" for letter in row] for row in rows])
    return fc.Grid(len(rows[0]), len(rows), walls=walls, **options)  # type: ignore[arg-type]
