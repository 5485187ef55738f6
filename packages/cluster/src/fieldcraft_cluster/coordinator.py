"""The coordinator: it tells shelves what happens, round by round, and begins again from the last
checkpoint where one is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import FieldcraftError
from fieldcraft_cluster.block import LayerPlan, Rim, WorldPlan
from fieldcraft_cluster.blocks import Entry, Order, Round, owner
from fieldcraft_cluster.checkpoint import BLOCKS
from fieldcraft_cluster.herd import Comers, Group, March
from fieldcraft_cluster.plan import Plan
from fieldcraft_cluster.shelves import Shelves, WorkerLost

__all__ = ["Coordinator", "Start", "Tally"]

_MOST_LOSSES = 8  # in one call: then something kills each worker that comes


@dataclass
class Tally:
    """The account of a coordinator: counts, and the workers that were lost."""

    rounds: int = 0
    ran: int = 0
    asleep: int = 0
    bytes_between_blocks: int = 0
    bytes_between_workers: int = 0
    lost: list[str] = field(default_factory=list)


Deed = tuple[str, tuple[Any, ...]]


class Start(NamedTuple):
    """A checkpoint to begin from: layers with the steps they have made and their blocks, agents by
    swarms and blocks, changed walls.
    """

    world: WorldPlan
    layers: list[tuple[LayerPlan, int, list[Entry]]]
    herds: dict[str, list[tuple[int, str]]]
    changed: NDArray[np.int64]
    blocked: NDArray[np.bool_]


class Coordinator:
    """The driver of shelves. Every deed is written down until the next checkpoint, so that a lost
    worker's part can be done again.

    Deeds are the same whoever does them and however often they are begun again, so what comes out
    is, too.
    """

    def __init__(self, shelves: Shelves, folder: Path, memory: float) -> None:
        self._shelves, self._folder, self._memory = shelves, folder, memory
        self._deeds: list[Deed] = []
        self._layers: dict[str, Plan] = {}
        self._herds: dict[str, Plan] = {}
        self._marches: dict[str, March] = {}
        self._pending: dict[str, list[Rim]] = {}
        self._begin: list[Deed] = []
        self._torn: str | None = None
        self.tally = Tally()

    def open(self, start: Start) -> None:
        """Begin from a checkpoint."""
        (self._folder / BLOCKS).mkdir(parents=True, exist_ok=True)
        self._start_from(start)
        try:
            self._reopen()
        except WorkerLost as lost:
            self._recover(lost)

    def _start_from(self, start: Start) -> None:
        self._begin = [("_set_walls", (start.changed, start.blocked))] if len(start.changed) else []
        self._begin += [
            ("_add_layer", (layer, steps, tuple(entries))) for layer, steps, entries in start.layers
        ]
        self._begin += [
            ("_add_herd", (name, start.world, tuple(entries), {}))
            for name, entries in start.herds.items()
        ]
        self._begin += [
            ("_march", (name, march))
            for name, march in self._marches.items()
            if name in start.herds
        ]
        self._deeds = []

    # Deeds

    def add_layer(self, layer: LayerPlan) -> None:
        """Have one more layer."""
        self._do("_add_layer", layer, 0, ())

    def set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        """Let blocks that are made from now on have these walls."""
        self._do("_set_walls", cells, blocked)

    def order(self, name: str, orders: Mapping[int, Order]) -> None:
        """Let things happen to blocks."""
        if orders:
            self._do("_order", name, dict(orders))

    def tune(self, layer: LayerPlan) -> None:
        """Go on with other parameters."""
        self._do("_tune", layer)

    def round(self, name: str, steps: int, now: int) -> None:
        """Take steps, at most as many as rims are made for."""
        outcome: list[Round] = self._do("_round", name, steps, now)
        self.tally.rounds += 1
        self.tally.ran += sum(one.ran for one in outcome)
        self.tally.asleep += sum(one.asleep for one in outcome)
        self.tally.bytes_between_blocks += sum(one.bytes_between for one in outcome)
        self.tally.bytes_between_workers += sum(rim.bytes for one in outcome for rim in one.rims)

    def settle(self, name: str) -> None:
        """Go where endless steps would lead."""
        self._do("_settle", name)

    def add_herd(self, name: str, world: WorldPlan, groups: Mapping[int, Group]) -> None:
        """Have one more swarm."""
        self._do("_add_herd", name, world, (), dict(groups))

    def march(self, name: str, march: March) -> None:
        """Let a swarm make its next steps like this."""
        self._do("_march", name, march)

    def walk(self, name: str, step: int) -> None:
        """Let the agents of a swarm make step number `step`, and leave what they leave; layers are
        updated by rounds.
        """
        self.tally.bytes_between_workers += self._do("_walk", name, step)

    def relocate(self, name: str, groups: Mapping[int, Group]) -> None:
        """Put agents elsewhere."""
        self._do("_relocate", name, dict(groups))

    def _do(self, verb: str, *arguments: Any) -> Any:
        self._check()
        deed = (verb, arguments)
        if self._shelves.can_be_lost:
            self._deeds.append(deed)
        try:
            return self._perform(deed)
        except WorkerLost as lost:
            return self._recover(lost)
        except BaseException as error:
            self._torn = f"{type(error).__name__}: {error}"
            raise

    @property
    def is_torn(self) -> bool:
        """Whether a call ended in the middle, so that only the last checkpoint is whole."""
        return self._torn is not None

    def _check(self) -> None:
        if self._torn is not None:
            raise FieldcraftError(
                "A world goes on where its last call was whole",
                got=f"a world that was torn by {self._torn}",
                remedy="Open it again from its folder: the last checkpoint is whole",
            )

    def _perform(self, deed: Deed) -> Any:
        verb, arguments = deed
        return getattr(self, verb)(*arguments)

    def _add_layer(self, layer: LayerPlan, steps: int, entries: tuple[Entry, ...]) -> None:
        self._layers[layer.name] = layer.plan()
        self._pending[layer.name] = []
        self._each("add_layer", layer, steps, entries)

    def _set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        self._each("set_walls", cells, blocked)

    def _tune(self, layer: LayerPlan) -> None:
        self._each("tune", layer)

    def _order(self, name: str, orders: dict[int, Order]) -> None:
        parts: list[dict[int, Order]] = [{} for _ in range(self._shelves.count)]
        for number, order in orders.items():
            parts[self._owner(name, number)][number] = order
        self._hand_over(name)
        self._shelves.each("order", [(name, part) if part else None for part in parts])

    def _round(self, name: str, steps: int, now: int) -> list[Round]:
        parts = self._parted(name)
        self._pending[name] = []
        found: list[Round] = self._shelves.each(
            "round", [(name, steps, now, part) for part in parts]
        )
        self._pending[name] = [rim for one in found for rim in one.rims]
        return found

    def _settle(self, name: str) -> None:
        """Let blocks settle, and again those that hear of other rims, until there are none."""
        self._pending[name] = []
        found: list[Round] = self._shelves.each("relax", [(name, (), True)] * self._shelves.count)
        while any(one.rims or one.asleep for one in found):
            self._pending[name] = [rim for one in found for rim in one.rims]
            parts = self._parted(name)
            found = self._shelves.each("relax", [(name, part, False) for part in parts])
        self._pending[name] = []
        self._each("wake", name)

    def _add_herd(
        self,
        name: str,
        world: WorldPlan,
        entries: tuple[tuple[int, str], ...],
        groups: dict[int, Group],
    ) -> None:
        self._herds[name] = Plan(world.width, world.height, world.block, 0, world.wrap)
        self._shelves.each(
            "add_herd", [(name, world, entries, part) for part in self._groups(name, groups)]
        )

    def _march(self, name: str, march: March) -> None:
        self._marches[name] = march
        self._each("march", name, march)

    def _walk(self, name: str, step: int) -> int:
        """The bytes of agents and rims that went from one shelf to another."""
        read = {layer: self._parted(layer) for layer in self._marches[name].read}
        for layer in read:
            self._pending[layer] = []
        told: list[tuple[Any, ...] | None] = [
            (name, step, {layer: parts[place] for layer, parts in read.items()})
            for place in range(self._shelves.count)
        ]
        left: list[Comers] = self._shelves.each("walk", told)
        comers = [
            [one.of(partial(self._is_at, name, place)) for one in left]
            for place in range(self._shelves.count)
        ]
        self._shelves.each("arrive", [(name, some) for some in comers])
        return sum(one.bytes for one in left)

    def _relocate(self, name: str, groups: dict[int, Group]) -> None:
        numbers = np.concatenate([group.numbers for group in groups.values()])
        self._shelves.each(
            "relocate", [(name, numbers, part) for part in self._groups(name, groups)]
        )

    def _place(self, name: str, number: int) -> int:
        """The shelf that holds the agents of a block."""
        return owner(self._herds[name], number, self._shelves.count)

    def _is_at(self, name: str, place: int, number: int) -> bool:
        return self._place(name, number) == place

    def _groups(self, name: str, groups: dict[int, Group]) -> list[dict[int, Group]]:
        """Groups of agents for each shelf."""
        parts: list[dict[int, Group]] = [{} for _ in range(self._shelves.count)]
        for number, group in groups.items():
            parts[self._place(name, number)][number] = group
        return parts

    def _parted(self, name: str) -> list[list[Rim]]:
        """The rims that wait for each shelf."""
        parts: list[list[Rim]] = [[] for _ in range(self._shelves.count)]
        for rim in self._pending[name]:
            parts[self._owner(name, rim.target)].append(rim)
        return parts

    def _hand_over(self, name: str) -> None:
        """Give shelves the rims that wait for them."""
        parts = self._parted(name)
        self._pending[name] = []
        if any(parts):
            self._shelves.each("take", [(name, part) if part else None for part in parts])

    def _each(self, verb: str, *arguments: Any) -> list[Any]:
        return self._shelves.each(verb, [arguments] * self._shelves.count)

    def _owner(self, name: str, number: int) -> int:
        return owner(self._layers[name], number, self._shelves.count)

    # Losses

    def _reopen(self) -> Any:
        """Begin from the last checkpoint and do again what came after it; what the last deed
        gave.
        """
        self._shelves.open(str(self._folder / BLOCKS), self._memory)
        self._layers, self._pending, self._herds = {}, {}, {}
        answer = None
        for deed in [*self._begin, *self._deeds]:
            answer = self._perform(deed)
        return answer

    def _recover(self, lost: WorkerLost) -> Any:
        for _ in range(_MOST_LOSSES):
            self.tally.lost.append(lost.worker)
            try:
                return self._reopen()
            except WorkerLost as again:
                lost = again
            except BaseException as error:
                self._torn = f"{type(error).__name__}: {error}"
                raise
        self._torn = f"WorkerLost: {lost}"
        raise lost

    def _asked(self, verb: str, whom: Callable[[], list[tuple[Any, ...] | None]]) -> list[Any]:
        """Ask shelves something that changes nothing; `whom` says which, as many as there are by
        then.
        """
        self._check()
        while True:
            try:
                return self._shelves.each(verb, whom())
            except WorkerLost as lost:
                self._recover(lost)

    # Answers

    def save(
        self, stamp: str
    ) -> tuple[dict[str, list[Entry]], dict[str, list[tuple[int, str]]], int]:
        """Let all blocks be written: those of each layer, the files of the agents of each swarm by
        blocks, and the bytes that it took.
        """
        self._check()
        for _ in range(_MOST_LOSSES):
            try:
                return self._save(stamp)
            except WorkerLost as lost:
                self._recover(lost)
        raise WorkerLost("all", "one loss after the other")

    def _save(
        self, stamp: str
    ) -> tuple[dict[str, list[Entry]], dict[str, list[tuple[int, str]]], int]:
        found: dict[str, list[Entry]] = {}
        written = 0
        for name in self._layers:
            self._hand_over(name)
            saved = self._each("save", name, stamp)
            found[name] = sorted(entry for one in saved for entry in one.entries)
            written += sum(one.written for one in saved)
        herds: dict[str, list[tuple[int, str]]] = {}
        for name in self._herds:
            groups = self._each("save_herd", name, stamp)
            herds[name] = sorted(entry for entries, _ in groups for entry in entries)
            written += sum(more for _, more in groups)
        return found, herds, written

    @property
    def begins_again(self) -> bool:
        """Whether workers may be lost, so that it has to know from what to begin again."""
        return self._shelves.can_be_lost

    def committed(self, start: Start, orders: Mapping[str, Mapping[int, Order]]) -> None:
        """Take notice that there is a checkpoint, and of all sources then: from there it begins if
        a worker is lost.
        """
        self._start_from(start)
        self._begin += [("_order", (name, dict(some))) for name, some in orders.items() if some]

    def read(
        self, name: str, number: int, rows: slice, columns: slice
    ) -> NDArray[np.float32] | None:
        """The values of some of a block's cells; None for nothing but zeros."""

        def whom() -> list[tuple[Any, ...] | None]:
            place = self._owner(name, number)
            return [
                (name, number, rows, columns) if shelf == place else None
                for shelf in range(self._shelves.count)
            ]

        answers = self._asked("read", whom)
        found: NDArray[np.float32] | None = answers[self._owner(name, number)]
        return found

    def of_blocks(self, verb: str, *arguments: Any) -> dict[int, Any]:
        """The answers of all shelves about their blocks."""
        return {
            number: value
            for one in self._asked(verb, lambda: [arguments] * self._shelves.count)
            for number, value in one
        }

    def close(self) -> None:
        """Let the shelves go."""
        self._shelves.close()
