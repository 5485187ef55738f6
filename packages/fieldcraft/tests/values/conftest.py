from __future__ import annotations

import pytest

from fieldcraft.values import calculation
from support.expressions import a_map


@pytest.fixture
def imap():
    return a_map()


@pytest.fixture
def one_by_one(monkeypatch):
    """How often a pass over cells was made."""
    passes = []
    run = calculation.Calculation.run
    monkeypatch.setattr(
        calculation.Calculation,
        "run",
        lambda *arguments: passes.append(arguments[1]) or run(*arguments),
    )
    return passes
