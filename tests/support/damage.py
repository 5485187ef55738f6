"""Damaged files for the fuzz tests: cut off, bits turned, pieces moved, or nothing but noise."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fieldcraft.base.errors import FieldcraftError
from fieldcraft.formats.maps import load_map

fuzz = settings(
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """`whole` after a few accidents, or bytes that never were a file."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=300))
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        accident = draw(st.sampled_from(["cut", "turn", "insert", "drop", "repeat"]))
        if accident == "cut":
            del data[at:]
        elif accident == "turn" and data:
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif accident == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=8))
        elif accident == "drop":
            del data[at : at + draw(st.integers(1, 20))]
        elif accident == "repeat":
            data[at:at] = data[at : at + draw(st.integers(1, 40))]
    return bytes(data)


def rewrite(path: Path, data: bytes) -> None:
    """Other bytes for a file; one that is emptied first, as `write_bytes` does, goes to the disk
    before the call returns.
    """
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(data)
        file.truncate()


def load_or_refuse(path: Path, **options: Any) -> None:
    """Load a map; a refusal by fieldcraft is as good, anything else fails the test."""
    with contextlib.suppress(FieldcraftError):
        space = load_map(path, **options)
        assert space.walls.shape == space.shape
