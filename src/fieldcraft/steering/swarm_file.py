"""Saved swarms, read back."""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from fieldcraft.errors import BadSaveFile

__all__ = ["read"]

_MOST_AGENTS = 1 << 28


def read(target: Path, magic: bytes, shape: tuple[int, ...]) -> dict[str, Any]:
    """The state in a file that `Swarm.save` wrote; raises `BadSaveFile` for any other."""
    try:
        data = target.read_bytes()
    except OSError as error:
        raise BadSaveFile("A save can be read", got=f"{target}: {error.strerror}", remedy="Check the path") from error
    size = hashlib.sha256().digest_size
    if not data.startswith(magic) or hashlib.sha256(data[:-size]).digest() != data[-size:]:
        raise _damaged(target, "another kind of file, or a checksum that differs")
    head, _, packed = data[len(magic) : -size].partition(b"\n")
    try:
        header = json.loads(head)
        if header["version"] != 1:
            raise BadSaveFile(
                "This fieldcraft reads swarms of version 1", got=f"version {header['version']}", remedy="Use the fieldcraft that wrote it"
            )
        count = header["count"]
        if not isinstance(count, int) or not 0 <= count <= _MOST_AGENTS or tuple(header["shape"]) != tuple(shape):
            raise _damaged(target, f"{count} agents on a map of shape {header['shape']}")
        raw = zlib.decompressobj().decompress(packed, 12 * count + 1)
        agents = np.frombuffer(raw, dtype="<i4").astype(np.int32).reshape(3, count)
        return {"agents": agents, "key": header["key"], "step": header["step"]}
    except (ValueError, KeyError, TypeError, zlib.error, RecursionError) as error:
        if isinstance(error, BadSaveFile):
            raise
        raise _damaged(target, f"contents that don't fit together ({error})") from error


def _damaged(target: Path, got: str) -> BadSaveFile:
    return BadSaveFile(
        "A saved swarm is a whole file that swarm.save() wrote, for a map of that shape",
        got=f"{got}: {target}",
        remedy="Use another copy of it",
    )
