"""Buffers, shaders, and batches of commands for a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fieldcraft_gpu.card import Card

STRIDE = 256
"""The distance between the numbers of two steps, in bytes."""


@dataclass(frozen=True, eq=False)
class Buffer:
    """Memory of a device."""

    owner: Card
    handle: Any
    size: int


class Batch:
    """Commands that are recorded first and submitted together."""

    def __init__(self, owner: Card) -> None:
        self._owner = owner
        self._encoder = owner.handle.create_command_encoder()
        self._pass: Any = None
        self._pipeline: Any = None

    def run(
        self, shader: Shader, group: Any, groups: tuple[int, ...], number: int | None = None
    ) -> None:
        """Dispatch (across, down) work groups; `number` is the index of the step in the buffer of
        step numbers.
        """
        if self._pass is None:
            self._pass = self._encoder.begin_compute_pass()
        if self._pipeline is not shader:
            self._pass.set_pipeline(shader.pipeline)
            self._pipeline = shader
        offsets = []
        if number is not None:
            offsets.append(number * STRIDE)
        self._pass.set_bind_group(0, group, offsets)
        self._pass.dispatch_workgroups(*groups)

    def dispatch(
        self, files: Sequence[str], entry: str, kinds: str, groups: tuple[int, ...], *given: Any
    ) -> None:
        """Dispatch a shader by its files, with buffers, arrays and blocks of parameters."""
        shader = self._owner.shader(files, entry, kinds)
        self.run(shader, self._owner.group(shader, *given), groups)

    def clear(self, buffer: Buffer) -> None:
        """Fill a buffer with 0."""
        self._end_pass()
        self._encoder.clear_buffer(buffer.handle)

    def _end_pass(self) -> None:
        if self._pass is not None:
            self._pass.end()
            self._pass = None
            self._pipeline = None

    def finish(self) -> Any:
        """Return the commands, to be submitted."""
        self._end_pass()
        return self._encoder.finish()


@dataclass(frozen=True, eq=False)
class Shader:
    """A compute shader and the kinds of its bindings, a letter each: u(niform), d(ynamic, different
    at each step), r(ead), w(ritten).
    """

    pipeline: Any
    layout: Any
    kinds: str
