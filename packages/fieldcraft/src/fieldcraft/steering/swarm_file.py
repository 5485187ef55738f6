"""Swarms in files."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from fieldcraft import checks
from fieldcraft.errors import BadSaveFile
from fieldcraft.files import damaged, newer, sealed, write_sealed

__all__ = ["read", "write"]

_MAGIC = b"fieldcraft swarm\n"
_VERSION = 1
_MOST_AGENTS = 1 << 28
_MOST_KEY = 2**62
_MOST_STEP = 2**53


def write(target: Path, state: dict[str, Any], shape: tuple[int, ...]) -> None:
    """Write the state of a swarm on a map of that shape."""
    agents = state["agents"]
    header = {
        "version": _VERSION,
        "key": state["key"],
        "step": state["step"],
        "count": agents.shape[1],
        "shape": shape,
    }
    write_sealed(
        target,
        (
            _MAGIC,
            json.dumps(header).encode() + b"\n",
            zlib.compress(agents.astype("<i4").tobytes(), 1),
        ),
    )


def read(target: Path, shape: tuple[int, ...]) -> dict[str, Any]:
    """The state that `write` wrote for a map of that shape; raises `BadSaveFile` for any other
    file.
    """
    with sealed(target, _MAGIC) as (file, size):
        head, _, packed = file.read(size).partition(b"\n")
    try:
        header = json.loads(head)
        if header["version"] != _VERSION:
            raise newer(target, header["version"], _VERSION)
        count = header["count"]
        if (
            not isinstance(count, int)
            or not 0 <= count <= _MOST_AGENTS
            or tuple(header["shape"]) != tuple(shape)
        ):
            raise damaged(
                target,
                f"{count} agents on a map of shape {tuple(header['shape'])}, here {tuple(shape)}",
            )
        raw = zlib.decompressobj().decompress(packed, 12 * count + 1)
        agents = np.frombuffer(raw, dtype="<i4").astype(np.int32).reshape(3, count)
        key, step = (
            checks.whole(name, header[name], maximum=most)
            for name, most in (("key", _MOST_KEY), ("step", _MOST_STEP))
        )
    except (ValueError, LookupError, TypeError, zlib.error, RecursionError) as error:
        if isinstance(error, BadSaveFile):
            raise
        raise damaged(target, f"contents that don't fit together ({error})") from error
    return {"agents": agents, "key": key, "step": step}
