"""Influence maps as files: one file, versioned, checksummed, no pickle.

Layout: a magic line, the format's version (4 bytes), the header's length (8 bytes), the header as
    JSON, the arrays
compressed with zlib in the order in which the header lists them, and the SHA-256 of all that stands
before it.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zlib
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.files import damaged, newer, sealed, write_sealed
from fieldcraft.layer.layer import LayerState
from fieldcraft.layer.making import LAYERS
from fieldcraft.propagation import PROPAGATIONS, Propagation
from fieldcraft.propagation.carried import Carried
from fieldcraft.propagation.settings import values_of
from fieldcraft.sources import Sources
from fieldcraft.sources.shapes import Shape
from fieldcraft.space import Space, grid_of
from fieldcraft.space.graph import MAX_EDGES
from fieldcraft.space.grid import MAX_CELLS
from fieldcraft.space.serialization import ARRAYS, NAMES, from_parts, to_parts

if TYPE_CHECKING:
    from fieldcraft.influence_map.imap import InfluenceMap

__all__ = ["load", "save"]

_MAGIC = b"fieldcraft influence map\n"
_VERSION = 1
_FRAME = struct.Struct("<IQ")
_DTYPES = ("|u1", "|b1", "<i8", "<f4", "<f8")
_MOST_HEADER = 1 << 28
_MOST_TICKS = 1 << 60  # 51 years: three times as much is left until 64 bits end
_MESH = ("corners", "starts", "rings")


Arrays = dict[int, NDArray[Any]]
"""The arrays of a save that nothing has taken yet, by number."""


def save(imap: InfluenceMap, path: str | os.PathLike[str]) -> None:
    """Write an influence map to a file: beside it first, then renamed over it."""
    target = checks.path("path", path)
    arrays: list[NDArray[Any]] = []

    def listed(array: NDArray[Any]) -> int:
        arrays.append(np.ascontiguousarray(array))
        return len(arrays) - 1

    spaces: list[Space] = [imap.space]
    layers = []
    for layer in imap.layers.values():
        if not any(layer.space is space for space in spaces):
            spaces.append(layer.space)
        layers.append(
            _layer_out(
                layer._state(),
                next(i for i, space in enumerate(spaces) if space is layer.space),
                listed,
            )
        )
    header: dict[str, Any] = {
        "ticks": imap._ticks,
        "spaces": [_space_out(space, spaces, listed) for space in spaces],
        "layers": layers,
    }
    packed = [zlib.compress(array.tobytes(), 1) for array in arrays]
    header["arrays"] = [
        {"dtype": array.dtype.str, "shape": array.shape, "bytes": len(data)}
        for array, data in zip(arrays, packed, strict=True)
    ]
    text = json.dumps(header, separators=(",", ":")).encode()
    write_sealed(target, (_MAGIC, _FRAME.pack(_VERSION, len(text)), text, *packed))


def load(
    kind: type[InfluenceMap], path: str | os.PathLike[str], most_bytes: int = 1 << 30
) -> InfluenceMap:
    """Return the influence map of a file that `InfluenceMap.save` wrote; it goes on bit for bit.

    Raises
    ------
    BadSaveFile
        If the file is missing, damaged, not a save, of a newer version, or where its arrays take
        more than `most_bytes` together: nothing is unpacked then.
    """
    target = checks.path("path", path)
    header, arrays = _read(target, checks.integer("most_bytes", most_bytes))
    try:
        spaces: list[Space] = []
        for entry in header["spaces"]:
            spaces.append(_space_in(entry, spaces, arrays))
        imap = kind(spaces[0])
        imap._ticks = _size(header["ticks"], _MOST_TICKS)
        for entry in header["layers"]:
            space = spaces[entry["space"]]
            state = _layer_in(entry, space, arrays)
            imap._take(LAYERS[state.propagation._layer_kind].restored(state, space, imap._lock))
        if arrays:
            raise ValueError(f"{len(arrays)} arrays that belong to nothing")
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise damaged(target, f"contents that don't fit together ({error})") from error
    return imap


def _read(target: Path, most_bytes: int) -> tuple[dict[str, Any], dict[int, NDArray[Any]]]:
    with sealed(target, _MAGIC, _FRAME.size) as (file, inside):
        version, length = _FRAME.unpack(file.read(_FRAME.size))
        if version != _VERSION:
            raise newer(target, version, _VERSION)
        if length > min(inside, _MOST_HEADER):
            raise damaged(target, f"a header of {length} bytes")
        try:
            header = json.loads(file.read(length))
            total = sum(_bytes_of(entry, target) for entry in header["arrays"])
            if total > most_bytes:
                raise BadSaveFile(
                    f"The arrays of a save take at most {most_bytes:,} bytes together",
                    got=f"{total:,} bytes in {target}",
                    remedy=f"If you trust the file, pass most_bytes={total}",
                )
            arrays = [
                _array_in(file.read(_size(entry["bytes"], inside)), entry, target)
                for entry in header["arrays"]
            ]
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            if isinstance(error, FieldcraftError):
                raise
            raise damaged(target, f"a header that cannot be read ({error})") from error
    return header, dict(enumerate(arrays))


def _size(value: Any, most: int) -> int:
    if not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{value!r} where a whole number up to {most} belongs")
    return value


def _bytes_of(entry: dict[str, Any], target: Path) -> int:
    """Return the size of an array that a header lists; checks its type and shape."""
    shape = tuple(_size(n, MAX_CELLS) for n in entry["shape"])
    if entry["dtype"] not in _DTYPES or math.prod(shape) > 2 * max(MAX_CELLS, MAX_EDGES):
        raise damaged(target, f"an array of {entry['dtype']} and shape {shape}")
    size: int = math.prod(shape) * np.dtype(entry["dtype"]).itemsize
    return size


def _array_in(data: bytes, entry: dict[str, Any], target: Path) -> NDArray[Any]:
    expected = _bytes_of(entry, target)
    unpacking = zlib.decompressobj()
    try:
        raw = unpacking.decompress(data, expected + 1)
    except zlib.error as error:
        raise damaged(target, f"an array that cannot be unpacked ({error})") from error
    if len(raw) != expected:
        raise damaged(target, f"an array of {len(raw)} bytes where {expected} belong")
    return np.frombuffer(raw, dtype=np.dtype(entry["dtype"])).reshape(entry["shape"])


def _space_out(space: Space, spaces: list[Space], listed: Any) -> dict[str, Any]:
    kind, parts = to_parts(space)
    if kind == "grid":
        return {"parent": _place(spaces, lambda other: other is space.parent)} | _out(parts, listed)
    if kind != "graph":
        return {"kind": kind} | _out(parts, listed)
    # The names and forms of graphs in a save are older than `apart`.
    entry = {
        "kind": kind,
        "blocked": listed(parts.pop("walls")),
        "closed": listed(parts.pop("closed")),
    }
    like = _place(
        spaces[: _place(spaces, lambda other: other is space)], lambda other: _is_like(other, space)
    )
    if like is not None:
        return entry | {"like": like}
    labels, mesh, squares = (parts.pop(name, None) for name in ("labels", "mesh", "squares"))
    entry |= _out(parts, listed)
    if labels is not None:
        entry["labels"] = [_key_out(label) for label in labels]
    if mesh is not None:
        entry["mesh"] = [listed(mesh[name]) for name in _MESH]
    return (
        entry if squares is None else entry | {"squares": {"parent": None} | _out(squares, listed)}
    )


def _space_in(entry: dict[str, Any], spaces: list[Space], arrays: Arrays) -> Space:
    kind = entry.get("kind", "grid")
    if kind == "graph":
        return _graph_in(entry, spaces, arrays)
    space = from_parts(kind, _in(entry, arrays))
    if entry.get("parent") is not None:
        coarse, fine = (
            grid_of(space, "A coarser map"),
            grid_of(spaces[entry["parent"]], "A coarser map"),
        )
        if fine.coarser(coarse.cell_size).shape != coarse.shape:
            raise ValueError(f"{coarse!r} made of {fine!r}")
        coarse.follow(fine)
    return space


def _graph_in(entry: dict[str, Any], spaces: list[Space], arrays: Arrays) -> Space:
    if "like" in entry:
        model, blocked, closed = (
            spaces[entry["like"]],
            arrays.pop(entry["blocked"]),
            arrays.pop(entry["closed"]),
        )
        if NAMES[type(model)] != "graph" or blocked.dtype != np.bool_ or closed.dtype != np.bool_:
            raise ValueError(
                f"a graph like {model!r}, blocked vertices of {blocked.dtype} and closed edges of"
                f" {closed.dtype}"
            )
        graph: Space = model.with_walls(blocked)
        graph.graph._close(closed)
        return graph
    labels = [_key_in(label) for label in entry["labels"]] if "labels" in entry else None
    mesh = dict(zip(_MESH, entry["mesh"], strict=True)) if "mesh" in entry else None
    parts = {name: value for name, value in entry.items() if name not in ("blocked", "labels")}
    return from_parts(
        "graph", _in(parts | {"walls": entry["blocked"], "mesh": mesh}, arrays) | {"labels": labels}
    )


def _place(spaces: list[Space], fits: Callable[[Space], bool]) -> int | None:
    return next((index for index, space in enumerate(spaces) if fits(space)), None)


def _is_like(other: Space, graph: Space) -> bool:
    return NAMES[type(other)] == "graph" and other.graph.topology is graph.graph.topology


def _out(parts: dict[str, Any], listed: Any) -> dict[str, Any]:
    """Parts of a space for JSON: the places of arrays, and no terrain where there is none."""
    found: dict[str, Any] = {}
    for name, value in parts.items():
        if isinstance(value, dict):
            found[name] = _out(value, listed)
        elif name in ARRAYS:
            found[name] = listed(value)
        elif name != "terrain":
            found[name] = value
    return found


def _in(entry: dict[str, Any], arrays: Arrays) -> dict[str, Any]:
    """The parts that `_out` was given; `terrain` is None where there is none."""
    found: dict[str, Any] = {"terrain": None}
    for name, value in entry.items():
        found[name] = (
            _in(value, arrays)
            if isinstance(value, dict)
            else arrays.pop(value)
            if name in ARRAYS
            else value
        )
    return found


def _layer_out(state: LayerState, space: int, listed: Any) -> dict[str, Any]:
    columns, keys = state.sources.state()
    return {
        "name": state.name,
        "space": space,
        "propagation": _propagation_out(state.propagation),
        "priority": state.priority,
        "response": state.response,
        "every": state.every,
        "ticks": state.ticks,
        "due": state.due,
        "arrays": {name: listed(array) for name, array in state.arrays.items()},
        "sources": {name: listed(column) for name, column in columns.items()},
        "shapes": [
            [shape.radius, None if shape.falloff is None else shape.falloff.state()]
            for shape in state.sources.shapes
        ],
        "keys": [(_key_out(key), identity) for key, identity in keys],
    }


def _layer_in(entry: dict[str, Any], space: Space, arrays: Arrays) -> LayerState:
    columns = {name: arrays.pop(index) for name, index in entry["sources"].items()}
    keys = [(_key_in(key), int(identity)) for key, identity in entry["keys"]]
    shapes = [
        Shape(
            None if radius is None else checks.positive("radius", radius),
            None if falloff is None else Falloff.restored(falloff),
        )
        for radius, falloff in entry["shapes"]
    ]
    held = {name: arrays.pop(index) for name, index in entry["arrays"].items()}
    values = held["values"]
    if values.dtype != np.float32 or values.shape != space.shape or not np.isfinite(values).all():
        raise ValueError(f"values of {values.dtype} and shape {values.shape}")
    if not isinstance(entry["name"], str):
        raise TypeError(f"a layer named {entry['name']!r}")
    sources = Sources.restored(space, columns, keys, shapes)
    every = max(_size(entry["every"], clock.MOST_TICKS), 1)
    ticks, due = _size(entry["ticks"], _MOST_TICKS), _size(entry["due"], every - 1)
    priority = checks.finite("priority", entry["priority"])
    response = None if entry["response"] is None else checks.positive("response", entry["response"])
    if response is not None and (
        held["shown"].dtype != np.float32 or held["shown"].shape != space.shape
    ):
        raise ValueError(f"shown values of shape {held['shown'].shape}")
    return LayerState(
        entry["name"],
        _propagation_in(entry["propagation"]),
        priority,
        response,
        every,
        ticks,
        due,
        held,
        sources,
    )


def _propagation_out(propagation: Propagation) -> dict[str, Any] | None:
    if isinstance(propagation, Carried):
        return None
    kind = next(name for name, kind in PROPAGATIONS.items() if type(propagation) is kind)
    settings = {
        name: value.state() if isinstance(value, Falloff) else value
        for name, value in values_of(propagation).items()
    }
    return {"kind": kind, **settings}


def _propagation_in(entry: dict[str, Any] | None) -> Propagation:
    if entry is None:
        return Carried()
    settings = {
        name: Falloff.restored(value) if isinstance(value, dict) else value
        for name, value in entry.items()
        if name != "kind"
    }
    kind: Any = PROPAGATIONS[entry["kind"]]
    made: Propagation = kind(**settings)
    return made


def _key_out(key: Hashable) -> Any:
    if isinstance(key, tuple):
        return [_key_out(part) for part in key]
    if isinstance(key, np.integer):
        return int(key)
    if key is None or isinstance(key, (bool, int, float, str)):
        return key
    raise InvalidValue(
        "Keys of a saved map are numbers, strings, None or tuples of them",
        got=repr(key),
        remedy="Sync with ids instead of objects",
    )


def _key_in(key: Any) -> Hashable:
    return tuple(_key_in(part) for part in key) if isinstance(key, list) else key
