"""Worlds on the CPU and on a device."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import fieldcraft as fc
from fieldcraft.base.errors import NoDevice
from fieldcraft_worlds.games.device import choose_device


@pytest.fixture(params=["cpu", "gpu"])
def carrier(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where worlds live that are opened meanwhile."""
    if request.param == "gpu":
        try:
            fc.gpu.device()
        except NoDevice as error:
            pytest.skip(str(error))
    choose_device(request.param)
    yield request.param
    choose_device(None)
