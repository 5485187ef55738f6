"""Ids of sources."""

from __future__ import annotations

import numpy as np

from fieldcraft.layers.sources import source_ids


def test_ids_have_their_rows_and_generations() -> None:
    rows = np.array([0, 7, 2**32 - 1, 5])
    generations = np.array([0, 3, 2**31 - 1, 2**20])
    ids = source_ids.ids_of(rows, generations)
    assert source_ids.rows_of(ids).tolist() == rows.tolist()
    assert source_ids.generations_of(ids).tolist() == generations.tolist()
    assert len(set(ids.tolist())) == 4
