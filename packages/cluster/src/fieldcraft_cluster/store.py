"""The store: the blocks that one process holds, and what is done with all of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import FieldcraftError
from fieldcraft_cluster.block import Block
from fieldcraft_cluster.blocks import BlockEntry, Blocks, owner
from fieldcraft_cluster.folder import block_name
from fieldcraft_cluster.plan import Plan
from fieldcraft_cluster.terrain import Changes
from fieldcraft_cluster.transfer import LayerPlan

__all__ = ["Store", "Stores", "WorkerLost"]


class Store:
    """The blocks of all layers that one process holds, of which no more are in memory than `memory`
    bytes hold.

    `place` is which of `stores` it is. `folder` is where blocks are kept that don't fit into the
    memory; the same for all.
    """

    def __init__(self, place: int, stores: int, folder: str, label: str, memory: float) -> None:
        self.place, self.stores = place, stores
        self.folder = Path(folder)
        self._label, self._memory = label, memory
        self.walls = Changes()
        self.in_checkpoint: set[str] = set()
        self.layers: dict[str, Blocks] = {}

    def pid(self) -> int:
        """The process that holds it."""
        return os.getpid()

    def of_layer(self, name: str, verb: str, *arguments: Any) -> Any:
        """Call a verb of the blocks of a layer."""
        return getattr(self.layers[name], verb)(*arguments)

    def add_layer(self, layer: LayerPlan, steps: int, entries: tuple[BlockEntry, ...]) -> None:
        """Have a layer that has made some steps, with the blocks of a checkpoint."""
        blocks = self.layers[layer.name] = Blocks(self, layer, steps)
        blocks.open(entries)

    def set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        """Take notice of walls that differ from those that the world was made with; blocks in
        memory are told by an order.
        """
        for state in (True, False):
            if (blocked == state).any():
                self.walls.add(cells[blocked == state], state)

    def is_mine(self, plan: Plan, number: int) -> bool:
        """Whether this store holds a block."""
        return owner(plan, number, self.stores) == self.place

    def path(self, name: str, number: int, stamp: str) -> Path:
        """Return where to write a block."""
        return self.folder / block_name(self._label, name, number, stamp)

    def make_room(self, wanted: Block) -> None:
        """Unload the blocks that were used longest ago until the rest, with one that is wanted,
        fits into the memory.
        """
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
    """A worker died, or did not answer within the time limit; `worker` says which."""

    def __init__(self, worker: str, got: str) -> None:
        self.worker = worker
        super().__init__(
            "Workers answer within the time limit",
            got=f"{got} of worker {worker}",
            remedy="Look at its log; raise timeout=",
        )


class Stores:
    """All stores of a world: here in this process, one after the other. One is as fast as several,
    which are for tests.
    """

    can_be_lost = False

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self.stores: list[Any] = []

    def open(self, folder: str, label: str, memory: float) -> None:
        """Have empty stores, in place of all that were there; raises `WorkerLost` where no worker
        is left.
        """
        share = memory / self.count
        self.stores = [
            Store(place, self.count, folder, label, share) for place in range(self.count)
        ]

    def each(self, verb: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """Call a verb of every store that has arguments, side by side, and answer what came, None
        for the others.

        Raises
        ------
        WorkerLost
            What the others have done is then not to be trusted.
        """
        return [
            None if given is None else getattr(store, verb)(*given)
            for store, given in zip(self.stores, arguments, strict=True)
        ]

    def close(self) -> None:
        """Let go of them."""
        self.stores = []
