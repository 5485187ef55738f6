from __future__ import annotations

import pytest

import fieldcraft as fc


@pytest.fixture
def space() -> fc.Grid:
    return fc.Grid(12, 7, neighbors=8)
