"""Layers with an array of the user."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc


def test_values_stay_as_they_were_written_and_walls_hold_some() -> None:
    grid = fc.Grid(walls=[[0, 1, 0], [0, 0, 0]])
    imap = fc.InfluenceMap(grid)
    board = imap.add_layer("board", values=[[1, 2, 3], [4, 5, 6]])
    assert type(board) is fc.layer.ArrayLayer
    assert board.propagation is None
    imap.step(3)
    assert board.values.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (board + 0).values[0, 1] == 0
    board.stamp(fc.Stamp.disc(0.5), (0.5, 0.5), 2.0)
    assert board.values[0, 0] == 3
    board.write(np.zeros((2, 3)))
    assert not board.values.any()
