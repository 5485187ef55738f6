"""Damaged files for the fuzz tests: cut off, bits turned, pieces moved, or nothing but noise."""

from __future__ import annotations

import contextlib
import copy
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fieldcraft.errors import FieldcraftError
from fieldcraft.maps import load_map

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


# Values that documents have no business holding, and some that they might.
oddities = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.sampled_from([0, 1, -1, 2**31, 2**64, 10**400]),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(
        ["walls", "true", "../x", "csv", "base64", "zlib", "zstd", "\ud800", "\x00", "9" * 5000]
    ),
    st.lists(st.integers(-3, 300), max_size=4),
    st.dictionaries(
        st.sampled_from(["data", "x", "name", "properties"]), st.integers(-3, 3), max_size=2
    ),
)


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    keys = list(node) if isinstance(node, dict) else range(len(node)) if type(node) is list else ()
    return [(node, key) for key in keys] + [place for key in keys for place in places(node[key])]


def odd(data: st.DataObject, document: Any) -> Any:
    """A copy of a JSON document in which a few entries are missing, or odd."""
    spoilt = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 3))):
        if found := places(spoilt):
            owner, key = data.draw(st.sampled_from(found))
            if data.draw(st.booleans()) and isinstance(owner, dict):
                del owner[key]
            else:
                owner[key] = data.draw(oddities)
    return spoilt


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
