"""The store: the blocks that one process holds, and what is done with all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft_cluster.agent_shard import AgentShard, Group, Migrants, StepPlan
from fieldcraft_cluster.block import Block, HaloUpdate, LayerPlan, WorldPlan
from fieldcraft_cluster.blocks import BlockCommands, BlockEntry, Blocks, Saved, Superstep, owner
from fieldcraft_cluster.folder import block_name
from fieldcraft_cluster.plan import Plan
from fieldcraft_cluster.terrain import Changes

__all__ = ["BlockCommands", "BlockEntry", "Saved", "Store", "Superstep", "owner"]


class Store:
    """The blocks of all layers that one process holds, of which no more are in memory than `memory`
    bytes hold.

    `place` is which of `stores` it is. `folder` is where blocks are kept that don't fit into the
    memory; the same for all.
    """

    def __init__(self, place: int, stores: int, folder: str, label: str, memory: float) -> None:
        self.place, self.stores = place, stores
        self.folder = Path(folder)
        self._label = label
        self._memory = memory
        self.walls = Changes()
        self.in_checkpoint: set[str] = set()
        self._layers: dict[str, Blocks] = {}
        self._shards: dict[str, AgentShard] = {}
        self._arriving: dict[str, Migrants] = {}

    def pid(self) -> int:
        """The process that holds it."""
        return os.getpid()

    def add_layer(self, layer: LayerPlan, steps: int, entries: Iterable[BlockEntry]) -> None:
        """Have a layer that has made some steps, with the blocks of a checkpoint."""
        blocks = self._layers[layer.name] = Blocks(self, layer, steps)
        blocks.open(tuple(entries))

    def set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        """Take notice of walls that differ from those that the world was made with; blocks in
        memory are told by an order.
        """
        for state in (True, False):
            if (blocked == state).any():
                self.walls.add(cells[blocked == state], state)

    def order(self, name: str, orders: Mapping[int, BlockCommands]) -> None:
        """Let things happen to blocks."""
        self._layers[name].order(orders)

    def tune(self, layer: LayerPlan) -> None:
        """Go on with other parameters of a propagation."""
        self._layers[layer.name].tune(layer)

    def take(self, name: str, halos: Iterable[HaloUpdate]) -> None:
        """Take notice of halos of which other stores hold the interiors."""
        self._layers[name].take(halos)

    def superstep(self, name: str, steps: int, now: int, halos: Iterable[HaloUpdate]) -> Superstep:
        """Take steps, at most as many as halos are made for; `now` are all steps of the layer after
        these.
        """
        return self._layers[name].superstep(steps, now, halos)

    def relax(self, name: str, halos: Iterable[HaloUpdate], begins: bool) -> Superstep:
        """Let the blocks settle that have heard of another halo; as it begins, all of them, from
        nothing.
        """
        return self._layers[name].relax(halos, begins)

    # Agents

    def add_shard(
        self,
        name: str,
        world: WorldPlan,
        entries: Iterable[tuple[int, str]],
        groups: Mapping[int, Group],
    ) -> None:
        """Have the agents of a swarm, those in the files of a checkpoint, of which some are on
        other stores, and some more.
        """
        shard = self._shards[name] = AgentShard(
            world, self.walls, self._plan_of, self._look, self._pour
        )
        plan = Plan(world.width, world.height, world.block, 0, world.wrap)
        for number, file in entries:
            if owner(plan, number, self.stores) == self.place:
                shard.load(number, self.folder / file)
        shard.add(groups)

    def _plan_of(self, name: str) -> Plan:
        return self._layers[name].plan

    def _look(self, name: str, number: int) -> Block | None:
        return self._layers[name].look(number)

    def _pour(self, name: str, number: int) -> Block:
        return self._layers[name].wake_up(number)

    def step_plan(self, name: str, step_plan: StepPlan) -> None:
        """Let agents make their next steps like this."""
        self._shards[name].step_plan(step_plan)

    def walk(self, name: str, step: int, halos: Mapping[str, Iterable[HaloUpdate]]) -> Migrants:
        """Take notice of halos of the layers that agents read, and let them move; those who leave
        for blocks of other stores.
        """
        for layer, some in halos.items():
            self.take(layer, some)
        shard = self._shards[name]
        left = shard.walk(step)
        self._arriving[name] = left.of(lambda number: self._is_mine(shard, number))
        return left.of(lambda number: not self._is_mine(shard, number))

    def _is_mine(self, shard: AgentShard, number: int) -> bool:
        return owner(shard.plan, number, self.stores) == self.place

    def arrive(self, name: str, migrants: Iterable[Migrants]) -> None:
        """Have those who come from other blocks, and let all leave what they leave."""
        self._shards[name].arrive([self._arriving.pop(name), *migrants])

    def relocate(self, name: str, numbers: NDArray[np.uint32], groups: Mapping[int, Group]) -> None:
        """Let agents go, wherever they are, and have others."""
        self._shards[name].drop(numbers)
        self._shards[name].add(groups)

    def agents_of(
        self, name: str
    ) -> list[tuple[int, tuple[NDArray[np.int32], NDArray[np.uint32]]]]:
        """The agents of a swarm and their numbers, by blocks."""
        return self._shards[name].known()

    def agents_in_walls(
        self, name: str
    ) -> list[tuple[int, tuple[NDArray[np.int32], NDArray[np.uint32]]]]:
        """The agents of a swarm that stand in walls."""
        return self._shards[name].in_walls()

    def save_shard(self, name: str, stamp: str) -> tuple[list[tuple[int, str]], int]:
        """Write the agents of all blocks where these have changed: blocks and files, and the bytes
        written.
        """
        return self._shards[name].save(lambda number: self.path(f"{name} agents", number, stamp))

    # Checkpoints and answers

    def save(self, name: str, stamp: str) -> Saved:
        """Write all blocks of a layer that have changed since they were last written."""
        return self._layers[name].save(stamp)

    def wake(self, name: str) -> None:
        """Look at all blocks of a layer in the next superstep."""
        self._layers[name].wake()

    def read(
        self, name: str, number: int, rows: slice, columns: slice
    ) -> NDArray[np.float32] | None:
        """The values of some of a block's cells; None where it holds nothing."""
        return self._layers[name].read(number, rows, columns)

    def strongest(self, name: str, scale: int) -> list[tuple[int, NDArray[np.float32]]]:
        """For each block that holds something, the strongest value in each square of `scale` x
        `scale` cells of the map.
        """
        return self._layers[name].strongest(scale)

    def digests(self, name: str) -> list[tuple[int, bytes]]:
        """The SHA-256 of the values of each block that holds something."""
        return self._layers[name].digests()

    def path(self, name: str, number: int, stamp: str) -> Path:
        """Return where to write a block."""
        return self.folder / block_name(self._label, name, number, stamp)

    def make_room(self, wanted: Block | None = None) -> None:
        """Unload the blocks that were used longest ago until the rest, with one that is wanted,
        fits into the memory.
        """
        loaded = [
            (blocks.used.get(number, 0), blocks, block)
            for blocks in self._layers.values()
            for number, block in blocks.of_memory()
        ]
        total = sum(block.bytes for _, _, block in loaded) + (0 if wanted is None else wanted.bytes)
        if total <= self._memory:
            return
        for _, blocks, block in sorted(loaded, key=lambda one: one[0]):
            if block is wanted:
                continue
            total -= block.bytes
            blocks.unload(block)
            if total <= self._memory:
                return
