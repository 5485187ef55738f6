"""Content of map files, read under limits: bytes, JSON objects, rows of numbers, objects by
name.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks, files
from fieldcraft.base.errors import BadMapFile, FieldcraftError, InvalidValue
from fieldcraft.base.words import Mobility
from fieldcraft.space.grid.map_objects import MapObjects

__all__ = [
    "Listed",
    "decimals",
    "file_beside",
    "json_object",
    "map_file",
    "numbers",
    "objects_by_name",
    "parsing",
    "read_bytes",
    "read_json",
]

_MAX_BYTES = 2**26
_MAX_PARTS = 2**22


def map_file(
    path: str | os.PathLike[str],
    mobility: Mobility,
    offered: Sequence[str],
    max_height: float | None = None,
) -> Path:
    """Return the path of a map file; `mobility` must be one that its format offers, `max_height` a
    number of at least 0 or None.
    """
    checks.choice("mobility", mobility, tuple(offered))
    checks.optional(checks.not_negative)("max_height", max_height)
    return checks.path("path", path)


def file_beside(file: Path, source: str) -> Path:
    """Return the path of a file that a map names, relative to the folder of the map.

    Raises
    ------
    ValueError
        For an absolute path.
    """
    if re.search(r"[\\:]", source) or PurePosixPath(source).is_absolute():
        raise ValueError(f"the file {source!r:.200} in place of a path relative to the map")
    return file.parent / source


def read_bytes(path: Path, limit: int, remedy: str) -> bytes:
    """Return the bytes of a map file; more than `limit` raise `BadMapFile` with `remedy`."""
    return files.read_bytes(path, limit, "A map", BadMapFile, remedy)


def read_json(path: Path, kind: str) -> dict[str, Any]:
    """Return the JSON object in a file of at most 64 MB."""
    raw = read_bytes(path, _MAX_BYTES, f"Leave out the entries that a {kind} does not need")
    return json_object(raw, path.name, kind)


def json_object(raw: bytes, name: str, kind: str, limit: int = _MAX_PARTS) -> dict[str, Any]:
    """Return the JSON object in the bytes of a file; more than `limit` opening brackets raise
    `BadMapFile` before anything is parsed.
    """
    parts = raw.count(b"[") + raw.count(b"{")
    if parts > limit:
        rule = f"A {kind} has at most {limit:,} objects and lists"
        got = f"{parts:,} in {name}"
        raise BadMapFile(rule, got=got, remedy="Cut it into several files")
    with parsing(name, kind):
        found = json.loads(raw.decode("utf-8-sig"))
        if not isinstance(found, dict):
            raise ValueError(f"a {type(found).__name__} in place of an object")
    return found


@contextlib.contextmanager
def parsing(name: str, kind: str) -> Iterator[None]:
    """Turn the errors of damaged content, and of missing and wrong entries, into `BadMapFile`."""
    try:
        yield
    except InvalidValue as error:
        got = f"{error.got} in {name}"
        remedy = f"Correct the {kind}"
        raise BadMapFile(error.rule, got=got, remedy=remedy) from None
    except FieldcraftError:
        raise
    except Exception as error:  # decoders raise errors of many kinds
        raise BadMapFile(
            f"A {kind} is complete, and its entries have the right types",
            got=f"{type(error).__name__}: {' '.join(str(error).split())[:200]} in {name}",
            remedy="Export it again, or correct that entry; the file may be cut off",
        ) from error


def numbers(rows: Any, columns: int, *, integer: bool = False) -> NDArray[Any]:
    """Return rows of `columns` numbers each as an array (N, columns): int64 if `integer`, else
    float64.

    Raises
    ------
    ValueError
        If a row has another length, or an entry is no such number or larger than 1e30.
    """
    kind = "whole numbers" if integer else "numbers"
    if len(rows):
        array = np.asarray(rows)
    else:
        array = np.zeros((0, columns), dtype=np.int64)
    if array.shape[1:] != (columns,) or array.dtype.kind not in ("iu" if integer else "iuf"):
        raise ValueError(
            f"{array.dtype} of shape {array.shape} in place of rows of {columns} {kind}"
        )
    if not (np.abs(array.astype(np.float64)) <= checks.LARGEST).all():
        raise ValueError(f"{kind} that are not finite or above {checks.LARGEST:g}")
    return array.astype(np.int64 if integer else np.float64)


_LONGEST_NUMBER = 64


def decimals(words: Sequence[bytes], columns: int) -> NDArray[np.float64]:
    """Return the numbers of a text as an array (N, columns).

    Raises
    ------
    ValueError
        For words that are no numbers, or longer than 64 characters, and for an incomplete row.
    """
    longest = max(map(len, words), default=0)
    if longest > _LONGEST_NUMBER:
        raise ValueError(f"a number of {longest} characters")
    return np.array(words, dtype=f"S{_LONGEST_NUMBER}").astype(np.float64).reshape(-1, columns)


Listed = tuple[str, tuple[float, float], Mapping[str, Any]]
"""The name, position and properties of an object."""


def objects_by_name(listed: Iterable[Listed]) -> dict[str, MapObjects]:
    """Return objects by their names; objects without a name are left out."""
    positions: dict[str, list[tuple[float, float]]] = {}
    properties: dict[str, list[Mapping[str, Any]]] = {}
    for name, position, own in listed:
        if name:
            positions.setdefault(name, []).append(position)
            properties.setdefault(name, []).append(own)
    return {
        name: MapObjects(np.array(places), tuple(properties[name]))
        for name, places in positions.items()
    }
