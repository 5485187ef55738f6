"""A device for the tests: the first one at hand, which may be a software renderer."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import fieldcraft as fc
from fieldcraft.base.errors import NoDevice
from fieldcraft_gpu import Device


@pytest.fixture(scope="session", autouse=True)
def runtime_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Drivers keep things there, and complain where it is not set."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
    yield


@pytest.fixture(scope="session")
def device(runtime_folder: None) -> Device:
    """The device, or a reason to skip."""
    try:
        return fc.gpu.device(exact=False)
    except NoDevice as error:
        pytest.skip(str(error))
