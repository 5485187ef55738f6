"""The coordinator: it tells stores what happens, superstep by superstep, and begins again from the
last checkpoint where one is lost.
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
from fieldcraft_cluster.agent_shard import Group, Migrants, StepPlan
from fieldcraft_cluster.block import HaloUpdate, LayerPlan, WorldPlan
from fieldcraft_cluster.blocks import BlockCommands, BlockEntry, Superstep, owner
from fieldcraft_cluster.folder import BLOCKS
from fieldcraft_cluster.plan import Plan
from fieldcraft_cluster.stores import Stores, WorkerLost

__all__ = ["Coordinator", "Counters", "Start"]

_MOST_LOSSES = 8  # in one call: then something kills each worker that comes


@dataclass
class Counters:
    """The account of a coordinator: counts, and the workers that were lost."""

    supersteps: int = 0
    ran: int = 0
    asleep: int = 0
    bytes_between_blocks: int = 0
    bytes_between_workers: int = 0
    lost: list[str] = field(default_factory=list)


Command = tuple[str, tuple[Any, ...]]


class Start(NamedTuple):
    """A checkpoint to begin from: layers with the steps they have made and their blocks, agents by
    swarms and blocks, changed walls.
    """

    world: WorldPlan
    layers: list[tuple[LayerPlan, int, list[BlockEntry]]]
    shards: dict[str, list[tuple[int, str]]]
    changed: NDArray[np.int64]
    blocked: NDArray[np.bool_]


class Coordinator:
    """The driver of stores. Every command is written down until the next checkpoint, so that a lost
    worker's part can be done again.

    Commands are the same whoever does them and however often they are begun again, so what comes
    out is, too.
    """

    def __init__(self, stores: Stores, folder: Path, label: str, memory: float) -> None:
        self._stores, self._folder, self._label, self._memory = stores, folder, label, memory
        self._log: list[Command] = []
        self._layers: dict[str, Plan] = {}
        self._shards: dict[str, Plan] = {}
        self._step_plans: dict[str, StepPlan] = {}
        self._pending: dict[str, list[HaloUpdate]] = {}
        self._begin: list[Command] = []
        self._torn: str | None = None
        self.counters = Counters()

    def open(self, start: Start) -> None:
        """Begin from a checkpoint."""
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
            ("_add_shard", (name, start.world, tuple(entries), {}))
            for name, entries in start.shards.items()
        ]
        self._begin += [
            ("_step_plan", (name, step_plan))
            for name, step_plan in self._step_plans.items()
            if name in start.shards
        ]
        self._log = []

    # commands

    def add_layer(self, layer: LayerPlan) -> None:
        """Have one more layer."""
        self._do("_add_layer", layer, 0, ())

    def set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        """Let blocks that are made from now on have these walls."""
        self._do("_set_walls", cells, blocked)

    def order(self, name: str, orders: Mapping[int, BlockCommands]) -> None:
        """Let things happen to blocks."""
        if orders:
            self._do("_order", name, dict(orders))

    def tune(self, layer: LayerPlan) -> None:
        """Go on with other parameters."""
        self._do("_tune", layer)

    def superstep(self, name: str, steps: int, now: int) -> None:
        """Take steps, at most as many as halos are made for."""
        outcome: list[Superstep] = self._do("_superstep", name, steps, now)
        self.counters.supersteps += 1
        self.counters.ran += sum(one.ran for one in outcome)
        self.counters.asleep += sum(one.asleep for one in outcome)
        self.counters.bytes_between_blocks += sum(one.bytes_between for one in outcome)
        self.counters.bytes_between_workers += sum(
            halo.bytes for one in outcome for halo in one.halos
        )

    def settle(self, name: str) -> None:
        """Go where endless steps would lead."""
        self._do("_settle", name)

    def add_shard(self, name: str, world: WorldPlan, groups: Mapping[int, Group]) -> None:
        """Have one more swarm."""
        self._do("_add_shard", name, world, (), dict(groups))

    def step_plan(self, name: str, step_plan: StepPlan) -> None:
        """Let a swarm make its next steps like this."""
        self._do("_step_plan", name, step_plan)

    def walk(self, name: str, step: int) -> None:
        """Let the agents of a swarm make step number `step`, and leave what they leave; layers are
        updated by supersteps.
        """
        self.counters.bytes_between_workers += self._do("_walk", name, step)

    def relocate(self, name: str, groups: Mapping[int, Group]) -> None:
        """Put agents elsewhere."""
        self._do("_relocate", name, dict(groups))

    def _do(self, verb: str, *arguments: Any) -> Any:
        self._check()
        command = (verb, arguments)
        if self._stores.can_be_lost:
            self._log.append(command)
        try:
            return self._perform(command)
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

    def _perform(self, command: Command) -> Any:
        verb, arguments = command
        return getattr(self, verb)(*arguments)

    def _add_layer(self, layer: LayerPlan, steps: int, entries: tuple[BlockEntry, ...]) -> None:
        self._layers[layer.name] = layer.plan()
        self._pending[layer.name] = []
        self._each("add_layer", layer, steps, entries)

    def _set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        self._each("set_walls", cells, blocked)

    def _tune(self, layer: LayerPlan) -> None:
        self._each("tune", layer)

    def _order(self, name: str, orders: dict[int, BlockCommands]) -> None:
        parts: list[dict[int, BlockCommands]] = [{} for _ in range(self._stores.count)]
        for number, order in orders.items():
            parts[self._owner(name, number)][number] = order
        self._hand_over(name)
        self._stores.each("order", [(name, part) if part else None for part in parts])

    def _superstep(self, name: str, steps: int, now: int) -> list[Superstep]:
        parts = self._parted(name)
        self._pending[name] = []
        found: list[Superstep] = self._stores.each(
            "superstep", [(name, steps, now, part) for part in parts]
        )
        self._pending[name] = [halo for one in found for halo in one.halos]
        return found

    def _settle(self, name: str) -> None:
        """Let blocks settle, and again those that hear of other halos, until there are none."""
        self._pending[name] = []
        found: list[Superstep] = self._stores.each("relax", [(name, (), True)] * self._stores.count)
        while any(one.halos or one.asleep for one in found):
            self._pending[name] = [halo for one in found for halo in one.halos]
            parts = self._parted(name)
            found = self._stores.each("relax", [(name, part, False) for part in parts])
        self._pending[name] = []
        self._each("wake", name)

    def _add_shard(
        self,
        name: str,
        world: WorldPlan,
        entries: tuple[tuple[int, str], ...],
        groups: dict[int, Group],
    ) -> None:
        self._shards[name] = Plan(world.width, world.height, world.block, 0, world.wrap)
        self._stores.each(
            "add_shard", [(name, world, entries, part) for part in self._groups(name, groups)]
        )

    def _step_plan(self, name: str, step_plan: StepPlan) -> None:
        self._step_plans[name] = step_plan
        self._each("step_plan", name, step_plan)

    def _walk(self, name: str, step: int) -> int:
        """The bytes of agents and halos that went from one store to another."""
        read = {layer: self._parted(layer) for layer in self._step_plans[name].read}
        for layer in read:
            self._pending[layer] = []
        told: list[tuple[Any, ...] | None] = [
            (name, step, {layer: parts[place] for layer, parts in read.items()})
            for place in range(self._stores.count)
        ]
        left: list[Migrants] = self._stores.each("walk", told)
        migrants = [
            [one.of(partial(self._is_at, name, place)) for one in left]
            for place in range(self._stores.count)
        ]
        self._stores.each("arrive", [(name, some) for some in migrants])
        return sum(one.bytes for one in left)

    def _relocate(self, name: str, groups: dict[int, Group]) -> None:
        numbers = np.concatenate([group.numbers for group in groups.values()])
        self._stores.each(
            "relocate", [(name, numbers, part) for part in self._groups(name, groups)]
        )

    def _place(self, name: str, number: int) -> int:
        """The store that holds the agents of a block."""
        return owner(self._shards[name], number, self._stores.count)

    def _is_at(self, name: str, place: int, number: int) -> bool:
        return self._place(name, number) == place

    def _groups(self, name: str, groups: dict[int, Group]) -> list[dict[int, Group]]:
        """Groups of agents for each store."""
        parts: list[dict[int, Group]] = [{} for _ in range(self._stores.count)]
        for number, group in groups.items():
            parts[self._place(name, number)][number] = group
        return parts

    def _parted(self, name: str) -> list[list[HaloUpdate]]:
        """The halos that wait for each store."""
        parts: list[list[HaloUpdate]] = [[] for _ in range(self._stores.count)]
        for halo in self._pending[name]:
            parts[self._owner(name, halo.target)].append(halo)
        return parts

    def _hand_over(self, name: str) -> None:
        """Give stores the halos that wait for them."""
        parts = self._parted(name)
        self._pending[name] = []
        if any(parts):
            self._stores.each("take", [(name, part) if part else None for part in parts])

    def _each(self, verb: str, *arguments: Any) -> list[Any]:
        return self._stores.each(verb, [arguments] * self._stores.count)

    def _owner(self, name: str, number: int) -> int:
        return owner(self._layers[name], number, self._stores.count)

    # Losses

    def _reopen(self) -> Any:
        """Begin from the last checkpoint and do again what came after it; what the last command
        gave.
        """
        self._stores.open(str(self._folder / BLOCKS), self._label, self._memory)
        self._layers, self._pending, self._shards = {}, {}, {}
        answer = None
        for command in [*self._begin, *self._log]:
            answer = self._perform(command)
        return answer

    def _recover(self, lost: WorkerLost) -> Any:
        for _ in range(_MOST_LOSSES):
            self.counters.lost.append(lost.worker)
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
        """Ask stores something that changes nothing; `whom` says which, as many as there are by
        then.
        """
        self._check()
        while True:
            try:
                return self._stores.each(verb, whom())
            except WorkerLost as lost:
                self._recover(lost)

    # Answers

    def save(
        self, stamp: str
    ) -> tuple[dict[str, list[BlockEntry]], dict[str, list[tuple[int, str]]], int]:
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
    ) -> tuple[dict[str, list[BlockEntry]], dict[str, list[tuple[int, str]]], int]:
        found: dict[str, list[BlockEntry]] = {}
        written = 0
        for name in self._layers:
            self._hand_over(name)
            saved = self._each("save", name, stamp)
            found[name] = sorted(entry for one in saved for entry in one.entries)
            written += sum(one.written for one in saved)
        shards: dict[str, list[tuple[int, str]]] = {}
        for name in self._shards:
            groups = self._each("save_shard", name, stamp)
            shards[name] = sorted(entry for entries, _ in groups for entry in entries)
            written += sum(more for _, more in groups)
        return found, shards, written

    @property
    def begins_again(self) -> bool:
        """Whether workers may be lost, so that it has to know from what to begin again."""
        return self._stores.can_be_lost

    def committed(self, start: Start, orders: Mapping[str, Mapping[int, BlockCommands]]) -> None:
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
                (name, number, rows, columns) if store == place else None
                for store in range(self._stores.count)
            ]

        answers = self._asked("read", whom)
        found: NDArray[np.float32] | None = answers[self._owner(name, number)]
        return found

    def of_blocks(self, verb: str, *arguments: Any) -> dict[int, Any]:
        """The answers of all stores about their blocks."""
        return {
            number: value
            for one in self._asked(verb, lambda: [arguments] * self._stores.count)
            for number, value in one
        }

    def close(self) -> None:
        """Let the stores go."""
        self._stores.close()
