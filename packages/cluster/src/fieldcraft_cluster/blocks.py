"""The blocks of one layer on a store, and the exchange of their halos."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft_cluster.block import Block, BlockSources, HaloUpdate, LayerCall
from fieldcraft_cluster.files import read_planes
from fieldcraft_cluster.partition import Box, Partition
from fieldcraft_cluster.transfer import LayerPlan

if TYPE_CHECKING:
    from fieldcraft_cluster.store import Store


class BlockEntry(NamedTuple):
    """A block in a checkpoint: its file, whether it is at rest, the steps that it has taken, and
    the steps that its halo is wide enough for.
    """

    number: int
    file: str
    at_rest: bool
    steps_taken: int
    halo_steps: int


class BlockCommands(NamedTuple):
    """The commands for one block before the next superstep: calls, then all sources if they have
    changed.
    """

    calls: tuple[LayerCall, ...] = ()
    sources: BlockSources | None = None


class Superstep(NamedTuple):
    """The result of a superstep on one store: halos for blocks of other stores, and counts."""

    halos: list[HaloUpdate]
    ran: int
    idle: int
    bytes_between: int


def owner(plan: Partition, number: int, stores: int) -> int:
    """Return the store of a block. Each store has a band of the map, so that few halos go from one
    to another.
    """
    return number // plan.across * stores // plan.down


class Blocks:
    """The blocks of one layer on a store: in memory or in files, active or at rest."""

    def __init__(self, store: Store, layer: LayerPlan, steps: int) -> None:
        self._store = store
        self._layer = layer
        self._steps = steps
        self.partition = layer.partition()
        self._blocks: dict[int, Block] = {}
        self._active: set[int] = set()
        self._loaded: set[int] = set()
        self.used: dict[int, int] = {}
        self._clock = 0

    def _new(self, number: int) -> Block:
        block = Block(self._layer, self.partition, number, self._store.walls)
        self._blocks[number] = block
        return block

    def _block(self, number: int) -> Block:
        """Return a block in memory; it is created if it does not exist."""
        block = self._blocks.get(number)
        if block is None:
            block = self._new(number)
        self._clock += 1
        self.used[number] = self._clock
        if not block.is_loaded:
            self._store.free_memory(block)
        self._loaded.add(number)
        return block

    def of_memory(self) -> list[tuple[int, Block]]:
        """Return the blocks in memory by number."""
        return [
            (number, self._blocks[number])
            for number in self._loaded
            if self._blocks[number].is_loaded
        ]

    def unload(self, block: Block) -> None:
        """Move a block to a file; its previous file is deleted unless a checkpoint lists it."""
        old = block.file
        block.unload(self._store.path(self._layer.name, block.number, "swap"))
        if old is not None and old != block.file and old.name not in self._store.checkpoint_files:
            old.unlink(missing_ok=True)
        self._loaded.discard(block.number)

    # From a checkpoint

    def open(self, entries: tuple[BlockEntry, ...]) -> None:
        """Open the blocks of a checkpoint. `entries` are those of all stores, because halos may
        have to be rebuilt.
        """
        files = {entry.number: entry for entry in entries}
        self._store.checkpoint_files.update(entry.file for entry in entries)
        for entry in entries:
            if not self._owns(entry.number):
                continue
            block = self._new(entry.number)
            block.steps_taken = entry.steps_taken
            if self._fits(entry):
                block.file = self._store.folder / entry.file
                block.dirty = False
                if not entry.at_rest:
                    self._active.add(entry.number)
        if not all(self._fits(entry) for entry in entries):
            self._rebuild(files)

    def _fits(self, entry: BlockEntry) -> bool:
        """Return whether the halo in a file has the current width."""
        return self._layer.partition(entry.halo_steps).halo == self.partition.halo

    def _owns(self, number: int) -> bool:
        return self._store.owns(self.partition, number)

    def _rebuild(self, files: dict[int, BlockEntry]) -> None:
        """Create blocks with halos of another width from the interiors of all blocks."""
        interiors: dict[int, dict[str, NDArray[Any]]] = {}

        def interior(number: int) -> dict[str, NDArray[Any]] | None:
            if number not in files:
                return None
            if number not in interiors:
                entry = files[number]
                old = self._layer.partition(entry.halo_steps)
                extended = old.extended(number)
                part = old.interior(number).within(extended)
                found = read_planes(self._store.folder / entry.file, extended.shape)
                if len(interiors) > 3 * self.partition.across + 9:
                    interiors.clear()
                interiors[number] = {name: plane[part] for name, plane in found.items()}
            return interiors[number]

        wanted = {number for number in files if self._owns(number)}
        for number in sorted(files):
            planes = interior(number)
            assert planes is not None
            for piece in self.partition.outgoing(number):
                if (
                    piece.target not in wanted
                    and self._owns(piece.target)
                    and any(plane[piece.there].any() for plane in planes.values())
                ):
                    wanted.add(piece.target)
        for number in sorted(wanted):
            extended = self.partition.extended(number)
            sources = [
                (interior(piece.source), piece.there, piece.here)
                for piece in self.partition.pieces(number)
            ]
            inner = self.partition.interior(number)
            sources.append((interior(number), inner.within(inner), inner.within(extended)))
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
            self._active.add(number)

    # Commands and supersteps

    def apply(self, commands: Mapping[int, BlockCommands]) -> None:
        """Apply commands to blocks."""
        for number, command in commands.items():
            if number not in self._blocks and _is_idle(command):
                continue
            block = self._block(number)
            block.catch_up(self._steps)
            if command.calls:
                block.apply_calls(command.calls)
            if command.sources is not None:
                block.set_sources(command.sources)
            self._active.add(number)

    def tune(self, layer: LayerPlan) -> None:
        """Set the parameters of the propagation."""
        self._layer = layer
        for number, block in self._blocks.items():
            block.catch_up(self._steps)
            block.tune(layer)
            self._active.add(number)

    def superstep(self, steps: int, now: int, halos: Iterable[HaloUpdate]) -> Superstep:
        """Take steps, at most as many as halos are wide enough for, up to step `now`."""
        self._steps = now
        self.set_halos(halos)
        active = sorted(self._active)
        sent: list[HaloUpdate] = []
        for number in active:
            block = self._block(number)
            changed, at_rest = block.run(steps, now)
            sent += changed
            if at_rest:
                self._active.discard(number)
                if block.is_loaded and block.is_empty:
                    del self._blocks[number]
                    self._loaded.discard(number)
                    self.used.pop(number, None)
        others = self._deliver(sent)
        between = sum(halo.bytes for halo in sent)
        return Superstep(others, len(active), max(len(self._blocks) - len(active), 0), between)

    def _deliver(self, sent: list[HaloUpdate]) -> list[HaloUpdate]:
        """Set the halos of blocks of this store; return those for other stores."""
        self.set_halos(halo for halo in sent if self._owns(halo.target))
        return [halo for halo in sent if not self._owns(halo.target)]

    def settle(self, halos: Iterable[HaloUpdate], begins: bool) -> Superstep:
        """Settle the blocks whose halos have changed; at the beginning, all blocks from 0."""
        if begins:
            for number in sorted(self._blocks):
                self._block(number).clear()
            self._active = set(self._blocks)
        self.set_halos(halos)
        some = sorted(self._active)
        self._active = set()
        sent: list[HaloUpdate] = []
        for number in some:
            sent += self._block(number).settle()
        others = self._deliver(sent)
        return Superstep(others, len(some), len(self._active), sum(halo.bytes for halo in sent))

    def activate_all(self) -> None:
        """Run all blocks in the next superstep."""
        self._active = set(self._blocks)

    def set_halos(self, halos: Iterable[HaloUpdate]) -> None:
        """Store new values of halos, and activate their blocks."""
        by_target: dict[int, list[HaloUpdate]] = {}
        for halo in halos:
            by_target.setdefault(halo.target, []).append(halo)
        for number, some in by_target.items():
            self._block(number).set_halos(some)
            self._active.add(number)

    # Queries and files

    def save(self, stamp: str) -> tuple[list[BlockEntry], int]:
        """Write all changed blocks; return the entries of all blocks and the bytes written."""
        written = 0
        entries = []
        for number in sorted(self._blocks):
            block = self._blocks[number]
            block.catch_up(self._steps)
            written += block.save(self._store.path(self._layer.name, number, stamp))
            assert block.file is not None
            self._store.checkpoint_files.add(block.file.name)
            at_rest = number not in self._active
            halo = self._layer.halo_steps
            entries.append(BlockEntry(number, block.file.name, at_rest, block.steps_taken, halo))
        return entries, written

    def read(self, number: int, rows: slice, columns: slice) -> NDArray[np.float32] | None:
        """Return the values of some cells of a block, None if the block does not exist."""
        if number not in self._blocks:
            return None
        return self._block(number).interior_values(self._steps)[rows, columns].copy()

    def _interiors(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield the values of each existing block."""
        for number in sorted(self._blocks):
            yield number, self._block(number).interior_values(self._steps)

    def strongest(self, scale: int) -> list[tuple[int, NDArray[np.float32]]]:
        """Return the strongest value in each square of the map, for each existing block."""
        return [
            (number, _strongest(values, self.partition.interior(number), scale))
            for number, values in self._interiors()
        ]

    def digests(self) -> list[tuple[int, bytes]]:
        """Return the SHA-256 of the values of each existing block."""
        return [
            (number, hashlib.sha256(np.ascontiguousarray(values).data).digest())
            for number, values in self._interiors()
        ]


def _is_idle(command: BlockCommands) -> bool:
    """Return whether a command has no effect on a block that does not exist."""
    if command.sources is not None and len(command.sources.keys):
        return False
    return all(call.method == "set_walls" for call in command.calls)


def _square_starts(low: int, end: int, scale: int) -> NDArray[np.int64]:
    """Return where the squares of the map begin in a range of rows or columns, from its start."""
    starts = np.arange(low // scale * scale, end, scale)
    return np.unique(np.maximum(starts - low, 0))


def _strongest(values: NDArray[np.float32], interior: Box, scale: int) -> NDArray[np.float32]:
    """Return the strongest value of a block in each square of the map; the positive one on a
    tie.
    """
    down = _square_starts(interior.top, interior.bottom, scale)
    right = _square_starts(interior.left, interior.right, scale)
    high = np.maximum.reduceat(np.maximum.reduceat(values, down, axis=0), right, axis=1)
    low = np.minimum.reduceat(np.minimum.reduceat(values, down, axis=0), right, axis=1)
    return np.where(high >= -low, high, low)
