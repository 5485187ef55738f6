"""Checkpoints: one sealed file lists the block files of the world; a new checkpoint replaces the
old one atomically.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.clock import LATEST, MOST_TICKS
from fieldcraft.base.errors import FieldcraftError
from fieldcraft.base.files import damaged, newer, sealed, write_sealed
from fieldcraft.layers.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.layers.sources.falloff import Falloff, Ring
from fieldcraft.space.encoding import Keys, from_bytes, to_bytes
from fieldcraft_cluster.blocks import BlockEntry
from fieldcraft_cluster.folder import is_block_name, remove_unlisted

_MAGIC = b"fieldcraft world\n"
_VERSION = 1
_FRAME = struct.Struct("<IQ")
_KINDS = (Spread, Trail, Fade, Radial, Falloff, Ring)
_NAME = "world.fieldcraft"
_MOST = 1 << 53  # of counts of steps and checkpoints
_MOST_HEADER = 1 << 30


@dataclass
class LayerState:
    """A layer in a checkpoint; times in ticks."""

    name: str
    propagation: Propagation
    every: int
    reach: float
    has_resistance: bool
    steps: int
    due: int
    sources: dict[str, NDArray[Any]]
    entries: list[BlockEntry] = field(default_factory=list)


@dataclass
class Checkpoint:
    """A world at one moment. `shape` are the settings of its map."""

    number: int
    shape: dict[str, Any]
    ticks: int
    changed: NDArray[np.int64]
    blocked: NDArray[np.bool_]
    layers: list[LayerState]

    @classmethod
    def empty(cls) -> Checkpoint:
        """Return the checkpoint of a new world."""
        return cls(0, {}, 0, np.zeros(0, np.int64), np.zeros(0, np.bool_), [])


def _names(state: type[LayerState | Checkpoint]) -> Keys:
    return dict.fromkeys(each.name for each in dataclasses.fields(state))


_KEYS: Keys = {
    **_names(Checkpoint),
    "layers": {**_names(LayerState), "files": None},
}
"""The keys of a checkpoint in its file."""


def commit(folder: Path, label: str, checkpoint: Checkpoint) -> None:
    """Write the checkpoint of a world, then delete the block files that it does not list."""
    files: list[str] = []
    layers = []
    for layer in checkpoint.layers:
        names = tuple(entry.file for entry in layer.entries)
        numbers = [(e.number, e.at_rest, e.steps_taken, e.halo_steps) for e in layer.entries]
        files += names
        layers.append(
            _as_dict(layer)
            | {"files": names, "entries": np.array(numbers, dtype=np.int64).reshape(-1, 4)}
        )
    text = to_bytes(_as_dict(checkpoint) | {"layers": tuple(layers)}, _KINDS)
    write_sealed(folder / _NAME, (_MAGIC, _FRAME.pack(_VERSION, len(text)), text))
    remove_unlisted(folder, label, files)


def _as_dict(state: LayerState | Checkpoint) -> dict[str, Any]:
    return {each.name: getattr(state, each.name) for each in dataclasses.fields(state)}


def read(folder: Path, label: str) -> Checkpoint | None:
    """Return the last checkpoint of a world, None if there is none.

    Raises
    ------
    BadSaveFile
        For a damaged one, and for one that names files other than its own blocks.
    """
    target = folder / _NAME
    if not target.exists():
        return None
    with sealed(target, _MAGIC, _FRAME.size) as (file, inside):
        version, length = _FRAME.unpack(file.read(_FRAME.size))
        if version != _VERSION:
            raise newer(target, version, _VERSION)
        if length > min(inside, _MOST_HEADER):
            raise damaged(target, f"a header of {length} bytes")
        try:
            found = from_bytes(file.read(length), _KINDS, keys=_KEYS)
            layers = [_layer(entry, label) for entry in found.pop("layers")]
            checkpoint = Checkpoint(**found, layers=layers)
            _check(checkpoint)
        except FieldcraftError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise damaged(target, f"invalid contents ({error})") from error
    return checkpoint


def _layer(entry: dict[str, Any], label: str) -> LayerState:
    files = entry.pop("files")
    numbers = entry.pop("entries")
    layer = LayerState(**entry)
    _require(isinstance(layer.name, str) and layer.name != "", "a layer without a name")
    _require(isinstance(layer.propagation, Propagation), "a layer without a propagation")
    _require_integer("every", layer.every, 1, MOST_TICKS)
    _require_integer("due", layer.due, 0, layer.every - 1)
    _require_integer("steps", layer.steps, 0, min(_MOST, LATEST // layer.every))
    _require(type(layer.reach) is float and 0 <= layer.reach < math.inf, "a reach")
    _require(type(layer.has_resistance) is bool and isinstance(layer.sources, dict), "sources")
    _array("entries", numbers, np.int64, (len(files), 4))
    for name, (number, at_rest, steps_taken, halo_steps) in zip(
        files, numbers.tolist(), strict=True
    ):
        _require(is_block_name(name, label), f"a block file {name!r}")
        _require_integer("steps_taken", steps_taken, 0, layer.steps)
        _require_integer("halo_steps", halo_steps, 1, 1024)
        layer.entries.append(BlockEntry(number, name, bool(at_rest), steps_taken, halo_steps))
    return layer


def _check(found: Checkpoint) -> None:
    """Check that the parts of a checkpoint fit together; raises ValueError."""
    _require_integer("number", found.number, 0, _MOST)
    _require_integer("ticks", found.ticks, 0, LATEST)
    sides = [found.shape[name] for name in ("width", "height", "block")]
    for side in sides:
        _require_integer("a side", side, 1, 1 << 24)
    width, height, block = sides
    _array("changed", found.changed, np.int64, (len(found.blocked),))
    _array("blocked", found.blocked, np.bool_, (len(found.changed),))
    cells = found.changed
    inside = not len(cells) or (cells[0] >= 0 and cells[-1] < width * height)
    _require(inside and bool((np.diff(cells) > 0).all()), "changed cells")
    blocks = -(-width // block) * -(-height // block)
    names = [layer.name for layer in found.layers]
    _require(len(set(names)) == len(names), "two layers of one name")
    for layer in found.layers:
        numbers = [entry.number for entry in layer.entries]
        for number in numbers:
            _require_integer("the number of a block", number, 0, blocks - 1)
        _require(len(set(numbers)) == len(numbers), "two files for one block")


def _require(fits: bool, what: str) -> None:
    if not fits:
        raise ValueError(f"{what} out of range")


def _require_integer(name: str, value: Any, low: int, high: int) -> None:
    _require(type(value) is int and low <= value <= high, f"{name} of {value!r:.40}")


def _array(name: str, value: Any, dtype: type, shape: tuple[int, ...]) -> None:
    fits = isinstance(value, np.ndarray) and value.dtype == dtype and value.shape == shape
    _require(fits, f"{name} of another shape or type")
