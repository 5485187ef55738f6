"""The store: the blocks of all layers that one process has."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import FieldcraftError
from fieldcraft_cluster.block import Block
from fieldcraft_cluster.blocks import BlockEntry, Blocks, owner
from fieldcraft_cluster.folder import block_name
from fieldcraft_cluster.partition import Partition
from fieldcraft_cluster.terrain import WallChanges
from fieldcraft_cluster.transfer import LayerPlan


class Store:
    """The blocks of all layers that one process has, with at most `memory` bytes of them in memory.

    `place` is its number among `stores`. All stores have the same `folder`, for blocks that do not
    fit into memory.
    """

    def __init__(self, place: int, stores: int, folder: str, label: str, memory: float) -> None:
        self.place = place
        self.stores = stores
        self.folder = Path(folder)
        self._label = label
        self._memory = memory
        self.walls = WallChanges()
        self.checkpoint_files: set[str] = set()
        self.layers: dict[str, Blocks] = {}

    def pid(self) -> int:
        """Return the id of its process."""
        return os.getpid()

    def call_layer(self, name: str, method: str, *arguments: Any) -> Any:
        """Call a method of the blocks of a layer."""
        return getattr(self.layers[name], method)(*arguments)

    def add_layer(self, layer: LayerPlan, steps: int, entries: tuple[BlockEntry, ...]) -> None:
        """Add a layer after `steps` steps, with the blocks of a checkpoint."""
        blocks = Blocks(self, layer, steps)
        self.layers[layer.name] = blocks
        blocks.open(entries)

    def set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        """Store changed walls, for blocks that are created from now on."""
        for state in (True, False):
            if (blocked == state).any():
                self.walls.add(cells[blocked == state], state)

    def owns(self, partition: Partition, number: int) -> bool:
        """Return whether this store has a block."""
        return owner(partition, number, self.stores) == self.place

    def path(self, name: str, number: int, stamp: str) -> Path:
        """Return a new path for the file of a block."""
        return self.folder / block_name(self._label, name, number, stamp)

    def free_memory(self, wanted: Block) -> None:
        """Unload the least recently used blocks until the rest and a wanted one fit into memory."""
        loaded = [
            (blocks.used.get(number, 0), blocks, block)
            for blocks in self.layers.values()
            for number, block in blocks.of_memory()
        ]
        total = sum(block.bytes for _, _, block in loaded) + wanted.bytes
        for _, blocks, block in sorted(loaded, key=lambda one: one[0]):
            if total <= self._memory:
                return
            if block is not wanted:
                total -= block.bytes
                blocks.unload(block)


class WorkerLost(FieldcraftError, RuntimeError):
    """A worker died, or did not answer within the time limit; `worker` is its address."""

    def __init__(self, worker: str, got: str) -> None:
        self.worker = worker
        super().__init__(
            "Workers answer within the time limit",
            got=f"{got} of worker {worker}",
            remedy="Look at its log; raise timeout=",
        )


class Stores:
    """All stores of a world, in this process. One is enough; several are for tests."""

    can_be_lost = False

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self.stores: list[Any] = []

    def open(self, folder: str, label: str, memory: float) -> None:
        """Create empty stores in place of all others; raises `WorkerLost` if no worker is left."""
        share = memory / self.count
        self.stores = [
            Store(place, self.count, folder, label, share) for place in range(self.count)
        ]

    def call(self, method: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """Call a method of every store that has arguments; return the results, None for the others.

        Raises
        ------
        WorkerLost
            The state of the other stores is then undefined.
        """
        found: list[Any] = []
        for store, given in zip(self.stores, arguments, strict=True):
            if given is None:
                found.append(None)
            else:
                found.append(getattr(store, method)(*given))
        return found

    def close(self) -> None:
        """Drop all stores."""
        self.stores = []
