"""Where the real inputs lie: recorded games, game maps, meshes that nobody here wrote and that are
never committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HOME = Path(
    os.environ.get("FIELDCRAFT_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")
)


def folder(name: str) -> Path:
    """The folder `name` of the real data; skips the test, with the reason, where it is absent."""
    path = HOME / name
    if not path.is_dir():
        pytest.skip(
            f"real data not found: {path} (set FIELDCRAFT_DATA to the folder that holds it)"
        )
    return path


def files(name: str, pattern: str) -> list[Path]:
    """The files of a folder of the real data, for parametrizing: empty where it is absent."""
    return sorted((HOME / name).glob(pattern))
