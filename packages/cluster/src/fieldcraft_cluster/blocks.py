"""The blocks of one layer on a store: which are there, which are awake, and what they tell each
other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft_cluster.block import Block, BlockSources, HaloUpdate, LayerCall
from fieldcraft_cluster.files import read_planes
from fieldcraft_cluster.plan import Box, Plan
from fieldcraft_cluster.transfer import LayerPlan

if TYPE_CHECKING:
    from fieldcraft_cluster.store import Store

__all__ = ["BlockCommands", "BlockEntry", "Blocks", "Superstep", "owner"]


class BlockEntry(NamedTuple):
    """A block in a checkpoint: its file, whether nothing changes there, how many steps it has made,
    and the steps that its halo is for.
    """

    number: int
    file: str
    at_rest: bool
    made: int
    halo_steps: int


class BlockCommands(NamedTuple):
    """The commands for one block before the next superstep: calls, and then the sources that it
    has from now on, if they changed.
    """

    calls: tuple[LayerCall, ...] = ()
    sources: BlockSources | None = None


class Superstep(NamedTuple):
    """The outcome of a superstep on one store: pieces of halos for blocks of other stores, and
    counts.
    """

    halos: list[HaloUpdate]
    ran: int
    asleep: int
    bytes_between: int


def owner(plan: Plan, number: int, stores: int) -> int:
    """The store that holds a block: stores take bands of the map, so that few halos go from one to
    another.
    """
    return number // plan.across * stores // plan.down


class Blocks:
    """The blocks of one layer on a store: some in memory, some in files, some awake."""

    def __init__(self, store: Store, layer: LayerPlan, steps: int) -> None:
        self._store, self._layer, self._steps = store, layer, steps
        self.plan = layer.plan()
        self._blocks: dict[int, Block] = {}
        self._awake: set[int] = set()
        self._loaded: set[int] = set()
        self.used: dict[int, int] = {}
        self._clock = 0

    def _new(self, number: int) -> Block:
        block = self._blocks[number] = Block(self._layer, self.plan, number, self._store.walls)
        return block

    def _block(self, number: int) -> Block:
        """A block, made if there is none, in memory from now on."""
        block = self._blocks.get(number) or self._new(number)
        self._clock += 1
        self.used[number] = self._clock
        if not block.is_loaded:
            self._store.make_room(block)
        self._loaded.add(number)
        return block

    def of_memory(self) -> list[tuple[int, Block]]:
        """The blocks in memory."""
        return [
            (number, self._blocks[number])
            for number in self._loaded
            if self._blocks[number].is_loaded
        ]

    def unload(self, block: Block) -> None:
        """Let a block leave the memory; the file that it left it for before is no longer of use, if
        no checkpoint speaks of it.
        """
        old = block.file
        block.unload(self._store.path(self._layer.name, block.number, "room"))
        if old is not None and old != block.file and old.name not in self._store.in_checkpoint:
            old.unlink(missing_ok=True)
        self._loaded.discard(block.number)

    # From a checkpoint

    def open(self, entries: tuple[BlockEntry, ...]) -> None:
        """Have the blocks of a checkpoint, of all stores: those of others say what halos are made
        of.
        """
        files = {entry.number: entry for entry in entries}
        self._store.in_checkpoint.update(entry.file for entry in entries)
        for entry in entries:
            if not self._is_mine(entry.number):
                continue
            block = self._new(entry.number)
            block.made = entry.made
            if self._fits(entry):
                block.file, block.dirty = self._store.folder / entry.file, False
                if not entry.at_rest:
                    self._awake.add(entry.number)
        if not all(self._fits(entry) for entry in entries):
            self._cut_anew(files)

    def _fits(self, entry: BlockEntry) -> bool:
        """Whether the halo in a file is as wide as halos are now."""
        return self._layer.plan(entry.halo_steps).halo == self.plan.halo

    def _is_mine(self, number: int) -> bool:
        return self._store.is_mine(self.plan, number)

    def _cut_anew(self, files: dict[int, BlockEntry]) -> None:
        """Make blocks with halos of another width, out of the interiors of them all."""
        interiors: dict[int, dict[str, NDArray[Any]]] = {}

        def interior(number: int) -> dict[str, NDArray[Any]] | None:
            if number not in files:
                return None
            if number not in interiors:
                entry = files[number]
                old = self._layer.plan(entry.halo_steps)
                extended = old.extended(number)
                part = old.interior(number).within(extended)
                found = read_planes(self._store.folder / entry.file, extended.shape)
                if len(interiors) > 3 * self.plan.across + 9:
                    interiors.clear()
                interiors[number] = {name: plane[part] for name, plane in found.items()}
            return interiors[number]

        wanted = {number for number in files if self._is_mine(number)}
        for number in sorted(files):
            planes = interior(number)
            assert planes is not None
            for piece in self.plan.outgoing(number):
                if (
                    piece.target not in wanted
                    and self._is_mine(piece.target)
                    and any(plane[piece.there].any() for plane in planes.values())
                ):
                    wanted.add(piece.target)
        for number in sorted(wanted):
            extended = self.plan.extended(number)
            sources = [
                (interior(piece.source), piece.there, piece.here)
                for piece in self.plan.pieces(number)
            ]
            whole = self.plan.interior(number)
            sources.append((interior(number), whole.within(whole), whole.within(extended)))
            names = {
                name: plane.dtype
                for planes, _, _ in sources
                if planes is not None
                for name, plane in planes.items()
            }
            planes = {name: np.zeros(extended.shape, dtype=dtype) for name, dtype in names.items()}
            for parts, there, here in sources:
                for name, plane in (parts or {}).items():
                    planes[name][here] = plane[there]
            block = self._block(number)
            block.load(planes)
            block.dirty = True
            self._awake.add(number)

    # Orders and supersteps

    def order(self, orders: Mapping[int, BlockCommands]) -> None:
        """Let things happen to blocks."""
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
        """Go on with other parameters of the propagation."""
        self._layer = layer
        for number, block in self._blocks.items():
            block.catch_up(self._steps)
            block.tune(layer)
            self._awake.add(number)

    def superstep(self, steps: int, now: int, halos: Iterable[HaloUpdate]) -> Superstep:
        """Take steps, at most as many as halos are made for, up to a time of `now` steps."""
        self._steps = now
        self.take(halos)
        awake, sent = sorted(self._awake), []
        for number in awake:
            block = self._block(number)
            halos, at_rest = block.run(steps, now)
            sent += halos
            if at_rest:
                self._awake.discard(number)
                if block.is_loaded and block.is_empty:
                    del self._blocks[number]
                    self._loaded.discard(number)
                    self.used.pop(number, None)
        others = self._pass_on(sent)
        between = sum(halo.bytes for halo in sent)
        return Superstep(others, len(awake), max(len(self._blocks) - len(awake), 0), between)

    def _pass_on(self, sent: list[HaloUpdate]) -> list[HaloUpdate]:
        """Take the halos of blocks that are here; those of other stores."""
        self.take(halo for halo in sent if self._is_mine(halo.target))
        return [halo for halo in sent if not self._is_mine(halo.target)]

    def relax(self, halos: Iterable[HaloUpdate], begins: bool) -> Superstep:
        """Let the blocks settle that have heard of another halo; as it begins, all of them, from
        nothing.
        """
        if begins:
            for number in sorted(self._blocks):
                self._block(number).empty()
            self._awake = set(self._blocks)
        self.take(halos)
        some, self._awake = sorted(self._awake), set()
        sent = [halo for number in some for halo in self._block(number).relax()]
        others = self._pass_on(sent)
        return Superstep(others, len(some), len(self._awake), sum(halo.bytes for halo in sent))

    def wake(self) -> None:
        """Look at all blocks in the next superstep."""
        self._awake = set(self._blocks)

    def take(self, halos: Iterable[HaloUpdate]) -> None:
        """Take notice of what owners of pieces of halos say."""
        by_target: dict[int, list[HaloUpdate]] = {}
        for halo in halos:
            by_target.setdefault(halo.target, []).append(halo)
        for number, some in by_target.items():
            self._block(number).take(some)
            self._awake.add(number)

    # Answers

    def save(self, stamp: str) -> tuple[list[BlockEntry], int]:
        """Write the blocks that have changed since they were last written: all of them, and how
        many bytes were written.
        """
        written, entries = 0, []
        for number in sorted(self._blocks):
            block = self._blocks[number]
            block.catch_up(self._steps)
            written += block.save(self._store.path(self._layer.name, number, stamp))
            assert block.file is not None
            self._store.in_checkpoint.add(block.file.name)
            at_rest, halo = number not in self._awake, self._layer.halo_steps
            entries.append(BlockEntry(number, block.file.name, at_rest, block.made, halo))
        return entries, written

    def read(self, number: int, rows: slice, columns: slice) -> NDArray[np.float32] | None:
        """The values of some of a block's cells; None where it holds nothing."""
        if number not in self._blocks:
            return None
        return self._block(number).interior_values(self._steps)[rows, columns].copy()

    def _interiors(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """The values of each block that holds something."""
        for number in sorted(self._blocks):
            yield number, self._block(number).interior_values(self._steps)

    def strongest(self, scale: int) -> list[tuple[int, NDArray[np.float32]]]:
        """The strongest value in each square of the map, for each block that holds something."""
        return [
            (number, _strongest(values, self.plan.interior(number), scale))
            for number, values in self._interiors()
        ]

    def digests(self) -> list[tuple[int, bytes]]:
        """The SHA-256 of the values of each block that holds something."""
        return [
            (number, hashlib.sha256(np.ascontiguousarray(values).data).digest())
            for number, values in self._interiors()
        ]


def _is_idle(order: BlockCommands) -> bool:
    """Whether an order does nothing to a block that holds nothing."""
    return all(call.verb == "set_walls" for call in order.calls) and (
        order.sources is None or not len(order.sources.keys)
    )


def _strongest(values: NDArray[np.float32], interior: Box, scale: int) -> NDArray[np.float32]:
    """The strongest value of each square of the map that a block has a part in; of equals the
    positive one.
    """
    down, right = (
        np.unique(np.maximum(np.arange(low // scale * scale, end, scale) - low, 0))
        for low, end in ((interior.top, interior.bottom), (interior.left, interior.right))
    )
    high = np.maximum.reduceat(np.maximum.reduceat(values, down, axis=0), right, axis=1)
    low = np.minimum.reduceat(np.minimum.reduceat(values, down, axis=0), right, axis=1)
    return np.where(high >= -low, high, low)
