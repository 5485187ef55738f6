"""The coordinator: it sends commands to stores and restarts from the last checkpoint if a worker is
lost.
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

from fieldcraft.base.errors import FieldcraftError
from fieldcraft_cluster.block import HaloUpdate
from fieldcraft_cluster.blocks import BlockCommands, BlockEntry, Superstep, owner
from fieldcraft_cluster.folder import BLOCKS
from fieldcraft_cluster.partition import Partition
from fieldcraft_cluster.store import Stores, WorkerLost
from fieldcraft_cluster.transfer import LayerPlan

_MOST_LOSSES = 8  # in one call; after more, something kills every new worker
T = TypeVar("T")
P = ParamSpec("P")
Arguments = Sequence[tuple[Any, ...] | None]
"""The arguments of a call for each store; None for stores that are not called."""


@dataclass
class Report:
    """The outcome of a call that took steps.

    `steps` are counted by layer. A *superstep* is up to `halo_steps` steps, after which blocks
    exchange halos. `blocks_run` and `blocks_idle` count existing blocks over all supersteps.
    `bytes_between_blocks` is the size of all changed halos, `bytes_between_workers` the part that
    was sent from one process to another. `workers_lost` lists the addresses of workers that died or
    timed out; their part was computed again.
    """

    steps: Mapping[str, int] = field(default_factory=dict)
    supersteps: int = 0
    blocks_run: int = 0
    blocks_idle: int = 0
    bytes_between_blocks: int = 0
    bytes_between_workers: int = 0
    workers_lost: list[str] = field(default_factory=list)
    checkpoints: int = 0

    def __str__(self) -> str:
        made = ", ".join(f"{name} {count}" for name, count in self.steps.items()) or "none"
        if self.workers_lost:
            lost = f"; lost {', '.join(self.workers_lost)}"
        else:
            lost = ""
        return (
            f"steps: {made}; {self.supersteps} supersteps, {self.blocks_run:,} blocks run and"
            f" {self.blocks_idle:,} idle; {self.bytes_between_blocks / 1e6:,.1f} MB between"
            f" blocks, {self.bytes_between_workers / 1e6:,.1f} MB between workers{lost}"
        )


class Start(NamedTuple):
    """A checkpoint to start from: layers with their step counts and blocks, and changed walls."""

    layers: list[tuple[LayerPlan, int, list[BlockEntry]]]
    changed: NDArray[np.int64]
    blocked: NDArray[np.bool_]


def command(
    method: Callable[Concatenate[Coordinator, P], T],
) -> Callable[Concatenate[Coordinator, P], T]:
    """Turn a method into a command, which is repeated after the loss of a worker."""

    def run(self: Coordinator, /, *arguments: P.args, **named: P.kwargs) -> T:
        return self._run(partial(method, self, *arguments, **named))

    return run


class Coordinator:
    """Sends commands to stores, and logs them until the next checkpoint.

    If a worker is lost, all stores restart from the checkpoint and the log is replayed. Results do
    not depend on the number of stores or of restarts.
    """

    def __init__(
        self, stores: Stores, folder: Path, label: str, memory: float, start: Start
    ) -> None:
        self._stores = stores
        self._folder = folder
        self._label = label
        self._memory = memory
        self._layers: dict[str, Partition] = {}
        self._pending: dict[str, list[HaloUpdate]] = {}
        self._is_replaying = False
        self._failure: str | None = None
        self.report = Report()
        self.set_checkpoint(start, {})
        self._retrying(self._reopen, self._reopen)

    def set_checkpoint(
        self, start: Start, commands: Mapping[str, Mapping[int, BlockCommands]]
    ) -> None:
        """Start from this checkpoint, with these sources, if a worker is lost from now on."""
        self._log: list[Callable[[], Any]] = []
        self._start_commands: list[Callable[[], Any]] = [
            partial(self.set_walls, start.changed, start.blocked),
            *(partial(self.add_layer, *layer) for layer in start.layers),
            *(partial(self.apply, name, dict(some)) for name, some in commands.items()),
        ]

    # Commands

    @command
    def add_layer(
        self, layer: LayerPlan, steps: int = 0, entries: Sequence[BlockEntry] = ()
    ) -> None:
        """Add a layer after `steps` steps, with the blocks of a checkpoint."""
        self._layers[layer.name] = layer.partition()
        self._pending[layer.name] = []
        self._call_all("add_layer", layer, steps, tuple(entries))

    @command
    def set_walls(self, cells: NDArray[np.int64], blocked: NDArray[np.bool_]) -> None:
        """Set the walls of blocks that are created from now on."""
        self._call_all("set_walls", cells, blocked)

    @command
    def apply(self, name: str, commands: Mapping[int, BlockCommands]) -> None:
        """Apply calls and sources to blocks."""
        parts: list[dict[int, BlockCommands]] = [{} for _ in range(self._stores.count)]
        for number, one in commands.items():
            parts[self._owner(name, number)][number] = one
        self._send_halos(name)
        self._call_layer("apply", name, _arguments(parts))

    @command
    def tune(self, layer: LayerPlan) -> None:
        """Set the parameters of a propagation."""
        self._call_layer("tune", layer.name, [(layer,)] * self._stores.count)

    def superstep(self, name: str, steps: int, now: int) -> None:
        """Take steps, at most as many as halos are wide enough for."""
        self.report.supersteps += 1
        for one in self._superstep(name, steps, now):
            self.report.blocks_run += one.ran
            self.report.blocks_idle += one.idle
            self.report.bytes_between_blocks += one.bytes_between
            self.report.bytes_between_workers += sum(halo.bytes for halo in one.halos)

    @command
    def _superstep(self, name: str, steps: int, now: int) -> list[Superstep]:
        found: list[Superstep] = self._call_layer(
            "superstep", name, [(steps, now, part) for part in self._pop_halos(name)]
        )
        self._pending[name] = [halo for one in found for halo in one.halos]
        return found

    @command
    def settle(self, name: str) -> None:
        """Settle all blocks, then again those whose halos changed, until no halo changes."""
        self._pending[name] = []
        found: list[Superstep] = self._call_layer("settle", name, [((), True)] * self._stores.count)
        while any(one.halos or one.idle for one in found):
            self._pending[name] = [halo for one in found for halo in one.halos]
            found = self._call_layer(
                "settle", name, [(part, False) for part in self._pop_halos(name)]
            )
        self._call_layer("activate_all", name, [()] * self._stores.count)

    # Stores

    def _call_all(self, method: str, *arguments: Any) -> list[Any]:
        return self._stores.call(method, [arguments] * self._stores.count)

    def _call_layer(self, method: str, name: str, arguments: Arguments) -> list[Any]:
        """Call a method of the blocks of a layer on the stores that have arguments."""
        parts: list[tuple[Any, ...] | None] = []
        for part in arguments:
            if part is None:
                parts.append(None)
            else:
                parts.append((name, method, *part))
        return self._stores.call("call_layer", parts)

    def _owner(self, name: str, number: int) -> int:
        return owner(self._layers[name], number, self._stores.count)

    def _pop_halos(self, name: str) -> list[list[HaloUpdate]]:
        """Return the pending halos of each store, and clear them."""
        parts: list[list[HaloUpdate]] = [[] for _ in range(self._stores.count)]
        for halo in self._pending[name]:
            parts[self._owner(name, halo.target)].append(halo)
        self._pending[name] = []
        return parts

    def _send_halos(self, name: str) -> None:
        """Send stores their pending halos."""
        parts = self._pop_halos(name)
        if any(parts):
            self._call_layer("set_halos", name, _arguments(parts))

    # Losses

    def _run(self, command: Callable[[], T]) -> T:
        if self._is_replaying:
            return command()
        self._check()
        if self._stores.can_be_lost:
            self._log.append(command)
        with self._marking_failure():
            result: T = self._retrying(command, self._reopen)
        return result

    @property
    def has_failed(self) -> bool:
        """Whether a call failed halfway, so that only the last checkpoint is valid."""
        return self._failure is not None

    def _check(self) -> None:
        if self._failure is not None:
            raise FieldcraftError(
                "A world cannot be used after a call that failed halfway",
                got=f"a call that ended with {self._failure}",
                remedy="Open it again from its folder: the last checkpoint is valid",
            )

    @contextlib.contextmanager
    def _marking_failure(self) -> Iterator[None]:
        try:
            yield
        except WorkerLost:
            raise
        except BaseException as error:
            self._failure = f"{type(error).__name__}: {error}"
            raise

    def _retrying(self, attempt: Callable[[], T], again: Callable[[], T]) -> T:
        """Return the result of `attempt`, or of `again` after the loss of a worker."""
        losses = 0
        while True:
            try:
                return attempt()
            except WorkerLost as lost:
                self.report.workers_lost.append(lost.worker)
                losses += 1
                attempt = again
                if losses > _MOST_LOSSES:
                    self._failure = f"WorkerLost: {lost}"
                    raise

    def _reopen(self) -> Any:
        """Restart from the last checkpoint and replay the log; return the last command's result."""
        result: Any = None
        self._is_replaying = True
        try:
            with self._marking_failure():
                self._stores.open(str(self._folder / BLOCKS), self._label, self._memory)
                self._layers = {}
                self._pending = {}
                for one in [*self._start_commands, *self._log]:
                    result = one()
        finally:
            self._is_replaying = False
        return result

    def _query(self, query: Callable[[], T]) -> T:
        """Return the result of a call that changes nothing."""

        def again() -> T:
            self._reopen()
            return query()

        self._check()
        return self._retrying(query, again)

    # Queries

    def save(self, stamp: str) -> tuple[dict[str, list[BlockEntry]], int]:
        """Write all changed blocks; return the blocks of each layer and the bytes written."""
        return self._query(partial(self._save, stamp))

    def _save(self, stamp: str) -> tuple[dict[str, list[BlockEntry]], int]:
        entries = {}
        written = 0
        for name in self._layers:
            self._send_halos(name)
            saved = self._call_layer("save", name, [(stamp,)] * self._stores.count)
            entries[name] = sorted(entry for some, _ in saved for entry in some)
            written += sum(more for _, more in saved)
        return entries, written

    def read(
        self, name: str, number: int, rows: slice, columns: slice
    ) -> NDArray[np.float32] | None:
        """Return the values of some cells of a block; None if all are 0."""

        def query() -> NDArray[np.float32] | None:
            place = self._owner(name, number)
            arguments: list[tuple[Any, ...] | None] = [None] * self._stores.count
            arguments[place] = (number, rows, columns)
            found: NDArray[np.float32] | None = self._call_layer("read", name, arguments)[place]
            return found

        return self._query(query)

    def query_blocks(self, method: str, name: str, *arguments: Any) -> dict[int, Any]:
        """Return the results of a method of the blocks of a layer, by block."""
        results = self._query(
            lambda: self._call_layer(method, name, [arguments] * self._stores.count)
        )
        return {number: value for one in results for number, value in one}

    def close(self) -> None:
        """Close the stores."""
        self._stores.close()


def _arguments(parts: Sequence[Any]) -> Arguments:
    """Return the part of each store as its only argument; stores with empty parts are not
    called.
    """
    found: list[tuple[Any, ...] | None] = []
    for part in parts:
        if part:
            found.append((part,))
        else:
            found.append(None)
    return found
