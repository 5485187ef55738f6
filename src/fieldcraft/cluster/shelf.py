"""The shelf: the blocks that one process holds, and what is done with all of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.cluster.block import Block, Do, Held, LayerPlan, Rim, WorldPlan
from fieldcraft.cluster.files import read_planes
from fieldcraft.cluster.ground import Changes
from fieldcraft.cluster.herd import Comers, Group, Herd, March
from fieldcraft.cluster.plan import Box, Plan

__all__ = ["Entry", "Order", "Round", "Saved", "Shelf", "owner"]


class Entry(NamedTuple):
    """A block in a checkpoint: its file, whether nothing changes there, how many steps it has made, and the steps that its rim is for."""

    number: int
    file: str
    at_rest: bool
    made: int
    halo_steps: int


class Order(NamedTuple):
    """The deeds for one block before the next round: calls, and then the sources that it has from now on, if they changed."""

    calls: tuple[Do, ...] = ()
    sources: Held | None = None


class Round(NamedTuple):
    """The outcome of a round on one shelf: pieces of rims for blocks of other shelves, and counts."""

    rims: list[Rim]
    ran: int
    asleep: int
    bytes_between: int


class Saved(NamedTuple):
    """The blocks of a layer after a checkpoint, and how many bytes were written for it."""

    entries: list[Entry]
    written: int


def owner(plan: Plan, number: int, shelves: int) -> int:
    """The shelf that holds a block: shelves take bands of the map, so that few rims go from one to another."""
    return number // plan.across * shelves // plan.down


class Shelf:
    """The blocks of all layers that one process holds, of which no more are in memory than `memory` bytes hold.

    `place` is which of `shelves` it is. `folder` is where blocks are kept that don't fit into the memory; the same for all.
    """

    def __init__(self, place: int, shelves: int, folder: str, memory: float) -> None:
        self.place, self.shelves = place, shelves
        self.folder = Path(folder)
        self._memory = memory
        self.walls = Changes()
        self.in_checkpoint: set[str] = set()
        self._layers: dict[str, _Blocks] = {}
        self._herds: dict[str, Herd] = {}
        self._arriving: dict[str, Comers] = {}

    def pid(self) -> int:
        """The process that holds it."""
        return os.getpid()

    def add_layer(self, layer: LayerPlan, steps: int, entries: Iterable[Entry]) -> None:
        """Have a layer that has made some steps, with the blocks of a checkpoint."""
        blocks = self._layers[layer.name] = _Blocks(self, layer, steps)
        blocks.open(tuple(entries))

    def set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        """Take notice of walls that differ from those that the world was made with; blocks in memory are told by an order."""
        for state in (True, False):
            if (blocked == state).any():
                self.walls.add(cells[blocked == state], state)

    def order(self, name: str, orders: Mapping[int, Order]) -> None:
        """Let things happen to blocks."""
        self._layers[name].order(orders)

    def tune(self, layer: LayerPlan) -> None:
        """Go on with other parameters of a propagation."""
        self._layers[layer.name].tune(layer)

    def take(self, name: str, rims: Iterable[Rim]) -> None:
        """Take notice of rims of which other shelves hold the cores."""
        self._layers[name].take(rims)

    def round(self, name: str, steps: int, now: int, rims: Iterable[Rim]) -> Round:
        """Take steps, at most as many as rims are made for; `now` are all steps of the layer after these."""
        return self._layers[name].round(steps, now, rims)

    def relax(self, name: str, rims: Iterable[Rim], begins: bool) -> Round:
        """Let the blocks settle that have heard of another rim; as it begins, all of them, from nothing."""
        return self._layers[name].relax(rims, begins)

    # Agents

    def add_herd(self, name: str, world: WorldPlan, entries: Iterable[tuple[int, str]], groups: Mapping[int, Group]) -> None:
        """Have the agents of a swarm, those in the files of a checkpoint, of which some are on other shelves, and some more."""
        herd = self._herds[name] = Herd(world, self.walls, self._plan_of, self._look, self._pour)
        plan = Plan(world.width, world.height, world.block, 0, world.wrap)
        for number, file in entries:
            if owner(plan, number, self.shelves) == self.place:
                herd.load(number, self.folder / file)
        herd.add(groups)

    def _plan_of(self, name: str) -> Plan:
        return self._layers[name].plan

    def _look(self, name: str, number: int) -> Block | None:
        return self._layers[name].look(number)

    def _pour(self, name: str, number: int) -> Block:
        return self._layers[name].wake_up(number)

    def march(self, name: str, march: March) -> None:
        """Let agents make their next steps like this."""
        self._herds[name].march(march)

    def walk(self, name: str, step: int, rims: Mapping[str, Iterable[Rim]]) -> Comers:
        """Take notice of rims of the layers that agents read, and let them move; those who leave for blocks of other shelves."""
        for layer, some in rims.items():
            self.take(layer, some)
        herd = self._herds[name]
        left = herd.walk(step)
        self._arriving[name] = left.of(lambda number: self._is_mine(herd, number))
        return left.of(lambda number: not self._is_mine(herd, number))

    def _is_mine(self, herd: Herd, number: int) -> bool:
        return owner(herd.plan, number, self.shelves) == self.place

    def arrive(self, name: str, comers: Iterable[Comers]) -> None:
        """Have those who come from other blocks, and let all leave what they leave."""
        self._herds[name].arrive([self._arriving.pop(name), *comers])

    def relocate(self, name: str, numbers: NDArray[np.uint32], groups: Mapping[int, Group]) -> None:
        """Let agents go, wherever they are, and have others."""
        self._herds[name].drop(numbers)
        self._herds[name].add(groups)

    def agents_of(self, name: str) -> list[tuple[int, tuple[NDArray[np.int32], NDArray[np.uint32]]]]:
        """The agents of a swarm and their numbers, by blocks."""
        return self._herds[name].known()

    def agents_in_walls(self, name: str) -> list[tuple[int, tuple[NDArray[np.int32], NDArray[np.uint32]]]]:
        """The agents of a swarm that stand in walls."""
        return self._herds[name].in_walls()

    def save_herd(self, name: str, stamp: str) -> tuple[list[tuple[int, str]], int]:
        """Write the agents of all blocks where these have changed: blocks and files, and the bytes written."""
        return self._herds[name].save(lambda number: self.path(f"{name} agents", number, stamp))

    # Checkpoints and answers

    def save(self, name: str, stamp: str) -> Saved:
        """Write all blocks of a layer that have changed since they were last written."""
        return self._layers[name].save(stamp)

    def wake(self, name: str) -> None:
        """Look at all blocks of a layer in the next round."""
        self._layers[name].wake()

    def read(self, name: str, number: int, rows: slice, columns: slice) -> NDArray[np.float32] | None:
        """The values of some of a block's cells; None where it holds nothing."""
        return self._layers[name].read(number, rows, columns)

    def strongest(self, name: str, scale: int) -> list[tuple[int, NDArray[np.float32]]]:
        """For each block that holds something, the strongest value in each square of `scale` x `scale` cells of the map."""
        return self._layers[name].strongest(scale)

    def digests(self, name: str) -> list[tuple[int, bytes]]:
        """The SHA-256 of the values of each block that holds something."""
        return self._layers[name].digests()

    def path(self, name: str, number: int, stamp: str) -> Path:
        """Where a block goes."""
        word = "".join(letter if letter.isalnum() else "_" for letter in name)[:40]
        return self.folder / f"{word}-{number}-{stamp}-{os.urandom(5).hex()}.block"

    def make_room(self, wanted: Block | None = None) -> None:
        """Unload the blocks that were used longest ago until the rest, with one that is wanted, fits into the memory."""
        loaded = [(blocks.used.get(number, 0), blocks, block) for blocks in self._layers.values() for number, block in blocks.of_memory()]
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


