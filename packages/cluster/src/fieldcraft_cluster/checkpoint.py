"""Checkpoints: one sealed file says which files of blocks make up the world; a new one takes the
place of the old at once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import FieldcraftError
from fieldcraft.falloff import Falloff, Ring
from fieldcraft.files import damaged, newer, sealed, write_sealed
from fieldcraft.packing import pack, unpack
from fieldcraft.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft_cluster.blocks import Entry

__all__ = ["Checkpoint", "LayerState", "SwarmState", "commit", "read", "sweep"]

_MAGIC = b"fieldcraft world\n"
_VERSION = 1
_WITH_SWARMS = 2  # what has none is written as ever, for those who know of none
_FRAME = struct.Struct("<IQ")
_KINDS = (Spread, Trail, Fade, Radial, Falloff, Ring)
NAME = "world.fieldcraft"
BLOCKS = "blocks"


@dataclass
class LayerState:
    """A layer in a checkpoint; times in ticks."""

    name: str
    propagation: Propagation
    every: int
    reach: float
    resists: bool
    steps: int
    due: int
    sources: dict[str, NDArray[Any]]
    entries: list[Entry] = field(default_factory=list)


@dataclass
class SwarmState:
    """A swarm in a checkpoint: the key of its dice, how many agents, their steps, and their files
    by blocks.
    """

    name: str
    key: int
    count: int
    step: int
    entries: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Checkpoint:
    """A world at one moment. `shape` is what its maker said of the map; a world is opened again as
    it was made.
    """

    number: int
    shape: dict[str, Any]
    ticks: int
    changed: NDArray[np.int64]
    blocked: NDArray[np.bool_]
    layers: list[LayerState]
    swarms: list[SwarmState] = field(default_factory=list)


def commit(folder: Path, checkpoint: Checkpoint) -> None:
    """Make this the checkpoint of the world, and drop the files of blocks that only former ones
    speak of.
    """
    layers = tuple(
        {
            "name": layer.name,
            "propagation": layer.propagation,
            "every": layer.every,
            "reach": layer.reach,
            "resists": layer.resists,
            "steps": layer.steps,
            "due": layer.due,
            "sources": layer.sources,
            "files": tuple(entry.file for entry in layer.entries),
            "entries": np.array(
                [(e.number, e.at_rest, e.made, e.halo_steps) for e in layer.entries], dtype=np.int64
            ).reshape(-1, 4),
        }
        for layer in checkpoint.layers
    )
    found = {
        "number": checkpoint.number,
        "shape": checkpoint.shape,
        "ticks": checkpoint.ticks,
        "changed": checkpoint.changed,
        "blocked": checkpoint.blocked,
        "layers": layers,
    }
    if checkpoint.swarms:
        found["swarms"] = tuple(
            {
                "name": swarm.name,
                "key": swarm.key,
                "count": swarm.count,
                "step": swarm.step,
                "entries": tuple((number, file) for number, file in swarm.entries),
            }
            for swarm in checkpoint.swarms
        )
    text = pack(found, _KINDS)
    write_sealed(
        folder / NAME,
        (_MAGIC, _FRAME.pack(_WITH_SWARMS if checkpoint.swarms else _VERSION, len(text)), text),
    )
    files = [entry.file for layer in checkpoint.layers for entry in layer.entries]
    sweep(folder, [*files, *(file for swarm in checkpoint.swarms for _, file in swarm.entries)])


def read(folder: Path) -> Checkpoint | None:
    """The last checkpoint of a world; None where there is none. Raises `BadSaveFile` for a damaged
    one.
    """
    target = folder / NAME
    if not target.exists():
        return None
    with sealed(target, _MAGIC, _FRAME.size) as (file, inside):
        version, length = _FRAME.unpack(file.read(_FRAME.size))
        if version not in (_VERSION, _WITH_SWARMS):
            raise newer(target, version, _WITH_SWARMS)
        if length > inside:
            raise damaged(target, f"a header of {length} bytes")
        try:
            found = unpack(file.read(length), _KINDS)
            layers = []
            for entry in found.pop("layers"):
                files, numbers = entry.pop("files"), entry.pop("entries").tolist()
                entries = [
                    Entry(number, name, bool(at_rest), made, steps)
                    for name, (number, at_rest, made, steps) in zip(files, numbers, strict=True)
                ]
                layers.append(LayerState(**entry, entries=entries))
            swarms = [
                SwarmState(
                    **{**swarm, "entries": [(number, file) for number, file in swarm["entries"]]}
                )
                for swarm in found.pop("swarms", ())
            ]
            return Checkpoint(**found, layers=layers, swarms=swarms)
        except FieldcraftError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise damaged(target, f"contents that don't fit together ({error})") from error


def sweep(folder: Path, names: Iterable[str]) -> None:
    """Delete the files of blocks that are not among these names."""
    wanted = set(names)
    for file in (folder / BLOCKS).glob("*"):
        if file.name not in wanted:
            file.unlink(missing_ok=True)
