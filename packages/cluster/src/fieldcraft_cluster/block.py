"""One block of one layer: a plain layer on the extended block, and the values of its halo."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import clock
from fieldcraft.base.errors import BadSaveFile
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft_cluster.files import read_planes, write_planes
from fieldcraft_cluster.partition import Partition, Piece
from fieldcraft_cluster.terrain import WallChanges, grid_of, walls_in
from fieldcraft_cluster.transfer import LayerPlan

_NEW_WALLS = "new walls"

Planes = dict[str, NDArray[Any]]
Parts = list[tuple[Piece, tuple[NDArray[np.float32], ...]]]


class BlockSources(NamedTuple):
    """The sources on an extended block: keys (N,), cells of the extended block, strengths, and
    radii in world units.
    """

    keys: NDArray[np.int64]
    cells: NDArray[np.int64]
    strengths: NDArray[np.float32]
    radii: NDArray[np.float64] | None


class LayerCall(NamedTuple):
    """A call of a method of a block's layer, at rows and columns of the extended block."""

    method: str
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    arguments: dict[str, Any]


class HaloUpdate(NamedTuple):
    """The new values of a piece of a block's halo."""

    target: int
    number: int
    planes: tuple[NDArray[np.float32], ...]

    @property
    def bytes(self) -> int:
        """The size of its planes."""
        return sum(plane.nbytes for plane in self.planes)