class _Blocks:
    """The blocks of one layer on a shelf."""

    def __init__(self, shelf: Shelf, layer: LayerPlan, steps: int) -> None:
        self._shelf, self._layer, self._steps = shelf, layer, steps
        self._plan = layer.plan()
        self._blocks: dict[int, Block] = {}
        self._awake: set[int] = set()
        self._loaded: set[int] = set()
        self.used: dict[int, int] = {}
        self._clock = 0

    def _new(self, number: int) -> Block:
        block = self._blocks[number] = Block(self._layer, self._plan, number, self._shelf.walls)
        block.made = 0
        return block

    def _block(self, number: int) -> Block:
        """A block, made if there is none, in memory from now on."""
        block = self._blocks.get(number) or self._new(number)
        self._clock += 1
        self.used[number] = self._clock
        if not block.is_loaded:
            self._shelf.make_room(block)
        self._loaded.add(number)
        return block

    @property
    def plan(self) -> Plan:
        """How the map is cut."""
        return self._plan

    def look(self, number: int) -> Block | None:
        """A block, in memory from now on, if there is one."""
        return self._block(number) if number in self._blocks else None

    def wake_up(self, number: int) -> Block:
        """A block to which something comes, made if there is none."""
        self._awake.add(number)
        return self._block(number)

    def of_memory(self) -> list[tuple[int, Block]]:
        """The blocks in memory."""
        return [(number, self._blocks[number]) for number in self._loaded if self._blocks[number].is_loaded]

    def unload(self, block: Block) -> None:
        """Let a block leave the memory; the file that it left it for before is no longer of use, if no checkpoint speaks of it."""
        old = block.file
        block.unload(self._shelf.path(self._layer.name, block.number, "room"))
        if old is not None and old != block.file and old.name not in self._shelf.in_checkpoint:
            old.unlink(missing_ok=True)
        self._loaded.discard(block.number)

    # From a checkpoint

    def open(self, entries: tuple[Entry, ...]) -> None:
        """Have the blocks of a checkpoint, of all shelves: those of others say what rims are made of."""
        files = {entry.number: entry for entry in entries}
        mine = [entry for entry in entries if self._is_mine(entry.number)]
        self._shelf.in_checkpoint.update(entry.file for entry in entries)
        for entry in mine:
            block = self._new(entry.number)
            block.made = entry.made
            if self._fits(entry):
                block.file, block.dirty = self._shelf.folder / entry.file, False
                if not entry.at_rest:
                    self._awake.add(entry.number)
        if not all(self._fits(entry) for entry in entries):
            self._cut_anew(files)

    def _fits(self, entry: Entry) -> bool:
        """Whether the rim in a file is as wide as rims are now."""
        return self._layer.plan(entry.halo_steps).halo == self._plan.halo

    def _is_mine(self, number: int) -> bool:
        return owner(self._plan, number, self._shelf.shelves) == self._shelf.place

    def _cut_anew(self, files: dict[int, Entry]) -> None:
        """Make blocks with rims of another width, out of the cores of them all."""
        cores: dict[int, dict[str, NDArray[Any]]] = {}

        def core(number: int) -> dict[str, NDArray[Any]] | None:
            if number not in files:
                return None
            if number not in cores:
                entry = files[number]
                old = self._layer.plan(entry.halo_steps)
                part = old.core(number).within(old.ground(number))
                if len(cores) > 3 * self._plan.across + 9:
                    cores.clear()
                cores[number] = {name: plane[part] for name, plane in read_planes(self._shelf.folder / entry.file).items()}
            return cores[number]

        wanted = {number for number in files if self._is_mine(number)}
        for number in sorted(files):
            planes = core(number)
            assert planes is not None
            for piece in self._plan.outgoing(number):
                if (
                    piece.target not in wanted
                    and self._is_mine(piece.target)
                    and any(plane[piece.there].any() for plane in planes.values())
                ):
                    wanted.add(piece.target)
        for number in sorted(wanted):
            ground = self._plan.ground(number)
            sources = [(core(piece.source), piece.there, piece.here) for piece in self._plan.pieces(number)]
            whole = self._plan.core(number)
            sources.append((core(number), whole.within(whole), whole.within(ground)))
            names = {name: plane.dtype for planes, _, _ in sources if planes is not None for name, plane in planes.items()}
            planes = {name: np.zeros(ground.shape, dtype=dtype) for name, dtype in names.items()}
            for parts, there, here in sources:
                for name, plane in (parts or {}).items():
                    planes[name][here] = plane[there]
            block = self._block(number)
            block.begin(planes)
            block.dirty = True
            self._awake.add(number)

    # Orders and rounds

    def order(self, orders: Mapping[int, Order]) -> None:
        for number, order in orders.items():
            if number not in self._blocks and _is_idle(order):
                continue
            block = self._block(number)
            block.catch_up(self._steps)
            if order.calls:
                block.do(order.calls)
            if order.sources is not None:
                block.hold(order.sources)
            self._awake.add(number)

    def tune(self, layer: LayerPlan) -> None:
        self._layer = layer
        for number, block in self._blocks.items():
            block.catch_up(self._steps)
            block.tune(layer)
            self._awake.add(number)

    def round(self, steps: int, now: int, rims: Iterable[Rim]) -> Round:
        self._steps = now
        self.take(rims)
        ran, between = 0, 0
        mine: list[Rim] = []
        others: list[Rim] = []
        for number in sorted(self._awake):
            block = self._block(number)
            sent, at_rest = block.run(steps, now)
            ran += 1
            for rim in sent:
                between += rim.bytes
                (mine if self._is_mine(rim.target) else others).append(rim)
            if at_rest:
                self._awake.discard(number)
                if block.is_loaded and block.is_empty:
                    self._forget(number)
        self.take(mine)
        return Round(others, ran, len(self._blocks) - ran if ran < len(self._blocks) else 0, between)

    def relax(self, rims: Iterable[Rim], begins: bool) -> Round:
        if begins:
            for number in sorted(self._blocks):
                self._block(number).empty()
            self._awake = set(self._blocks)
        self.take(rims)
        some, self._awake = sorted(self._awake), set()
        sent = [rim for number in some for rim in self._block(number).relax()]
        mine = [rim for rim in sent if self._is_mine(rim.target)]
        self.take(mine)
        others = [rim for rim in sent if not self._is_mine(rim.target)]
        return Round(others, len(some), len(self._awake), sum(rim.bytes for rim in sent))

    def wake(self) -> None:
        self._awake = set(self._blocks)

    def _forget(self, number: int) -> None:
        del self._blocks[number]
        self._loaded.discard(number)
        self.used.pop(number, None)

    def take(self, rims: Iterable[Rim]) -> None:
        by_target: dict[int, list[Rim]] = {}
        for rim in rims:
            by_target.setdefault(rim.target, []).append(rim)
        for number, some in by_target.items():
            self._block(number).take(some)
            self._awake.add(number)

    # Answers

    def save(self, stamp: str) -> Saved:
        written = 0
        entries = []
        for number in sorted(self._blocks):
            block = self._blocks[number]
            block.catch_up(self._steps)
            written += block.save(self._shelf.path(self._layer.name, number, stamp)) if block.dirty or block.file is None else 0
            assert block.file is not None
            entries.append(Entry(number, block.file.name, number not in self._awake, block.made, self._layer.halo_steps))
            self._shelf.in_checkpoint.add(block.file.name)
        return Saved(entries, written)

    def read(self, number: int, rows: slice, columns: slice) -> NDArray[np.float32] | None:
        if number not in self._blocks:
            return None
        return self._block(number).core_values(self._steps)[rows, columns].copy()

    def strongest(self, scale: int) -> list[tuple[int, NDArray[np.float32]]]:
        found = []
        for number in sorted(self._blocks):
            values = self._block(number).core_values(self._steps)
            found.append((number, _strongest(values, self._plan.core(number), scale)))
        return found

    def digests(self) -> list[tuple[int, bytes]]:
        found = []
        for number in sorted(self._blocks):
            values = self._block(number).core_values(self._steps)
            found.append((number, hashlib.sha256(np.ascontiguousarray(values).data).digest()))
        return found


def _any(planes: Mapping[str, NDArray[Any]], part: tuple[slice, slice]) -> bool:
    return any(plane[part].any() for plane in planes.values())


def _is_idle(order: Order) -> bool:
    """Whether an order does nothing to a block that holds nothing."""
    return all(call.verb == "set_walls" for call in order.calls) and (order.sources is None or not len(order.sources.keys))


def _strongest(values: NDArray[np.float32], core: Box, scale: int) -> NDArray[np.float32]:
    """The strongest value of each square of the map that a block has a part in; of equals the positive one."""
    down = np.unique(np.maximum(np.arange(core.top // scale * scale, core.bottom, scale) - core.top, 0))
    right = np.unique(np.maximum(np.arange(core.left // scale * scale, core.right, scale) - core.left, 0))
    high = np.maximum.reduceat(np.maximum.reduceat(values, down, axis=0), right, axis=1)
    low = np.minimum.reduceat(np.minimum.reduceat(values, down, axis=0), right, axis=1)
    return np.where(high >= -low, high, low)
