"""An opened graphics card, or a software renderer.

It needs only what WebGPU guarantees, such as 8 storage buffers in a shader. It uses larger bindings
if available.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import ConcurrentUse, DeviceLost, InvalidValue, NoDevice
from fieldcraft_gpu.batches import STRIDE, Batch, Buffer, Shader
from fieldcraft_gpu.examination import examine
from fieldcraft_gpu.wgpu_library import SPAWN, Adapter, library, runtime_folder

SHADERS = Path(__file__).parent / "wgsl"
STEPS = 256
"""The most steps of one submission; each has its number in a buffer."""
_ACROSS = 32_768
_KINDS = {"u": "uniform", "d": "uniform", "r": "read-only-storage", "w": "storage"}
_REQUIRED = {"max-storage-buffers-per-shader-stage": 8}
_WIDER = {
    "max-storage-buffer-binding-size": (1 << 27, 1 << 31),
    "max-buffer-size": (1 << 28, 1 << 32),
}


def _size_text(size: int) -> str:
    """Return a number of bytes as text, rounded up."""
    if size >> 20:
        return f"{-(-size >> 20):,} MiB"
    return f"{-(-size >> 10)} KiB"


class Card:
    """An opened adapter. `exact` says whether its floats equal those of the CPU, `examined` is the
    result of the test.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._wgpu = library()
        self.adapter = adapter
        limits = dict(_REQUIRED)
        for limit, (least, most) in _WIDER.items():
            limits[limit] = max(least, min(adapter.handle.limits[limit], most))
        try:
            with runtime_folder():
                self.handle = adapter.handle.request_device_sync(required_limits=limits)
        except Exception as error:
            raise NoDevice(
                "A device offers what WebGPU guarantees",
                got=f"{adapter.name}: {error}",
                remedy="Update its driver, or use the CPU",
            ) from error
        self.limits = limits
        self.lost = False
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._shaders: dict[tuple[Any, ...], Shader] = {}
        self._small = self.buffer(16)
        self.steps = self.uniform(bytes(STRIDE * STEPS))
        self.exact, self.examined = examine(self)

    def __repr__(self) -> str:
        if self.lost:
            state = "lost"
        elif self.exact:
            state = "exact"
        else:
            state = "not exact"
        kind = f"{self.adapter.kind}, {self.adapter.backend}"
        return f"<{type(self).__name__} {self.name} ({kind}), {state}>"

    @property
    def name(self) -> str:
        """The name of the card."""
        return self.adapter.name

    @property
    def most_bytes(self) -> int:
        """The size of the largest array in a shader."""
        return int(self.limits["max-storage-buffer-binding-size"])

    @contextlib.contextmanager
    def using(self) -> Iterator[None]:
        """Guard a use: one thread at a time, in the process that opened the device; convert errors
        of the driver.
        """
        if os.getpid() != self._pid:
            raise ConcurrentUse(
                "A device belongs to the process that opened it",
                got="a use after a fork",
                remedy=SPAWN,
            )
        if not self._lock.acquire(blocking=False):
            raise ConcurrentUse(
                "A device is used by one thread at a time",
                got="a call while another thread is inside one",
                remedy="Put a lock around its maps and swarms",
            )
        try:
            if self.lost:
                raise self._loss("it was lost before")
            yield
        except self._wgpu.GPUOutOfMemoryError as error:
            raise InvalidValue(
                "Layers and swarms fit into the memory of their device",
                got=str(error),
                remedy="Use a smaller map or fewer agents",
            ) from error
        except self._wgpu.GPUError as error:
            if "lost" in str(error).lower():
                self.lost = True
                raise self._loss(str(error)) from error
            raise
        finally:
            self._lock.release()

    def _loss(self, got: str) -> DeviceLost:
        return DeviceLost(
            "A device works until it is lost",
            got=f"{self.name}: {got}"[:200],
            remedy=(
                "Continue from the last values that were read, with imap.recover() and"
                " swarm.recover(), or from the last save"
            ),
        )

    # Memory

    def buffer(self, data: int | NDArray[Any]) -> Buffer:
        """Return a buffer of zeros of a size in bytes, or with the contents of an array. Raises
        `InvalidValue` for more than a shader can use.
        """
        if isinstance(data, int):
            size = data
        else:
            size = data.nbytes
        if size > self.most_bytes:
            raise InvalidValue(
                f"An array on {self.name} has at most {_size_text(self.most_bytes)}",
                got=_size_text(size),
                remedy="Use a smaller map or fewer agents, or the CPU",
            )
        usage = self._wgpu.BufferUsage
        use = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST
        with self.using():
            handle = self.handle.create_buffer(size=max(-(-size // 4) * 4, 4), usage=use)
        made = Buffer(self, handle, size)
        if not isinstance(data, int):
            self.write(made, data)
        return made

    def uniform(self, data: bytes) -> Buffer:
        """Return a small buffer of parameters."""
        usage = self._wgpu.BufferUsage
        size = -(-len(data) // 16) * 16
        with self.using():
            handle = self.handle.create_buffer(size=size, usage=usage.UNIFORM | usage.COPY_DST)
        made = Buffer(self, handle, size)
        self.write(made, np.frombuffer(data, dtype=np.uint8))
        return made

    def write(self, buffer: Buffer, data: NDArray[Any]) -> None:
        """Overwrite the beginning of a buffer, before the next submission."""
        with self.using():
            octets = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
            if len(octets):
                if len(octets) % 4:
                    padded = np.pad(octets, (0, -len(octets) % 4))
                else:
                    padded = octets
                self.handle.queue.write_buffer(buffer.handle, 0, padded)

    def read(self, buffer: Buffer, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return a copy of a buffer, after all submitted commands."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if size == 0:
            return np.zeros(shape, dtype)
        with self.using():
            found = self.handle.queue.read_buffer(buffer.handle, 0, -(-size // 4) * 4)
        return np.array(np.frombuffer(found, np.uint8)[:size].view(dtype).reshape(shape))

    def number_steps(self, first: int, count: int) -> None:
        """Write the numbers of the steps of a submission."""
        numbers = np.zeros((count, STRIDE // 4), np.uint32)
        numbers[:, 0] = (first + np.arange(count, dtype=np.int64)) & 0xFFFFFFFF
        self.write(self.steps, numbers)

    # Commands

    def shader(self, files: Sequence[str], entry: str, kinds: str) -> Shader:
        """Return the shader of an entry point in WGSL files, with the kinds of its bindings; it is
        compiled once.
        """
        key = (tuple(files), entry, kinds)
        if key not in self._shaders:
            code = "\n".join(
                (SHADERS / f"{name}.wgsl").read_text(encoding="utf-8") for name in files
            )
            self._shaders[key] = self.compiled(code, entry, kinds)
        return self._shaders[key]

    def compiled(self, code: str, entry: str, kinds: str) -> Shader:
        """Return a compiled shader."""
        with self.using():
            entries = [
                {
                    "binding": binding,
                    "visibility": self._wgpu.ShaderStage.COMPUTE,
                    "buffer": {"type": _KINDS[kind], "has_dynamic_offset": kind == "d"},
                }
                for binding, kind in enumerate(kinds)
            ]
            layout = self.handle.create_bind_group_layout(entries=entries)
            pipeline = self.handle.create_compute_pipeline(
                layout=self.handle.create_pipeline_layout(bind_group_layouts=[layout]),
                compute={
                    "module": self.handle.create_shader_module(code=code),
                    "entry_point": entry,
                },
            )
            return Shader(pipeline, layout, kinds)

    def group(self, shader: Shader, *given: Buffer | NDArray[Any] | bytes) -> Any:
        """Return the bind group of a shader; arrays and blocks of parameters get new buffers."""
        entries = []
        for binding, (kind, each) in enumerate(zip(shader.kinds, given, strict=True)):
            if isinstance(each, bytes):
                buffer = self.uniform(each)
            elif isinstance(each, np.ndarray):
                buffer = self.buffer(each)
            else:
                buffer = each
            resource = {"buffer": buffer.handle}
            if kind == "d":
                resource |= {"offset": 0, "size": 16}
            entries.append({"binding": binding, "resource": resource})
        with self.using():
            return self.handle.create_bind_group(layout=shader.layout, entries=entries)

    def batch(self) -> Batch:
        """Return an empty batch of commands."""
        return Batch(self)

    def run(
        self, files: Sequence[str], entry: str, kinds: str, groups: tuple[int, ...], *given: Any
    ) -> None:
        """Dispatch one shader; see `Batch.dispatch`."""
        batch = self.batch()
        batch.dispatch(files, entry, kinds, groups, *given)
        self.submit(batch)

    def submit(self, batch: Batch) -> None:
        """Submit a batch; return before it is finished."""
        with self.using():
            self.handle.queue.submit([batch.finish()])

    def fence(self) -> None:
        """Wait for all submitted batches."""
        self.read(self._small, np.uint32, (1,))

    @staticmethod
    def groups(count: int, each: int) -> tuple[int, int]:
        """Return the numbers of work groups for `count` items, `each` in a group, in two dimensions
        so that none is too long.
        """
        total = max(-(-count // each), 1)
        across = min(total, _ACROSS)
        return across, -(-total // across)