class Block:
    """One block, in memory or in a file.

    `_halo` contains the values of each piece of the halo that its owner sent last; None stands for
    zeros. During steps the halo becomes invalid from its edge inwards, so it is restored before
    each superstep.
    """

    def __init__(
        self, layer: LayerPlan, partition: Partition, number: int, walls: WallChanges
    ) -> None:
        self.number = number
        self.partition = partition
        self._layer_plan = layer
        self._walls = walls
        self._kind = layer.kind
        self._imap: InfluenceMap | None = None
        self._halo: dict[int, tuple[NDArray[np.float32], ...] | None] = {}
        self._sources: BlockSources | None = None
        self._inset = layer.kind.inset(layer.propagation, layer.world.neighborhood)
        self.file: Path | None = None
        self.dirty = True
        self.steps_taken = 0
        self._idle_supersteps = 0
        self._check_after = 1

    # In memory or in a file

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory."""
        return self._imap is not None

    @property
    def bytes(self) -> int:
        """The approximate size in memory."""
        height, width = self.partition.extended(self.number).shape
        return height * width * self._kind.bytes_per_cell

    @property
    def layer(self) -> Any:
        """Its layer, loaded from the file if necessary."""
        if self._imap is None:
            planes = None
            if self.file is not None:
                planes = read_planes(self.file, self.partition.extended(self.number).shape)
            self.load(planes)
        assert self._imap is not None
        return self._imap[self._layer_plan.name]

    @property
    def _field(self) -> Any:
        return self.layer.steps.field

    def load(self, planes: Planes | None) -> None:
        """Create the layer in memory, with the planes of a file if given."""
        layer = self._layer_plan
        box = self.partition.extended(self.number)
        walls = walls_in(layer.world.walls, self._walls, box)
        new_walls = np.zeros(0, dtype=np.int64)
        if planes is not None and _NEW_WALLS in planes:
            new_walls = np.flatnonzero(planes[_NEW_WALLS])
        walls.reshape(-1)[new_walls] = False
        space = grid_of(layer.world, box, walls)
        imap = InfluenceMap(space)
        created: Any = imap.add_layer(
            layer.name, layer.propagation, every=clock.seconds(layer.every)
        )
        if layer.resistance is not None:
            created.resistance = layer.resistance.read(box)
        if self._kind.is_lazy and self.steps_taken:
            created.step(self.steps_taken)
        self._imap = imap
        if self._sources is not None:
            self._sync(imap, self._sources)
        if planes is not None:
            try:
                self._kind.restore(created.steps.field, planes, created.steps.sources)
            except (LookupError, TypeError, ValueError, ArithmeticError) as error:
                raise BadSaveFile(
                    "A block file has what its layer wrote",
                    got=f"block {self.number} of {layer.name!r}: {error}",
                    remedy="Use another copy of it",
                ) from error
            space.set_walls(new_walls)
            self._store_halo()

    def unload(self, file: Path) -> None:
        """Move the block to a file; an unchanged block is not written again."""
        if self._imap is None:
            return
        self.save(file)
        self._halo = {}
        self._imap = None

    def save(self, file: Path) -> int:
        """Write the block, unless it is unchanged since it was last written; return the bytes
        written.
        """
        if not self.dirty and self.file is not None:
            return 0
        self.refresh()
        planes = self._kind.state(self._field)
        hidden = self._field.values != self.layer.values  # under walls newer than the last step
        if hidden.any():
            planes = {**planes, _NEW_WALLS: hidden.astype(np.int32)}
        written = write_planes(file, planes)
        self.file = file
        self.dirty = False
        return written

    @property
    def is_empty(self) -> bool:
        """Whether it has neither values nor sources nor pending deposits."""
        if self._sources is not None and len(self._sources.keys):
            return False
        return not any(plane.any() for plane in self._kind.state(self._field).values())

    # Halos

    def refresh(self) -> None:
        """Restore the halo that its owners sent last."""
        field = self._field
        kind = self._kind
        planes = kind.halo_planes(field)
        if not planes:
            return
        width = self.partition.extended(self.number).shape[1]
        for piece in self.partition.pieces(self.number):
            wanted = self._halo.get(piece.number)
            now = [plane[piece.here] for plane in planes]
            if wanted is None:
                differs = np.logical_or.reduce([part != 0 for part in now])
            else:
                pairs = zip(now, wanted, strict=True)
                differs = np.logical_or.reduce(
                    [a.view(np.int32) != b.view(np.int32) for a, b in pairs]
                )
            if not differs.any():
                continue
            rows, columns = np.nonzero(differs)
            cells = (rows + piece.here[0].start) * width + columns + piece.here[1].start
            if wanted is None:
                new = [np.zeros(len(rows), np.float32) for _ in planes]
            else:
                new = [plane[rows, columns] for plane in wanted]
            kind.put(field, cells, new)

    def _store_halo(self) -> None:
        """Store the current halo as the one that its owners sent last."""
        planes = self._kind.halo_planes(self._field)
        self._halo = {}
        if not planes:
            return
        for piece in self.partition.pieces(self.number):
            self._halo[piece.number] = _none_for_zeros(
                tuple(plane[piece.here].copy() for plane in planes)
            )

    def set_halos(self, halos: Iterable[HaloUpdate]) -> None:
        """Store new values of pieces of the halo."""
        _ = self.layer  # loads the block: a halo in a file cannot be changed
        for halo in halos:
            self._halo[halo.number] = _none_for_zeros(halo.planes)
        self.dirty = True
        self._idle_supersteps = 0

    def _interior_parts(self, planes: tuple[NDArray[np.float32], ...]) -> Parts:
        interior = self.partition.interior(self.number)
        extended = self.partition.extended(self.number)
        rows, columns = interior.within(extended)
        own = [plane[rows, columns] for plane in planes]
        return [
            (piece, tuple(plane[piece.there].copy() for plane in own))
            for piece in self.partition.outgoing(self.number)
        ]

    def _changed(self, before: Parts, after: Parts) -> list[HaloUpdate]:
        """Return the pieces of other blocks' halos that differ."""
        found = []
        for (piece, old), (_, new) in zip(before, after, strict=True):
            pairs = zip(old, new, strict=True)
            if any(a.tobytes() != b.tobytes() for a, b in pairs):
                found.append(HaloUpdate(piece.target, piece.number, new))
        return found

    # Calls and sources

    def set_sources(self, sources: BlockSources) -> None:
        """Replace all sources; they take effect at the next step."""
        self._sources = sources
        self.dirty = True
        self._idle_supersteps = 0
        if self._imap is not None:
            self._sync(self._imap, sources)

    def _sync(self, imap: InfluenceMap, sources: BlockSources) -> None:
        """Give the layer in memory exactly these sources."""
        layer: Any = imap[self._layer_plan.name]
        positions = layer.space.position_of(sources.cells)
        if sources.radii is None:
            extra = {}
        else:
            extra = {"radii": sources.radii}
        layer.sync(sources.keys.tolist(), positions, sources.strengths, on_wall="through", **extra)

    def apply_calls(self, calls: Iterable[LayerCall]) -> None:
        """Apply calls to the layer, in order."""
        self.refresh()
        layer = self.layer
        for call in calls:
            self._call(layer, call)
        self._store_halo()
        self.dirty = True
        self._idle_supersteps = 0

    def _call(self, layer: Any, call: LayerCall) -> None:
        space = layer.space
        if call.method == "set_walls":
            space.set_walls(call.rows * space.width + call.columns, **call.arguments)
        elif call.method == "stamp":
            if space.y_up:
                rows = space.height - 1 - call.rows
            else:
                rows = call.rows
            positions = (np.stack([call.columns, rows], axis=1) + 0.5) * space.cell_size
            layer.stamp(positions=positions, outside="cut", **call.arguments)
        else:
            positions = space.position_of(call.rows * space.width + call.columns)
            getattr(layer, call.method)(positions, **call.arguments)

    # Steps

    def run(self, steps: int, now: int) -> tuple[list[HaloUpdate], bool]:
        """Take steps, up to step `now`. Return the changed pieces of other blocks' halos, and
        whether the block is at rest.
        """
        if self._kind.is_lazy:
            self.catch_up(now)
            return [], True
        self.refresh()
        layer = self.layer
        planes = self._kind.halo_planes(layer.steps.field)
        if not planes:
            layer.step(1)
            self.dirty = True
            return [], True
        before = self._interior_parts(planes)
        at_rest = self._step(layer, steps)
        self.steps_taken = now
        if at_rest:
            return [], True
        self.dirty = True
        halos = self._changed(
            before, self._interior_parts(self._kind.halo_planes(layer.steps.field))
        )
        if halos:
            self._idle_supersteps = 0
            self._check_after = 1
        else:
            self._idle_supersteps += 1
        return halos, False

    def _step(self, layer: Any, steps: int) -> bool:
        """Take steps; return whether the first one shows that the block stays unchanged as long as
        its halo does.

        That is the case if one step leaves the extended block unchanged, except for the border that
        is invalid after one step. The next step then leaves all unchanged except for twice that
        border, and so on; the halo is wide enough for all steps of a superstep.
        """
        if self._idle_supersteps < self._check_after:
            layer.step(steps)
            return False
        inner = self._valid_part()
        before = [plane.copy() for plane in self._kind.halo_planes(layer.steps.field)]
        layer.step(1)
        after = self._kind.halo_planes(layer.steps.field)
        pairs = zip(before, after, strict=True)
        if all(a[inner].tobytes() == b[inner].tobytes() for a, b in pairs):
            return True
        self._check_after = min(2 * self._check_after, 64)
        self._idle_supersteps = 0
        if steps > 1:
            layer.step(steps - 1)
        return False

    def clear(self) -> None:
        """Remove all values, and the halo, before it settles."""
        self._kind.clear(self._field)
        self._halo = {}
        self.dirty = True
        self._idle_supersteps = 0

    def settle(self) -> list[HaloUpdate]:
        """Settle with the current halo; return the changed pieces of other blocks' halos."""
        layer = self.layer
        before = self._interior_parts(self._kind.halo_planes(layer.steps.field))
        halo = np.zeros(self.partition.extended(self.number).shape, dtype=np.float32)
        for piece in self.partition.pieces(self.number):
            known = self._halo.get(piece.number)
            if known is not None:
                halo[piece.here] = known[0]
        self._kind.settle(layer, halo)
        return self._changed(
            before, self._interior_parts(self._kind.halo_planes(layer.steps.field))
        )

    def _valid_part(self) -> tuple[slice, slice]:
        """Return the part of the extended block that is valid after one step. Edges of the map are
        valid.
        """
        extended = self.partition.extended(self.number)
        rows = self._valid_range(
            extended.top, extended.bottom, self.partition.height, wraps=self.partition.wraps_y
        )
        columns = self._valid_range(
            extended.left, extended.right, self.partition.width, wraps=self.partition.wraps_x
        )
        return rows, columns

    def _valid_range(self, first: int, end: int, size: int, *, wraps: bool) -> slice:
        """Return the valid part of a range of rows or columns of a map of `size` of them."""
        begin = 0
        stop = end - first
        if wraps or first > 0:
            begin += self._inset
        if wraps or end < size:
            stop -= self._inset
        return slice(begin, stop)

    def catch_up(self, now: int) -> None:
        """Take all missing steps, of a layer that takes any number at the cost of one."""
        if self._kind.is_lazy and now > self.steps_taken:
            self.layer.step(now - self.steps_taken)
            self.steps_taken = now
            self.dirty = True

    def tune(self, layer: LayerPlan) -> None:
        """Set the parameters of the propagation."""
        self._layer_plan = layer
        self.dirty = True
        self._idle_supersteps = 0
        if self._imap is not None:
            self.layer.propagation = layer.propagation

    # Values

    def interior_values(self, now: int) -> NDArray[np.float32]:
        """Return the values of its own cells."""
        self.catch_up(now)
        interior = self.partition.interior(self.number)
        extended = self.partition.extended(self.number)
        return np.asarray(self.layer.values[interior.within(extended)])


def _none_for_zeros(
    planes: tuple[NDArray[np.float32], ...],
) -> tuple[NDArray[np.float32], ...] | None:
    """Return the planes of a piece of a halo; None if all of their values are 0."""
    if any(plane.any() for plane in planes):
        return planes
    return None
