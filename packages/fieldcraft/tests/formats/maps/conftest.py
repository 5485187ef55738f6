from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

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


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    """A folder with the same small map in five formats."""
    (tmp_path / "a.map").write_text("type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n")
    Image.fromarray(np.array([[255, 0, 255], [255, 255, 255]], dtype=np.uint8)).save(
        tmp_path / "a.png"
    )
    np.savez(tmp_path / "a.npz", pathing=np.array([[1, 1, 1], [1, 0, 1]], dtype=np.uint8))
    (tmp_path / "a.tmx").write_text(
        '<map width="3" height="2" tilewidth="1" tileheight="1"><layer name="walls" width="3"'
        ' height="2"><data><tile/><tile gid="1"/><tile/><tile/><tile/><tile/></data></layer></map>'
    )
    (tmp_path / "a.json").write_text(
        '{"layers": [{"type": "tilelayer", "name": "walls", "width": 3, "height": 2, "data": [0, 1,'
        ' 0, 0, 0, 0]}], "width": 3, "height": 2, "tilewidth": 1, "tileheight": 1}'
    )
    return tmp_path
