"""One block of one layer: a plain layer on its extended block, and what its halo is made of."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import clock
from fieldcraft.errors import BadSaveFile
from fieldcraft.influence_map import InfluenceMap
from fieldcraft_cluster.files import read_planes, write_planes
from fieldcraft_cluster.plan import Piece, Plan
from fieldcraft_cluster.terrain import Changes, grid_over, walls_in
from fieldcraft_cluster.transfer import LayerPlan

__all__ = ["Block", "BlockSources", "HaloUpdate", "LayerCall"]

_NEW_WALLS = "new walls"

Planes = dict[str, NDArray[Any]]
Parts = list[tuple[Piece, tuple[NDArray[np.float32], ...]]]


class BlockSources(NamedTuple):
    """The sources on an extended block: keys (N,), one for each place, cells of the extended block,
    strengths and radii (world units).
    """

    keys: NDArray[np.int64]
    cells: NDArray[np.int64]
    strengths: NDArray[np.float32]
    radii: NDArray[np.float64] | None


class LayerCall(NamedTuple):
    """A call of the layer of a block: its verb, where on the extended block (rows, columns), and
    its other arguments.
    """

    verb: str
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    arguments: dict[str, Any]


class HaloUpdate(NamedTuple):
    """A piece of a halo as it now is, for the block that looks at it."""

    target: int
    number: int
    planes: tuple[NDArray[np.float32], ...]

    @property
    def bytes(self) -> int:
        """The size of its planes."""
        return sum(plane.nbytes for plane in self.planes)


class Block:
    """One block, in memory or in a file.

    `halo` holds, for each piece of the halo, what its owner last said; None stands for zeros. While
    steps are taken the halo goes wrong from its edge inwards, so it is brought back to that before
    each superstep.
    """

    def __init__(self, layer: LayerPlan, plan: Plan, number: int, walls: Changes) -> None:
        self.number = number
        self.plan = plan
        self._layer_plan, self._walls = layer, walls
        self._kind = layer.kind
        self._imap: InfluenceMap | None = None
        self._halo: dict[int, tuple[NDArray[np.float32], ...] | None] = {}
        self._sources: BlockSources | None = None
        self._fresh_sources = False
        self._inset = layer.kind.inset(layer.propagation, layer.world.neighborhood)
        self.file: Path | None = None
        self.dirty = True
        self.made = 0
        self._quiet = 0
        self._look_at = 1

    # In memory or in a file

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory."""
        return self._imap is not None

    @property
    def bytes(self) -> int:
        """About how much memory it takes when it is loaded."""
        height, width = self.plan.extended(self.number).shape
        return height * width * self._kind.bytes_per_cell

    @property
    def layer(self) -> Any:
        """Its layer, fetched from the file if need be."""
        if self._imap is None:
            shape = self.plan.extended(self.number).shape
            self.load(None if self.file is None else read_planes(self.file, shape))
        assert self._imap is not None
        return self._imap[self._layer_plan.name]

    @property
    def _field(self) -> Any:
        return self.layer._field

    def load(self, planes: Planes | None) -> None:
        """Be in memory, with these planes of its extended block if there are any."""
        layer, box = self._layer_plan, self.plan.extended(self.number)
        walls = walls_in(layer.world.walls, self._walls, box)
        new_walls = np.flatnonzero((planes or {}).get(_NEW_WALLS, ()))
        walls.reshape(-1)[new_walls] = False
        space = grid_over(layer.world, box, walls)
        imap = InfluenceMap(space)
        made: Any = imap.add_layer(layer.name, layer.propagation, every=clock.seconds(layer.every))
        if layer.resistance is not None:
            made.resistance = layer.resistance.over(box)
        if self._kind.timeless and self.made:
            made.step(self.made)
        self._imap = imap
        if self._sources is not None:
            self._hold(self._sources)
        if planes is not None:
            try:
                self._kind.restore(made._field, planes, made._sources)
            except (LookupError, TypeError, ValueError, ArithmeticError) as error:
                raise BadSaveFile(
                    "A block is what its layer wrote",
                    got=f"block {self.number} of {layer.name!r}: {error}",
                    remedy="Use another copy of it",
                ) from error
            space.set_walls(new_walls)
            self._grab()

    def unload(self, file: Path) -> None:
        """Leave the memory for a file; nothing is written if nothing has changed since it was
        last.
        """
        if self._imap is None:
            return
        self.save(file)
        self._halo = {}
        self._imap = None

    def save(self, file: Path) -> int:
        """Write what is needed to go on, unless the file that was last written still says it; the
        bytes written.
        """
        if not self.dirty and self.file is not None:
            return 0
        self.refresh()
        planes = self._kind.kept(self._field)
        hidden = self._field.values != self.layer.values  # under walls newer than the last step
        if hidden.any():
            planes = {**planes, _NEW_WALLS: hidden.astype(np.int32)}
        written = write_planes(file, planes)
        self.file, self.dirty = file, False
        return written

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing: neither values nor sources nor anything that comes."""
        if self._sources is not None and len(self._sources.keys):
            return False
        return not any(plane.any() for plane in self._kind.kept(self._field).values())

    # Rims

    def refresh(self) -> None:
        """Bring the halo back to what its owners last said."""
        field, kind = self._field, self._kind
        planes = kind.travels(field)
        if not planes:
            return
        width = self.plan.extended(self.number).shape[1]
        for piece in self.plan.pieces(self.number):
            wanted = self._halo.get(piece.number)
            now = [plane[piece.here] for plane in planes]
            if wanted is None:
                differs = np.logical_or.reduce([part != 0 for part in now])
            else:
                differs = np.logical_or.reduce(
                    [a.view(np.int32) != b.view(np.int32) for a, b in zip(now, wanted, strict=True)]
                )
            if not differs.any():
                continue
            rows, columns = np.nonzero(differs)
            cells = (rows + piece.here[0].start) * width + columns + piece.here[1].start
            new = [
                np.zeros(len(rows), np.float32) if wanted is None else wanted[i][rows, columns]
                for i in range(len(planes))
            ]
            kind.put(field, cells, new)

    def _grab(self) -> None:
        """Take the halo for what its owners last said."""
        planes = self._kind.travels(self._field)
        self._halo = {}
        for piece in self.plan.pieces(self.number) if planes else ():
            parts = tuple(plane[piece.here].copy() for plane in planes)
            self._halo[piece.number] = parts if any(part.any() for part in parts) else None

    def take(self, halos: Iterable[HaloUpdate]) -> None:
        """Take notice of what owners of pieces of the halo say; steps go on from there."""
        self.layer  # noqa: B018 - a halo in a file can't be changed
        for halo in halos:
            self._halo[halo.number] = (
                halo.planes if any(plane.any() for plane in halo.planes) else None
            )
        self.dirty, self._quiet = True, 0

    def _interior_parts(self, planes: tuple[NDArray[np.float32], ...]) -> Parts:
        interior, extended = self.plan.interior(self.number), self.plan.extended(self.number)
        rows, columns = interior.within(extended)
        own = [plane[rows, columns] for plane in planes]
        return [
            (piece, tuple(plane[piece.there].copy() for plane in own))
            for piece in self.plan.outgoing(self.number)
        ]

    def _changed(self, before: Parts, after: Parts) -> list[HaloUpdate]:
        """The pieces of others' halos that differ."""
        return [
            HaloUpdate(piece.target, piece.number, new)
            for (piece, old), (_, new) in zip(before, after, strict=True)
            if any(a.tobytes() != b.tobytes() for a, b in zip(old, new, strict=True))
        ]

    # What comes in

    def hold(self, sources: BlockSources) -> None:
        """Have exactly these sources from now on; shows from the next step on."""
        self._sources = sources
        self.dirty, self._quiet = True, 0
        if self._imap is not None:
            self._hold(sources)

    def _hold(self, sources: BlockSources) -> None:
        layer: Any = self._imap and self._imap[self._layer_plan.name]
        positions = layer.space.position_of(sources.cells)
        extra = {} if sources.radii is None else {"radii": sources.radii}
        layer.sync(sources.keys.tolist(), positions, sources.strengths, on_wall="through", **extra)

    def do(self, calls: Iterable[LayerCall]) -> None:
        """Let things happen on its extended block, one after the other."""
        self.refresh()
        layer = self.layer
        for call in calls:
            self._call(layer, call)
        self._grab()
        self.dirty, self._quiet = True, 0

    def _call(self, layer: Any, call: LayerCall) -> None:
        space = layer.space
        if call.verb == "set_walls":
            space.set_walls(call.rows * space.width + call.columns, **call.arguments)
        elif call.verb == "stamp":
            rows = space.height - 1 - call.rows if space.y_up else call.rows
            positions = (np.stack([call.columns, rows], axis=1) + 0.5) * space.cell_size
            layer.stamp(positions=positions, outside="cut", **call.arguments)
        else:
            getattr(layer, call.verb)(
                space.position_of(call.rows * space.width + call.columns), **call.arguments
            )

    # Steps

    def run(self, steps: int, now: int) -> tuple[list[HaloUpdate], bool]:
        """Take steps, up to a time of `now` steps: pieces of halos that have changed, and whether
        there is nothing to do from here on.
        """
        if self._kind.timeless:
            self.catch_up(now)
            return [], True
        self.refresh()
        layer = self.layer
        planes = self._kind.travels(layer._field)
        if not planes:
            layer.step(1)
            self.dirty = True
            return [], True
        before = self._interior_parts(planes)
        still = self._step(layer, steps)
        self.made = now
        if still:
            return [], True
        self.dirty = True
        halos = self._changed(before, self._interior_parts(self._kind.travels(layer._field)))
        self._quiet = 0 if halos else self._quiet + 1
        if halos:
            self._look_at = 1
        return halos, False

    def _step(self, layer: Any, steps: int) -> bool:
        """Take steps; whether the first shows that none changes anything as long as the halo stays
        as it is.

        It does where one step leaves all of the extended block as it was, but for the part beside
        its edge that is wrong after one step: the next leaves all as it was but for twice that
        part, and so on; the halo is as wide as all steps of a superstep need.
        """
        if self._quiet < self._look_at:
            layer.step(steps)
            return False
        inner, before = self._inner(), [p.copy() for p in self._kind.travels(layer._field)]
        layer.step(1)
        after = self._kind.travels(layer._field)
        pairs = zip(before, after, strict=True)
        if all(a[inner].tobytes() == b[inner].tobytes() for a, b in pairs):
            return True
        self._look_at = min(2 * self._look_at, 64)
        self._quiet = 0
        if steps > 1:
            layer.step(steps - 1)
        return False

    def empty(self) -> None:
        """Begin to settle: hold nothing, and know of no halo."""
        self._kind.empty(self._field)
        self._halo = {}
        self.dirty, self._quiet = True, 0

    def relax(self) -> list[HaloUpdate]:
        """Settle as far as the halo allows that is known now: pieces of halos that have changed."""
        layer = self.layer
        before = self._interior_parts(self._kind.travels(layer._field))
        halo = np.zeros(self.plan.extended(self.number).shape, dtype=np.float32)
        for piece in self.plan.pieces(self.number):
            known = self._halo.get(piece.number)
            if known is not None:
                halo[piece.here] = known[0]
        self._kind.relax(layer, halo)
        return self._changed(before, self._interior_parts(self._kind.travels(layer._field)))

    def _inner(self) -> tuple[slice, slice]:
        """The part of the extended block that is right after one step: edges of the map are no
        edges of the extended block.
        """
        extended, plan, inset = self.plan.extended(self.number), self.plan, self._inset
        height, width = extended.shape
        top, left, down, right = (
            inset if plan.wrap or cut else 0
            for cut in (
                extended.top > 0,
                extended.left > 0,
                extended.bottom < plan.height,
                extended.right < plan.width,
            )
        )
        return slice(top, height - down), slice(left, width - right)

    def catch_up(self, now: int) -> None:
        """Take the steps that nobody has asked for yet, where these cost as much as one."""
        if self._kind.timeless and now > self.made:
            self.layer.step(now - self.made)
            self.made = now
            self.dirty = True

    def tune(self, layer: LayerPlan) -> None:
        """Go on with other parameters of the propagation."""
        self._layer_plan = layer
        self.dirty, self._quiet = True, 0
        if self._imap is not None:
            self.layer.propagation = layer.propagation

    # Answers

    def interior_values(self, now: int) -> NDArray[np.float32]:
        """The values of its own cells."""
        self.catch_up(now)
        interior, extended = self.plan.interior(self.number), self.plan.extended(self.number)
        return np.asarray(self.layer.values[interior.within(extended)])
