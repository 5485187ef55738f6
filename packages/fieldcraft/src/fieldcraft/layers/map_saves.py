"""Influence maps as files: one file with a version and a checksum, without pickle.

After a magic line come the version of the format (4 bytes), the number of unpacked bytes (8 bytes),
the map as `fieldcraft.space.encoding` writes it, compressed with zlib, and the SHA-256 of all
of these.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.base.files import damaged, in_file, newer, sealed, write_sealed
from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.layers.layer import Layer
from fieldcraft.layers.propagation import PROPAGATIONS, Propagation
from fieldcraft.layers.propagation.array import ArrayValues
from fieldcraft.layers.propagation.propagation import checked_pins
from fieldcraft.layers.propagation.settings import propagation_of
from fieldcraft.layers.steps import changed_walls
from fieldcraft.space import Space, encoding, grid_of
from fieldcraft.space.space_saves import Keys

if TYPE_CHECKING:
    from fieldcraft.layers.influence_map import InfluenceMap

_MAGIC = b"fieldcraft influence map\n"
_VERSION = 3
_FRAME = struct.Struct("<IQ")

_ENTRY = dict.fromkeys(
    ("name", "space", "propagation", "priority", "every", "ticks", "due", "arrays", "sources")
)
_KEYS: Keys = {
    "ticks": None,
    "spaces": dict.fromkeys(("space", "parent")),
    "layers": {**_ENTRY, "falloffs": None, "keys": None, "taken": None},
    "teams": None,
}
"""The keys of the contents."""


def save(imap: InfluenceMap, path: str | os.PathLike[str]) -> None:
    """Write an influence map to a file: beside it first, then renamed over it."""
    target = checks.path("path", path)
    spaces: list[Space] = [imap.space]
    for layer in imap.layers.values():
        if not any(layer.space is space for space in spaces):
            spaces.append(layer.space)
    data = encoding.to_bytes(
        {
            "ticks": imap.schedule.ticks,
            "spaces": tuple(
                {"space": space, "parent": _place(getattr(space, "_parent", None), spaces)}
                for space in spaces
            ),
            "layers": tuple(
                _layer_out(layer, _place(layer.space, spaces)) for layer in imap.layers.values()
            ),
            "teams": tuple(tuple(teams.hostile.items()) for teams in imap.teams),
        }
    )
    write_sealed(target, (_MAGIC, _FRAME.pack(_VERSION, len(data)), zlib.compress(data, 1)))


def load(
    kind: type[InfluenceMap], path: str | os.PathLike[str], most_bytes: int = 1 << 30
) -> InfluenceMap:
    """Return the influence map of a file that `InfluenceMap.save` wrote; it continues bit for bit.

    Raises
    ------
    BadSaveFile
        If the file is missing, damaged, not a save, of another version, or takes more than
        `most_bytes` in memory: then nothing is unpacked.
    """
    target = checks.path("path", path)
    contents = _contents(target, checks.integer("most_bytes", most_bytes))
    try:
        spaces: list[Space] = []
        for entry in contents["spaces"]:
            spaces.append(_space_in(entry, spaces))
        imap = kind(spaces[0])
        imap.schedule.ticks = _size(contents["ticks"], clock.LATEST)
        for entry in contents["layers"]:
            space = spaces[entry["space"]]
            imap._include(_layer_in(entry, space, imap._lock))
        imap._set_teams(tuple(_enemies_in(entry) for entry in contents["teams"]))
        _ = imap.teams  # raises an error where a team has no layer
    except (
        FieldcraftError,
        AttributeError,
        LookupError,
        OverflowError,
        TypeError,
        ValueError,
    ) as error:
        raise damaged(target, f"contents that don't fit together ({error})") from error
    return imap


def _contents(target: Path, most_bytes: int) -> Any:
    """Return the contents of a file, which are bounded while they are unpacked."""
    with sealed(target, _MAGIC, _FRAME.size) as (file, inside):
        version, length = _FRAME.unpack(file.read(_FRAME.size))
        if version != _VERSION:
            raise newer(target, version, _VERSION)
        if length > most_bytes:
            raise BadSaveFile(
                f"A save takes at most {most_bytes:,} bytes in memory",
                got=f"{length:,} bytes in {target}",
                remedy=f"If you trust the file, pass most_bytes={length}",
            )
        packed = file.read(inside - _FRAME.size)
    try:
        return encoding.from_compressed(packed, length, keys=_KEYS, most_bytes=most_bytes)
    except BadSaveFile as error:
        raise in_file(target, error) from error


def _size(value: Any, most: int) -> int:
    if not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{value!r} where a whole number up to {most} belongs")
    return value


def _enemies_in(entry: Any) -> dict[str, tuple[str, ...]]:
    """Return the enemies of each team of a save."""
    enemies = dict(entry)
    for name, others in enemies.items():
        if not isinstance(others, tuple) or len(set(others)) != len(others):
            raise ValueError(f"enemies of {name!r} that are {others!r}")
    return enemies


def _place(space: Space | None, spaces: list[Space]) -> int | None:
    return next((index for index, other in enumerate(spaces) if other is space), None)


def _space_in(entry: dict[str, Any], spaces: list[Space]) -> Space:
    space = entry["space"]
    if not isinstance(space, Space):
        raise TypeError(f"a space that is a {type(space).__name__}")
    if entry["parent"] is not None:
        coarse = grid_of(space, "Coarser")
        fine = grid_of(spaces[entry["parent"]], "Finer")
        if fine.coarser(coarse.cell_size).shape != coarse.shape:
            raise ValueError(f"{coarse!r} made of {fine!r}")
        coarse.follow(fine)
    return space


def _layer_out(layer: Layer, space: int | None) -> dict[str, Any]:
    state = layer.state()
    sources = state["sources"] or layer.steps.sources.state()
    return {
        "name": layer.name,
        "space": space,
        "propagation": _propagation_out(layer._propagation, state["settings"]),
        "priority": state["priority"],
        "every": state["every"],
        "ticks": state["ticks"],
        "due": state["due"],
        "arrays": saved_arrays(layer, state),
        "sources": sources["columns"],
        "falloffs": sources["falloffs"],
        "keys": tuple((_plain(key), identity) for key, identity in sources["keys"]),
        "taken": None if state["taken"] is None else _taken_out(state["taken"]),
    }


def saved_arrays(layer: Layer, state: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a layer in a save, from its state."""
    field = layer.steps.field
    arrays: dict[str, NDArray[Any]] = {"values": field.values} | state["field"]
    if state["walls_changed"] and not field.has_wall_values:
        arrays["unseen"] = changed_walls(state["walls"], layer.space)
    if state.get("validated_at"):
        arrays["validated_at"] = np.array([state["validated_at"]], dtype=np.int64)
    return arrays


