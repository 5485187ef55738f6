from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.tiled import as_xml


@pytest.fixture(params=["json", "tmj", "tmx"])
def save(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Writes a map in one of the formats."""

    def write(document: dict[str, Any]) -> Path:
        path = tmp_path / f"small.{request.param}"
        path.write_bytes(
            as_xml(document) if request.param == "tmx" else json.dumps(document).encode()
        )
        return path

    yield write
