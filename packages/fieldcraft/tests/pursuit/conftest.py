from __future__ import annotations

from typing import Any

import pytest

from support.memories import SPACES


@pytest.fixture(params=SPACES)
def space(request: pytest.FixtureRequest) -> Any:
    return SPACES[request.param]
