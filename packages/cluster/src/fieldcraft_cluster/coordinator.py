"""The coordinator: it tells stores what happens, superstep by superstep, and begins again from the
last checkpoint where one is lost.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import FieldcraftError
from fieldcraft_cluster.agents import Group, Migrants, StepPlan
from fieldcraft_cluster.block import HaloUpdate
from fieldcraft_cluster.blocks import BlockCommands, BlockEntry, Superstep, owner
from fieldcraft_cluster.folder import BLOCKS
from fieldcraft_cluster.plan import Plan
from fieldcraft_cluster.store import Stores, WorkerLost
from fieldcraft_cluster.transfer import LayerPlan, WorldPlan

__all__ = ["Coordinator", "Report", "Start"]

_MOST_LOSSES = 8  # in one call: then something kills each worker that comes
T = TypeVar("T")
P = ParamSpec("P")
Given = Sequence[tuple[Any, ...] | None]


@dataclass
class Report:
    """The outcome of a call that took steps.

    `steps` by layer. A *superstep* is up to `halo_steps` steps, after which blocks hear of each
    other; `blocks_run` and `blocks_asleep` count blocks over all supersteps, those that don't
    exist in neither. `bytes_between_blocks` are all halos that had changed,
    `bytes_between_workers` those of them that went from one process to another. `workers_lost` are
    the addresses of workers that died or did not answer, whose part was done again.
    """

    steps: Mapping[str, int] = field(default_factory=dict)
    supersteps: int = 0
    blocks_run: int = 0
    blocks_asleep: int = 0
    bytes_between_blocks: int = 0
    bytes_between_workers: int = 0
    workers_lost: list[str] = field(default_factory=list)
    checkpoints: int = 0

    def __str__(self) -> str:
        made = ", ".join(f"{name} {count}" for name, count in self.steps.items()) or "none"
        lost = f"; lost {', '.join(self.workers_lost)}" if self.workers_lost else ""
        return (
            f"steps: {made}; {self.supersteps} supersteps, {self.blocks_run:,} blocks run and"
            f" {self.blocks_asleep:,} asleep; {self.bytes_between_blocks / 1e6:,.1f} MB between"
            f" blocks, {self.bytes_between_workers / 1e6:,.1f} MB between workers{lost}"
        )


class Start(NamedTuple):
    """A checkpoint to begin from: layers with the steps they have made and their blocks, agents by
    swarms and blocks, changed walls.
    """

    world: WorldPlan
    layers: list[tuple[LayerPlan, int, list[BlockEntry]]]
    shards: dict[str, list[tuple[int, str]]]
    changed: NDArray[np.int64]
    blocked: NDArray[np.bool_]


def command(
    method: Callable[Concatenate[Coordinator, P], T],
) -> Callable[Concatenate[Coordinator, P], T]:
    """Make a method a command, which is done again where a worker is lost."""

    def do(self: Coordinator, /, *arguments: P.args, **named: P.kwargs) -> T:
        return self._do(partial(method, self, *arguments, **named))

    return do


class Coordinator:
    """The driver of stores. Every command is written down until the next checkpoint, so that a lost
    worker's part can be done again.

    Commands are the same whoever does them and however often they are begun again, so what comes
    out is, too.
    """

    def __init__(
        self, stores: Stores, folder: Path, label: str, memory: float, start: Start
    ) -> None:
        self._stores, self._folder, self._label, self._memory = stores, folder, label, memory
        self.begins_again = stores.can_be_lost
        self._layers: dict[str, Plan] = {}
        self._shards: dict[str, Plan] = {}
        self._step_plans: dict[str, StepPlan] = {}
        self._pending: dict[str, list[HaloUpdate]] = {}
        self._replays = False
        self._torn: str | None = None
        self.report = Report()
        self.committed(start, {})
        self._surviving(self._reopen, self._reopen)

    def committed(self, start: Start, orders: Mapping[str, Mapping[int, BlockCommands]]) -> None:
        """Take notice that there is a checkpoint, and of all sources then: from there it begins if
        a worker is lost.
        """
        self._log: list[Callable[[], Any]] = []
        begin: list[Callable[[], Any]] = [partial(self.set_walls, start.changed, start.blocked)]
        begin += [partial(self.add_layer, *layer) for layer in start.layers]
        begin += [
            partial(self.add_shard, name, start.world, {}, entries)
            for name, entries in start.shards.items()
        ]
        begin += [
            partial(self.step_plan, name, step_plan)
            for name, step_plan in self._step_plans.items()
            if name in start.shards
        ]
        self._begin = begin + [partial(self.order, name, dict(o)) for name, o in orders.items()]

    # Commands

    @command
    def add_layer(
        self, layer: LayerPlan, steps: int = 0, entries: Sequence[BlockEntry] = ()
    ) -> None:
        """Have one more layer, which has made some steps, with the blocks of a checkpoint."""
        self._layers[layer.name] = layer.plan()
        self._pending[layer.name] = []
        self._each("add_layer", layer, steps, tuple(entries))

    @command
    def set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        """Let blocks that are made from now on have these walls."""
        self._each("set_walls", cells, blocked)

    @command
    def order(self, name: str, orders: Mapping[int, BlockCommands]) -> None:
        """Let things happen to blocks."""
        parts: list[dict[int, BlockCommands]] = [{} for _ in range(self._stores.count)]
        for number, order in orders.items():
            parts[self._owner(name, number)][number] = order
        self._hand_over(name)
        self._of_layer("order", name, [(part,) if part else None for part in parts])

    @command
    def tune(self, layer: LayerPlan) -> None:
        """Go on with other parameters."""
        self._of_layer("tune", layer.name, [(layer,)] * self._stores.count)

    def superstep(self, name: str, steps: int, now: int) -> None:
        """Take steps, at most as many as halos are made for."""
        self.report.supersteps += 1
        for one in self._superstep(name, steps, now):
            self.report.blocks_run += one.ran
            self.report.blocks_asleep += one.asleep
            self.report.bytes_between_blocks += one.bytes_between
            self.report.bytes_between_workers += sum(halo.bytes for halo in one.halos)

    @command
    def _superstep(self, name: str, steps: int, now: int) -> list[Superstep]:
        found: list[Superstep] = self._of_layer(
            "superstep", name, [(steps, now, part) for part in self._taken(name)]
        )
        self._pending[name] = [halo for one in found for halo in one.halos]
        return found

    @command
    def settle(self, name: str) -> None:
        """Go where endless steps would lead: let blocks settle, and again those that hear of other
        halos, until there are none.
        """
        self._pending[name] = []
        found: list[Superstep] = self._of_layer("relax", name, [((), True)] * self._stores.count)
        while any(one.halos or one.asleep for one in found):
            self._pending[name] = [halo for one in found for halo in one.halos]
            found = self._of_layer("relax", name, [(part, False) for part in self._taken(name)])
        self._of_layer("wake", name, [()] * self._stores.count)

    @command
    def add_shard(
        self,
        name: str,
        world: WorldPlan,
        groups: Mapping[int, Group],
        entries: Sequence[tuple[int, str]] = (),
    ) -> None:
        """Have one more swarm, with the files of a checkpoint."""
        self._shards[name] = Plan(world.width, world.height, world.block, 0, world.wrap)
        parts = self._groups(name, groups)
        self._stores.each("add_shard", [(name, world, tuple(entries), part) for part in parts])

    @command
    def step_plan(self, name: str, step_plan: StepPlan) -> None:
        """Let a swarm make its next steps like this."""
        self._step_plans[name] = step_plan
        self._of_shard("step_plan", name, [(step_plan,)] * self._stores.count)

    def walk(self, name: str, step: int) -> None:
        """Let the agents of a swarm make step number `step`, and leave what they leave; layers are
        updated by supersteps.
        """
        self.report.bytes_between_workers += self._walk(name, step)

    @command
    def _walk(self, name: str, step: int) -> int:
        """The bytes of agents that went from one store to another."""
        read = {layer: self._taken(layer) for layer in self._step_plans[name].read}
        count = self._stores.count
        halos = [{layer: parts[place] for layer, parts in read.items()} for place in range(count)]
        left: list[Migrants] = self._of_shard("walk", name, [(step, some) for some in halos])
        come = [[one.of(partial(self._is_at, name, at)) for one in left] for at in range(count)]
        self._of_shard("arrive", name, [(some,) for some in come])
        return sum(one.bytes for one in left)

    def _is_at(self, name: str, place: int, number: int) -> bool:
        return owner(self._shards[name], number, self._stores.count) == place

    @command
    def relocate(self, name: str, groups: Mapping[int, Group]) -> None:
        """Put agents elsewhere."""
        numbers = np.concatenate([group.numbers for group in groups.values()])
        parts = self._groups(name, groups)
        self._of_shard("relocate", name, [(numbers, part) for part in parts])

    # Stores

    def _each(self, verb: str, *arguments: Any) -> list[Any]:
        return self._stores.each(verb, [arguments] * self._stores.count)

    def _of_layer(self, verb: str, name: str, given: Given) -> list[Any]:
        """Call a verb of the blocks of a layer on the stores that have arguments."""
        parts = [None if part is None else (name, verb, *part) for part in given]
        return self._stores.each("of_layer", parts)

    def _of_shard(self, verb: str, name: str, given: Given) -> list[Any]:
        """Call a verb of the agents of a swarm on the stores that have arguments."""
        parts = [None if part is None else (name, verb, *part) for part in given]
        return self._stores.each("of_shard", parts)

    def _owner(self, name: str, number: int) -> int:
        return owner(self._layers[name], number, self._stores.count)

    def _groups(self, name: str, groups: Mapping[int, Group]) -> list[dict[int, Group]]:
        """Groups of agents for each store."""
        parts: list[dict[int, Group]] = [{} for _ in range(self._stores.count)]
        for number, group in groups.items():
            parts[owner(self._shards[name], number, self._stores.count)][number] = group
        return parts

    def _taken(self, name: str) -> list[list[HaloUpdate]]:
        """The halos that wait for each store, which has them from now on."""
        parts: list[list[HaloUpdate]] = [[] for _ in range(self._stores.count)]
        for halo in self._pending[name]:
            parts[self._owner(name, halo.target)].append(halo)
        self._pending[name] = []
        return parts

    def _hand_over(self, name: str) -> None:
        """Give stores the halos that wait for them."""
        parts = self._taken(name)
        if any(parts):
            self._of_layer("take", name, [(part,) if part else None for part in parts])

    # Losses

    def _do(self, act: Callable[[], T]) -> T:
        if self._replays:
            return act()
        self._check()
        if self._stores.can_be_lost:
            self._log.append(act)
        with self._tearing():
            found: T = self._surviving(act, self._reopen)
        return found

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

    @contextlib.contextmanager
    def _tearing(self) -> Iterator[None]:
        try:
            yield
        except WorkerLost:
            raise
        except BaseException as error:
            self._torn = f"{type(error).__name__}: {error}"
            raise

    def _surviving(self, attempt: Callable[[], T], again: Callable[[], T]) -> T:
        """Return what an attempt gives, or where a worker is lost, what `again` gives."""
        losses = 0
        while True:
            try:
                return attempt()
            except WorkerLost as lost:
                self.report.workers_lost.append(lost.worker)
                losses, attempt = losses + 1, again
                if losses > _MOST_LOSSES:
                    self._torn = f"WorkerLost: {lost}"
                    raise

    def _reopen(self) -> Any:
        """Begin from the last checkpoint and do again what came after it; what the last command
        gave.
        """
        answer: Any = None
        self._replays = True
        try:
            with self._tearing():
                self._stores.open(str(self._folder / BLOCKS), self._label, self._memory)
                self._layers, self._pending, self._shards = {}, {}, {}
                for act in [*self._begin, *self._log]:
                    answer = act()
        finally:
            self._replays = False
        return answer

    def _asked(self, ask: Callable[[], T]) -> T:
        """Ask stores something that changes nothing."""

        def again() -> T:
            self._reopen()
            return ask()

        self._check()
        return self._surviving(ask, again)

    # Answers

    def save(
        self, stamp: str
    ) -> tuple[dict[str, list[BlockEntry]], dict[str, list[tuple[int, str]]], int]:
        """Let all blocks be written: those of each layer, the files of the agents of each swarm by
        blocks, and the bytes that it took.
        """
        return self._asked(partial(self._save, stamp))

    def _save(
        self, stamp: str
    ) -> tuple[dict[str, list[BlockEntry]], dict[str, list[tuple[int, str]]], int]:
        every, written = [(stamp,)] * self._stores.count, 0
        found: list[dict[str, list[Any]]] = [{}, {}]
        for name in self._layers:
            self._hand_over(name)
        for entries, call, names in (
            (found[0], self._of_layer, self._layers),
            (found[1], self._of_shard, self._shards),
        ):
            for name in names:
                saved = call("save", name, every)
                entries[name] = sorted(entry for some, _ in saved for entry in some)
                written += sum(more for _, more in saved)
        return found[0], found[1], written

    def read(
        self, name: str, number: int, rows: slice, columns: slice
    ) -> NDArray[np.float32] | None:
        """The values of some of a block's cells; None for nothing but zeros."""

        def ask() -> NDArray[np.float32] | None:
            place = self._owner(name, number)
            given: list[tuple[Any, ...] | None] = [None] * self._stores.count
            given[place] = (number, rows, columns)
            found: NDArray[np.float32] | None = self._of_layer("read", name, given)[place]
            return found

        return self._asked(ask)

    def of_blocks(self, verb: str, name: str, *arguments: Any) -> dict[int, Any]:
        """The answers of all stores about their blocks of a layer."""
        answers = self._asked(lambda: self._of_layer(verb, name, [arguments] * self._stores.count))
        return {number: value for one in answers for number, value in one}

    def of_agents(self, verb: str, name: str) -> dict[int, Any]:
        """The answers of all stores about their agents of a swarm, by blocks."""
        answers = self._asked(lambda: self._of_shard(verb, name, [()] * self._stores.count))
        return {number: value for one in answers for number, value in one}

    def close(self) -> None:
        """Let the stores go."""
        self._stores.close()
