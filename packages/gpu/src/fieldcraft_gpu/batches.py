"""Work for a device: memory, shaders, and what is put down before it is handed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from fieldcraft_gpu.devices import Card

__all__ = ["STRIDE", "Batch", "Buffer", "Clock", "Shader"]

STRIDE = 256
"""The bytes from the number of one step to that of the next."""


_PASSES = 64


@dataclass(frozen=True, eq=False)
class Buffer:
    """Memory of a device."""

    owner: Card
    handle: Any
    size: int


class Clock:
    """Time that a device spends on what it is handed, by its own clock; 0 where it has none."""

    def __init__(self, owner: Card) -> None:
        self._owner = owner
        self.nanoseconds = 0
        self._used = 0
        self._queries = (
            owner.handle.create_query_set(type="timestamp", count=2 * _PASSES)
            if owner.timestamps
            else None
        )
        usage = owner._wgpu.BufferUsage
        self._found = owner.handle.create_buffer(
            size=16 * _PASSES, usage=usage.QUERY_RESOLVE | usage.COPY_SRC | usage.COPY_DST
        )

    @property
    def milliseconds(self) -> float:
        """The sum of the times so far."""
        return self.nanoseconds / 1e6

    def next_pass(self) -> dict[str, Any]:
        """The words that a pass is told to be timed."""
        if self._queries is None or self._used == _PASSES:
            return {}
        first = 2 * self._used
        self._used += 1
        return {
            "timestamp_writes": {
                "query_set": self._queries,
                "beginning_of_pass_write_index": first,
                "end_of_pass_write_index": first + 1,
            }
        }

    def resolve(self, encoder: Any) -> None:
        """Put down that the times are to be told."""
        if self._used:
            encoder.resolve_query_set(
                query_set=self._queries,
                first_query=0,
                query_count=2 * self._used,
                destination=self._found,
                destination_offset=0,
            )

    def add_up(self) -> None:
        """Read the times of what was submitted."""
        if self._used:
            found = np.frombuffer(self._owner.handle.queue.read_buffer(self._found), np.int64)
            self.nanoseconds += int(np.diff(found[: 2 * self._used].reshape(-1, 2)).sum())
            self._used = 0


class Batch:
    """Work that is put down first and handed over at once."""

    def __init__(self, owner: Card) -> None:
        self._owner = owner
        self._clock = owner.clock
        self._encoder = owner.handle.create_command_encoder()
        self._pass: Any = None
        self._pipeline: Any = None

    def run(
        self, shader: Shader, group: Any, groups: tuple[int, ...], number: int | None = None
    ) -> None:
        """Dispatch (across, down) work groups; `number` is the place of the step in the buffer of
        step numbers.
        """
        if self._pass is None:
            self._pass = self._encoder.begin_compute_pass(
                **(self._clock.next_pass() if self._clock is not None else {})
            )
        if self._pipeline is not shader:
            self._pass.set_pipeline(shader.pipeline)
            self._pipeline = shader
        self._pass.set_bind_group(0, group, [] if number is None else [number * STRIDE])
        self._pass.dispatch_workgroups(*groups)

    def dispatch(
        self, files: Sequence[str], entry: str, kinds: str, groups: tuple[int, ...], *given: Any
    ) -> None:
        """Dispatch a shader by its files, on buffers, arrays and blocks of parameters."""
        shader = self._owner.shader(files, entry, kinds)
        self.run(shader, self._owner.group(shader, *given), groups)

    def clear(self, buffer: Buffer) -> None:
        """Fill a buffer with 0."""
        self._end_pass()
        self._encoder.clear_buffer(buffer.handle)

    def copy(self, source: Buffer, target: Buffer, size: int) -> None:
        """Copy the first bytes of a buffer to another."""
        self._end_pass()
        self._encoder.copy_buffer_to_buffer(source.handle, 0, target.handle, 0, size)

    def _end_pass(self) -> None:
        if self._pass is not None:
            self._pass.end()
            self._pass = self._pipeline = None

    def finish(self) -> Any:
        """The commands, to be submitted."""
        self._end_pass()
        if self._clock is not None:
            self._clock.resolve(self._encoder)
        return self._encoder.finish()


@dataclass(frozen=True, eq=False)
class Shader:
    """A compute shader and what its bindings are: a letter each, u(niform), d(ifferent at each
    step), r(ead), w(ritten).
    """

    pipeline: Any
    layout: Any
    kinds: str
