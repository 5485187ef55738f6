"""Influence maps as files: one file, versioned, checksummed, no pickle.

Layout: a magic line, the format's version (4 bytes), the header's length (8 bytes), the header as JSON, the arrays
compressed with zlib in the order in which the header lists them, and the SHA-256 of all that stands before it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
import zlib
from collections.abc import Hashable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.influence_map.whole_file import checked_path, write_whole
from fieldcraft.layer import Layer, LayerState
from fieldcraft.propagation import PROPAGATIONS, Propagation
from fieldcraft.sources import Sources
from fieldcraft.sources.book import Shape
from fieldcraft.space import AnySpace, Graph, Grid, Mesh, Terrain
from fieldcraft.space.graph import MAX_EDGES
from fieldcraft.space.grid import MAX_CELLS

if TYPE_CHECKING:
    from fieldcraft.influence_map.imap import InfluenceMap

__all__ = ["load", "save"]

_MAGIC = b"fieldcraft influence map\n"
_VERSION = 1
_FRAME = struct.Struct("<IQ")
_DTYPES = ("|u1", "|b1", "<i8", "<f4", "<f8")
_MOST_HEADER = 1 << 28
_MOST_TICKS = 1 << 62
_CHUNK = 1 << 20


def save(imap: InfluenceMap, path: str | os.PathLike[str]) -> None:
    """Write an influence map to a file: beside it first, then renamed over it."""
    target = checked_path(path)
    arrays: list[NDArray[Any]] = []

    def listed(array: NDArray[Any]) -> int:
        arrays.append(np.ascontiguousarray(array))
        return len(arrays) - 1

    spaces: list[AnySpace] = [imap.space]
    layers = []
    for layer in imap.layers.values():
        if not any(layer.space is space for space in spaces):
            spaces.append(layer.space)
        layers.append(_layer_out(layer.state(), next(i for i, space in enumerate(spaces) if space is layer.space), listed))
    header: dict[str, Any] = {"ticks": imap._ticks, "spaces": [_space_out(space, spaces, listed) for space in spaces], "layers": layers}
    packed = [zlib.compress(array.tobytes(), 1) for array in arrays]
    header["arrays"] = [
        {"dtype": array.dtype.str, "shape": array.shape, "bytes": len(data)} for array, data in zip(arrays, packed, strict=True)
    ]
    text = json.dumps(header, separators=(",", ":")).encode()
    write_whole(target, (_MAGIC, _FRAME.pack(_VERSION, len(text)), text, *packed))


def load(path: str | os.PathLike[str]) -> InfluenceMap:
    """Read an influence map that `InfluenceMap.save` wrote; it goes on bit for bit.

    Raises `BadSaveFile` where the file is missing, damaged, not a save, or of a newer version.
    """
    from fieldcraft.influence_map.imap import InfluenceMap

    target = checked_path(path)
    header, arrays = _read(target)
    try:
        spaces: list[AnySpace] = []
        for entry in header["spaces"]:
            spaces.append(_space_in(entry, spaces, arrays))
        imap = InfluenceMap(spaces[0])
        imap._ticks = _size(header["ticks"], _MOST_TICKS)
        for entry in header["layers"]:
            space = spaces[entry["space"]]
            imap._layers[entry["name"]] = Layer.restored(_layer_in(entry, space, arrays), space, imap._guard)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _damaged(target, f"contents that don't fit together ({error})") from error
    return imap


def _read(target: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    try:
        with target.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if file.read(len(_MAGIC)) != _MAGIC:
                raise _damaged(target, "another kind of file")
            frame = file.read(_FRAME.size)
            if len(frame) < _FRAME.size or size < file.tell() + hashlib.sha256().digest_size:
                raise _damaged(target, f"{size} bytes, which is too short")
            _check_digest(file, target, size)
            version, length = _FRAME.unpack(frame)
            if version != _VERSION:
                raise BadSaveFile(
                    f"This fieldcraft reads saves of version {_VERSION}",
                    got=f"version {version} in {target}",
                    remedy="Use the fieldcraft that wrote it, or a newer one",
                )
            file.seek(len(_MAGIC) + _FRAME.size)
            if length > min(size, _MOST_HEADER):
                raise _damaged(target, f"a header of {length} bytes")
            header = json.loads(file.read(length))
            arrays = [_array_in(file.read(_size(entry["bytes"], size)), entry, target) for entry in header["arrays"]]
    except OSError as error:
        raise BadSaveFile("A save can be read", got=f"{target}: {error.strerror}", remedy="Check the path") from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        if isinstance(error, FieldcraftError):
            raise
        raise _damaged(target, f"a header that cannot be read ({error})") from error
    return header, arrays


def _check_digest(file: Any, target: Path, size: int) -> None:
    digest = hashlib.sha256()
    file.seek(0)
    left = size - digest.digest_size
    while left > 0:
        part = file.read(min(_CHUNK, left))
        if not part:
            raise _damaged(target, "a file that ends early")
        digest.update(part)
        left -= len(part)
    if file.read() != digest.digest():
        raise _damaged(target, "a checksum that differs")


def _damaged(target: Path, got: str) -> BadSaveFile:
    return BadSaveFile("A save is a whole file that imap.save() wrote", got=f"{got}: {target}", remedy="Use another copy of it")


def _size(value: Any, most: int) -> int:
    if not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{value!r} where a whole number up to {most} belongs")
    return value


def _array_in(data: bytes, entry: dict[str, Any], target: Path) -> NDArray[Any]:
    shape = tuple(_size(n, MAX_CELLS) for n in entry["shape"])
    if entry["dtype"] not in _DTYPES or math.prod(shape) > 2 * max(MAX_CELLS, MAX_EDGES):
        raise _damaged(target, f"an array of {entry['dtype']} and shape {shape}")
    dtype = np.dtype(entry["dtype"])
    expected = math.prod(shape) * dtype.itemsize
    unpacking = zlib.decompressobj()
    try:
        raw = unpacking.decompress(data, expected + 1)
    except zlib.error as error:
        raise _damaged(target, f"an array that cannot be unpacked ({error})") from error
    if len(raw) != expected:
        raise _damaged(target, f"an array of {len(raw)} bytes where {expected} belong")
    return np.frombuffer(raw, dtype=dtype).reshape(shape)


def _space_out(space: AnySpace, spaces: list[AnySpace], listed: Any) -> dict[str, Any]:
    return _graph_out(space, spaces, listed) if isinstance(space, Graph) else _grid_out(space, spaces, listed)


def _space_in(entry: dict[str, Any], spaces: list[AnySpace], arrays: list[NDArray[Any]]) -> AnySpace:
    return _graph_in(entry, spaces, arrays) if entry.get("kind") == "graph" else _grid_in(entry, spaces, arrays)


def _graph_out(graph: Graph, spaces: list[AnySpace], listed: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": "graph", "blocked": listed(graph.walls), "closed": listed(graph.closed)}
    for index, other in enumerate(spaces):
        if other is not graph and isinstance(other, Graph) and other.topology is graph.topology:
            return entry | {"like": index}
        if other is graph:
            break
    entry |= {"positions": listed(graph.positions), "edges": listed(graph.edges), "lengths": listed(graph.lengths)}
    entry |= {"directed": graph.directed, "max_height": graph.max_height, "y_up": graph.y_up}
    if graph.labels is not None:
        entry["labels"] = [_key_out(label) for label in graph.labels]
    if graph.mesh is not None:
        entry["mesh"] = [listed(graph.mesh.corners), listed(graph.mesh.starts), listed(graph.mesh.rings)]
    if graph.squares is not None:
        entry["squares"] = _grid_out(graph.squares, [], listed)
    return entry


def _graph_in(entry: dict[str, Any], spaces: list[AnySpace], arrays: list[NDArray[Any]]) -> Graph:
    blocked, closed = arrays[entry["blocked"]], arrays[entry["closed"]]
    if blocked.dtype != np.bool_ or closed.dtype != np.bool_:
        raise ValueError(f"blocked vertices of {blocked.dtype} and closed edges of {closed.dtype}")
    if "like" in entry:
        model = spaces[entry["like"]]
        if not isinstance(model, Graph):
            raise ValueError(f"a graph like {model!r}")
        graph = model.with_walls(blocked)
    else:
        mesh = None
        if "mesh" in entry:
            corners, starts, rings = (arrays[index] for index in entry["mesh"])
            mesh = Mesh(corners, np.split(rings, starts[1:-1]) if len(starts) > 1 else [])
        squares = _grid_in(entry["squares"], [], arrays) if "squares" in entry else None
        labels = [_key_in(label) for label in entry["labels"]] if "labels" in entry else None
        graph = Graph(
            arrays[entry["positions"]], arrays[entry["edges"]], arrays[entry["lengths"]], entry["directed"],
            blocked=blocked, max_height=entry["max_height"], mesh=mesh, labels=labels, y_up=entry["y_up"], squares=squares,
        )  # fmt: skip
    graph.close(closed)
    return graph


def _grid_out(grid: Grid, spaces: list[AnySpace], listed: Any) -> dict[str, Any]:
    grid.walls_version  # noqa: B018 - takes over what has changed in the finer grid
    entry: dict[str, Any] = {
        "parent": next((i for i, space in enumerate(spaces) if space is grid.parent), None),
        "width": grid.width,
        "height": grid.height,
        "cell_size": grid.cell_size,
        "origin": grid.origin,
        "y_up": grid.y_up,
        "wrap": grid.wrap,
        "neighbors": grid.world_steps,
        "walls": listed(np.packbits(grid.walls)),
    }
    if grid.terrain is not None:
        entry["terrain"] = {"classes": listed(grid.terrain.classes), "enter": listed(grid.terrain.enter), "names": grid.terrain.names}
    return entry


def _grid_in(entry: dict[str, Any], spaces: list[AnySpace], arrays: list[NDArray[Any]]) -> Grid:
    width, height = _size(entry["width"], MAX_CELLS), _size(entry["height"], MAX_CELLS)
    bits = arrays[entry["walls"]]
    if bits.size != -(-width * height // 8):
        raise ValueError(f"{bits.size} bytes of walls for {width} x {height} cells")
    walls = np.unpackbits(bits, count=width * height).reshape(height, width).astype(np.bool_)
    terrain = None
    if "terrain" in entry:
        ground = entry["terrain"]
        terrain = Terrain(arrays[ground["classes"]], arrays[ground["enter"]], ground["names"])
    grid = Grid(
        width, height, cell_size=entry["cell_size"], origin=tuple(entry["origin"]), y_up=entry["y_up"],
        walls=walls, terrain=terrain, neighbors=entry["neighbors"], wrap=entry["wrap"],
    )  # fmt: skip
    if entry["parent"] is not None:
        parent = spaces[entry["parent"]]
        if not isinstance(parent, Grid) or parent.coarser(grid.cell_size).shape != grid.shape:
            raise ValueError(f"{grid!r} made of {parent!r}")
        grid.follow(parent)
    return grid


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
        "shapes": [[shape.radius, None if shape.falloff is None else shape.falloff.state()] for shape in state.sources.shapes],
        "keys": [(_key_out(key), identity) for key, identity in keys],
    }


def _layer_in(entry: dict[str, Any], space: AnySpace, arrays: list[NDArray[Any]]) -> LayerState:
    columns = {name: arrays[index] for name, index in entry["sources"].items()}
    keys = [(_key_in(key), int(identity)) for key, identity in entry["keys"]]
    shapes = [
        Shape(None if radius is None else checks.positive("radius", radius), None if falloff is None else Falloff.restored(falloff))
        for radius, falloff in entry["shapes"]
    ]
    held = {name: arrays[index] for name, index in entry["arrays"].items()}
    values = held["values"]
    if values.dtype != np.float32 or values.shape != space.shape or not np.isfinite(values).all():
        raise ValueError(f"values of {values.dtype} and shape {values.shape}")
    if not isinstance(entry["name"], str):
        raise TypeError(f"a layer named {entry['name']!r}")
    sources = Sources.restored(space, columns, keys, shapes)
    every, ticks, due = (_size(entry[key], _MOST_TICKS) for key in ("every", "ticks", "due"))
    priority = checks.finite("priority", entry["priority"])
    response = None if entry["response"] is None else checks.positive("response", entry["response"])
    if response is not None and (held["shown"].dtype != np.float32 or held["shown"].shape != space.shape):
        raise ValueError(f"shown values of shape {held['shown'].shape}")
    return LayerState(entry["name"], _propagation_in(entry["propagation"]), priority, response, max(every, 1), ticks, due, held, sources)


def _propagation_out(propagation: Propagation | None) -> dict[str, Any] | None:
    if propagation is None:
        return None
    kind = next(name for name, kind in PROPAGATIONS.items() if type(propagation) is kind)
    settings = {field.name: getattr(propagation, field.name) for field in fields(propagation)}
    settings = {name: value.state() if isinstance(value, Falloff) else value for name, value in settings.items()}
    return {"kind": kind, **settings}


def _propagation_in(entry: dict[str, Any] | None) -> Propagation | None:
    if entry is None:
        return None
    settings = {name: Falloff.restored(value) if isinstance(value, dict) else value for name, value in entry.items() if name != "kind"}
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
        "Keys of a saved map are numbers, strings, None or tuples of them", got=repr(key), remedy="Sync with ids instead of objects"
    )


def _key_in(key: Any) -> Hashable:
    return tuple(_key_in(part) for part in key) if isinstance(key, list) else key