def _taken_out(taken: dict[str, Any]) -> dict[str, Any]:
    return {"sources": taken["columns"], "falloffs": taken["falloffs"]}


def _layer_in(entry: dict[str, Any], space: Space, lock: SingleThreadLock) -> Layer:
    propagation = _propagation_in(entry["propagation"])
    state = {
        "shape": space.shape,
        "every": max(_size(entry["every"], clock.MOST_TICKS), 1),
        "priority": entry["priority"],
        "ticks": _size(entry["ticks"], clock.LATEST),
        "due": _size(entry["due"], clock.MOST_TICKS),
        "walls": _walls_in(entry["arrays"], space),
        "walls_changed": "unseen" in entry["arrays"],
        "field": _field_in(entry["arrays"], space),
        "sources": _sources_in(entry) | {"keys": entry["keys"]},
        "taken": None if entry["taken"] is None else _sources_in(entry["taken"]),
        "validated_at": _validated_in(entry["arrays"]),
    }
    name = entry["name"]
    if not isinstance(name, str):
        raise TypeError(f"a layer named {name!r}")
    kind = Layer.kinds[propagation.layer_kind]
    return kind.restored(name, space, propagation, state, lock)


def _sources_in(entry: dict[str, Any]) -> dict[str, Any]:
    return {"columns": entry["sources"], "falloffs": entry["falloffs"], "keys": ()}


def _field_in(arrays: dict[str, NDArray[Any]], space: Space) -> dict[str, NDArray[Any]]:
    values = arrays["values"]
    if values.dtype != np.float32 or values.shape != space.shape or not np.isfinite(values).all():
        raise ValueError(f"values of {values.dtype} and shape {values.shape}")
    return arrays


def _walls_in(arrays: dict[str, NDArray[Any]], space: Space) -> NDArray[np.uint8]:
    """Return the walls at the last step, packed."""
    walls = space.walls.reshape(-1)
    if "unseen" in arrays:
        walls = walls.copy()
        changed = checked_pins(arrays["unseen"], len(space))
        walls[changed] = ~walls[changed]
    return np.packbits(walls)


def _validated_in(arrays: dict[str, NDArray[Any]]) -> int:
    if "validated_at" not in arrays:
        return 0
    return int(arrays["validated_at"][0])


def _propagation_out(propagation: Propagation, settings: dict[str, Any]) -> dict[str, Any] | None:
    if isinstance(propagation, ArrayValues):
        return None
    kind = next(name for name, kind in PROPAGATIONS.items() if type(propagation) is kind)
    return {"kind": kind, **settings}


def _propagation_in(entry: dict[str, Any] | None) -> Propagation:
    if entry is None:
        return ArrayValues()
    settings = {name: value for name, value in entry.items() if name != "kind"}
    propagation: Propagation = propagation_of(PROPAGATIONS[entry["kind"]], settings)
    return propagation


def _plain(key: Hashable) -> Hashable:
    """Return a key of a source as plain data."""
    if isinstance(key, tuple):
        return tuple(map(_plain, key))
    if isinstance(key, np.generic):
        key = key.item()
    if key is None or isinstance(key, (bool, int, float, str)):
        return key
    raise InvalidValue(
        "Keys of a saved map are numbers, strings, None or tuples of them",
        got=repr(key),
        remedy="Sync with ids instead of objects",
    )
