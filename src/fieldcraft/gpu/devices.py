"""A graphics card, or what stands for one: the only file that imports wgpu.

Only what WebGPU promises everywhere is asked for, and named: 8 storage buffers a shader. Larger bindings are asked for where there are any.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import ConcurrentUse, DeviceLost, InvalidValue, NoDevice

if TYPE_CHECKING:
    from fieldcraft.propagation import Propagation
    from fieldcraft.propagation.field import Field
    from fieldcraft.space import Space

__all__ = ["Adapter", "Batch", "Buffer", "Clock", "Device", "adapters", "device"]

SHADERS = Path(__file__).parent / "wgsl"
STEPS = 256
"""The most steps of one submission: each has its number in a buffer."""
_STRIDE = 256
_ACROSS = 32_768
_KNOWN = (0, 32)
_KINDS = {"u": "uniform", "d": "uniform", "r": "read-only-storage", "w": "storage"}
_ASKED = {"max-storage-buffers-per-shader-stage": 8}
_WIDER = {"max-storage-buffer-binding-size": (1 << 27, 1 << 31), "max-buffer-size": (1 << 28, 1 << 32)}


def _wgpu() -> Any:
    """The library wgpu, of the one version that is known to do."""
    os.environ.setdefault("WGPU_LOG_LEVEL", "ERROR")
    try:
        wgpu = importlib.import_module("wgpu")
    except ImportError as error:
        raise NoDevice(
            "A device needs the library wgpu", got=str(error), remedy="Install it with: pip install 'fieldcraft[gpu]'"
        ) from error
    version = tuple(getattr(wgpu, "version_info", ())[:2])
    if version != _KNOWN:
        raise NoDevice(
            "This fieldcraft works with wgpu 0.32", got=f"wgpu {wgpu.__version__}", remedy="Install it with: pip install 'fieldcraft[gpu]'"
        )
    return wgpu


@dataclass(frozen=True)
class Adapter:
    """A card or a software renderer, as its driver names it."""

    name: str
    kind: str
    """`DiscreteGPU`, `IntegratedGPU`, `CPU` for software, and others."""
    backend: str
    driver: str
    handle: Any


@functools.cache
def _found() -> tuple[Adapter, ...]:
    wgpu = _wgpu()
    with _runtime_folder():
        handles = wgpu.gpu.enumerate_adapters_sync()
    found = []
    for handle in handles:
        info = handle.info
        if info["backend_type"] != "OpenGL":  # the same cards again, with fewer of the things that are asked for
            found.append(Adapter(info["device"], info["adapter_type"], info["backend_type"], info["description"], handle))
    order = {"DiscreteGPU": 0, "IntegratedGPU": 1}
    return tuple(sorted(found, key=lambda adapter: order.get(adapter.kind, 2)))


@contextlib.contextmanager
def _runtime_folder() -> Iterator[None]:
    """Drivers complain on the terminal where this is not set."""
    unset = "XDG_RUNTIME_DIR" not in os.environ
    if unset:
        os.environ["XDG_RUNTIME_DIR"] = "/tmp"
    try:
        yield
    finally:
        if unset:
            os.environ.pop("XDG_RUNTIME_DIR", None)


def adapters() -> tuple[Adapter, ...]:
    """The cards at hand, the strongest kind first. Raises `NoDevice` without wgpu, or where it finds none."""
    found = _found()
    if not found:
        raise NoDevice(
            "A device needs a graphics card with a driver for Vulkan, Metal or Direct3D 12",
            got="none that wgpu finds",
            remedy="Install the card's driver, or a software one: apt install mesa-vulkan-drivers libvulkan1",
        )
    return found


_opened: dict[tuple[int, str], Device] = {}
_opening = threading.Lock()


def device(name: str | None = None, *, exact: bool = True) -> Device:
    """A device to hold layers and swarms, opened once and then shared.

    Parameters
    ----------
    name: part of an adapter's name, such as "nvidia" or "llvmpipe"; by default the first of `adapters()`.
    exact: whether its floats must have been found to be those of the CPU, when it was examined. False takes it as it is: swarms, stamps and
        deposits reckon in whole numbers and stay exact, layers that blur or spread may differ in their last bits.

    Raises `NoDevice` where there is none, or none of that name, or `exact` is asked of one that is not.
    """
    found = adapters()
    chosen = next((each for each in found if name is None or name.lower() in f"{each.name} {each.driver}".lower()), None)
    if chosen is None:
        raise NoDevice(
            "A device has a name that an adapter has",
            got=repr(name),
            remedy=f"Choose among: {', '.join(sorted({each.name for each in found}))}",
        )
    with _opening:
        place = (os.getpid(), chosen.name)
        if place not in _opened or _opened[place].lost:
            _opened[place] = Device(chosen)
        opened = _opened[place]
    if exact and not opened.exact:
        raise NoDevice(
            "An exact device reckons as the CPU does",
            got=f"{opened.name}: {opened.examined}",
            remedy="Pass exact=False for a run that may differ in its last bits, or take the CPU",
        )
    return opened


class Buffer:
    """Memory of a device."""

    def __init__(self, owner: Device, handle: Any, size: int) -> None:
        self.owner = owner
        self.handle = handle
        self.size = size


class Clock:
    """Time that a device spends on what it is handed, by its own clock; 0 where it has none."""

    passes = 64

    def __init__(self, owner: Device) -> None:
        self._owner = owner
        self.nanoseconds = 0
        self._used = 0
        self._queries = owner.handle.create_query_set(type="timestamp", count=2 * self.passes) if owner.timestamps else None
        usage = owner._wgpu.BufferUsage
        self._found = owner.handle.create_buffer(size=16 * self.passes, usage=usage.QUERY_RESOLVE | usage.COPY_SRC | usage.COPY_DST)

    @property
    def milliseconds(self) -> float:
        """The sum of the times so far."""
        return self.nanoseconds / 1e6

    def next_pass(self) -> dict[str, Any]:
        """The words that a pass is told to be timed."""
        if self._queries is None or self._used == self.passes:
            return {}
        first = 2 * self._used
        self._used += 1
        return {
            "timestamp_writes": {"query_set": self._queries, "beginning_of_pass_write_index": first, "end_of_pass_write_index": first + 1}
        }

    def resolve(self, encoder: Any) -> None:
        """Put down that the times are to be told."""
        if self._used:
            encoder.resolve_query_set(
                query_set=self._queries, first_query=0, query_count=2 * self._used, destination=self._found, destination_offset=0
            )

    def add_up(self) -> None:
        """Read the times of what was submitted."""
        if self._used:
            found = np.frombuffer(self._owner.handle.queue.read_buffer(self._found), np.uint64)[: 2 * self._used].reshape(-1, 2)
            self.nanoseconds += int((found[:, 1].astype(np.int64) - found[:, 0].astype(np.int64)).sum())
            self._used = 0


class Batch:
    """Work that is put down first and handed over at once."""

    def __init__(self, owner: Device) -> None:
        self._owner = owner
        self._clock = owner.clock
        self._encoder = owner.handle.create_command_encoder()
        self._pass: Any = None
        self._pipeline: Any = None

    def run(self, shader: Shader, group: Any, groups: tuple[int, ...], number: int | None = None) -> None:
        """Dispatch (across, down) work groups; `number` is the place of the step in the buffer of step numbers."""
        if self._pass is None:
            self._pass = self._encoder.begin_compute_pass(**(self._clock.next_pass() if self._clock is not None else {}))
        if self._pipeline is not shader:
            self._pass.set_pipeline(shader.pipeline)
            self._pipeline = shader
        if number is None:
            self._pass.set_bind_group(0, group)
        else:
            self._pass.set_bind_group(0, group, [number * _STRIDE])
        self._pass.dispatch_workgroups(*groups)

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
    """A compute shader and what its bindings are: a letter each, u(niform), d(ifferent at each step), r(ead), w(ritten)."""

    pipeline: Any
    layout: Any
    kinds: str


class Device:
    """An opened adapter. `exact` says whether it reckons as the CPU does, `examined` what an examination found."""

    def __init__(self, adapter: Adapter) -> None:
        self._wgpu = _wgpu()
        self.adapter = adapter
        limits = dict(_ASKED)
        for limit, (least, most) in _WIDER.items():
            limits[limit] = max(least, min(adapter.handle.limits[limit], most))
        features = [name for name in ("timestamp-query",) if name in adapter.handle.features]
        try:
            with _runtime_folder():
                self.handle = adapter.handle.request_device_sync(required_features=features, required_limits=limits)
        except Exception as error:
            raise NoDevice(
                "A device offers what WebGPU promises", got=f"{adapter.name}: {error}", remedy="Update its driver, or take the CPU"
            ) from error
        self.limits = limits
        self.timestamps = bool(features)
        self.lost = False
        self.clock: Clock | None = None
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._shaders: dict[tuple[Any, ...], Shader] = {}
        self._screens: dict[tuple[str, str], Any] = {}
        self._small = self.buffer(16)
        self.steps = self._uniform(_STRIDE * STEPS)
        from fieldcraft.gpu.examination import examine

        self.exact, self.examined = examine(self)

    def __repr__(self) -> str:
        return f"<Device {self.name} ({self.adapter.kind}, {self.adapter.backend}), {'exact' if self.exact else 'not exact'}>"

    @property
    def name(self) -> str:
        """The name of the card."""
        return self.adapter.name

    @property
    def most_bytes(self) -> int:
        """The largest array that a shader can be given."""
        return int(self.limits["max-storage-buffer-binding-size"])

    @contextlib.contextmanager
    def using(self) -> Iterator[None]:
        """Around each use: one thread at a time, in the process that opened it, and errors of the driver in words."""
        if os.getpid() != self._pid:
            raise ConcurrentUse(
                "A device belongs to the process that opened it", got="a use after a fork", remedy="Open it in the child: fc.gpu.device()"
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
                "What lies on a device fits into its memory", got=str(error), remedy="Use a smaller map or fewer agents"
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
            "A device answers until it is closed",
            got=f"{self.name}: {got}"[:200],
            remedy="Open it anew with fc.gpu.device(), and go on from the last save; what was read back before is kept",
        )

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Values of a propagation on this device; raises `InvalidValue` for one that it does not carry."""
        from fieldcraft.gpu.carrying import Carrier

        return Carrier(self).field(propagation, space, every)

    def carrier(self, field: Field) -> str:
        """The name of the carrier of a field."""
        return self.name if getattr(field, "device", None) is self else "the CPU"

    # Memory

    def buffer(self, data: int | NDArray[Any]) -> Buffer:
        """Memory of so many bytes, all 0, or holding an array. Raises `InvalidValue` for more than a shader can be given."""
        size = data if isinstance(data, int) else data.nbytes
        if size > self.most_bytes:
            raise InvalidValue(
                f"A shader on {self.name} can be given {self.most_bytes >> 20} MiB at once",
                got=f"{size >> 20} MiB",
                remedy="Use a smaller map or fewer agents, or the CPU",
            )
        usage = self._wgpu.BufferUsage
        use = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST
        with self.using():
            if isinstance(data, int):
                return Buffer(self, self.handle.create_buffer(size=max(-(-size // 4) * 4, 4), usage=use), size)
            whole = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
            whole = np.concatenate([whole, np.zeros(-len(whole) % 4 or (4 if not len(whole) else 0), np.uint8)])
            return Buffer(self, self.handle.create_buffer_with_data(data=whole, usage=use), size)

    def uniform(self, data: bytes) -> Buffer:
        """A small block of parameters."""
        made = self._uniform(-(-len(data) // 16) * 16)
        self.write(made, np.frombuffer(data, dtype=np.uint8))
        return made

    def _uniform(self, size: int) -> Buffer:
        usage = self._wgpu.BufferUsage
        return Buffer(self, self.handle.create_buffer(size=size, usage=usage.UNIFORM | usage.COPY_DST), size)

    def write(self, buffer: Buffer, data: NDArray[Any]) -> None:
        """Overwrite the beginning of a buffer, before whatever is submitted next."""
        with self.using():
            whole = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
            if len(whole) % 4:
                whole = np.concatenate([whole, np.zeros(-len(whole) % 4, np.uint8)])
            if len(whole):
                self.handle.queue.write_buffer(buffer.handle, 0, whole)

    def read(self, buffer: Buffer, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        """A copy of a buffer on the host, once all that was submitted is done."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if size == 0:
            return np.zeros(shape, dtype)
        with self.using():
            found = self.handle.queue.read_buffer(buffer.handle, 0, -(-size // 4) * 4)
            array: NDArray[Any] = np.frombuffer(found, dtype=np.uint8)[:size].view(dtype).reshape(shape).copy()
            return array

    def number_steps(self, first: int, count: int) -> None:
        """Write the numbers of the steps of a submission."""
        numbers = np.zeros((count, _STRIDE // 4), np.uint32)
        numbers[:, 0] = (first + np.arange(count, dtype=np.int64)) & 0xFFFFFFFF
        self.write(self.steps, numbers)

    # Work

    def shader(self, files: Sequence[str], entry: str, kinds: str) -> Shader:
        """A shader of the WGSL in these files, by its entry point and the kinds of its bindings; compiled once."""
        place = (tuple(files), entry, kinds)
        if place not in self._shaders:
            code = "\n".join((SHADERS / f"{name}.wgsl").read_text(encoding="utf-8") for name in files)
            self._shaders[place] = self.compiled(code, entry, kinds)
        return self._shaders[place]

    def compiled(self, code: str, entry: str, kinds: str) -> Shader:
        """A shader of WGSL."""
        with self.using():
            entries = []
            for binding, kind in enumerate(kinds):
                how: dict[str, Any] = {"type": _KINDS[kind]}
                if kind == "d":
                    how["has_dynamic_offset"] = True
                entries.append({"binding": binding, "visibility": self._wgpu.ShaderStage.COMPUTE, "buffer": how})
            layout = self.handle.create_bind_group_layout(entries=entries)
            pipeline = self.handle.create_compute_pipeline(
                layout=self.handle.create_pipeline_layout(bind_group_layouts=[layout]),
                compute={"module": self.handle.create_shader_module(code=code), "entry_point": entry},
            )
            return Shader(pipeline, layout, kinds)

    def group(self, shader: Shader, *buffers: Buffer) -> Any:
        """The buffers of a shader's bindings, in their order."""
        with self.using():
            entries = []
            for binding, (kind, buffer) in enumerate(zip(shader.kinds, buffers, strict=True)):
                resource: dict[str, Any] = {"buffer": buffer.handle}
                if kind == "d":
                    resource |= {"offset": 0, "size": 16}
                entries.append({"binding": binding, "resource": resource})
            return self.handle.create_bind_group(layout=shader.layout, entries=entries)

    def batch(self) -> Batch:
        """Work to be put down."""
        return Batch(self)

    def submit(self, batch: Batch) -> None:
        """Hand work over; returns before it is done."""
        with self.using():
            self.handle.queue.submit([batch.finish()])
            if self.clock is not None:
                self.clock.add_up()

    @contextlib.contextmanager
    def timed(self) -> Iterator[Clock]:
        """Time what is submitted inside, waiting for it each time."""
        with self.using():
            self.clock = Clock(self)
        try:
            yield self.clock
        finally:
            self.clock = None

    def fence(self) -> None:
        """Wait until all that was handed over is done."""
        self.read(self._small, np.uint32, (1,))

    def show(self, view: Any, texture_format: str, pixels: Buffer, size: tuple[int, int]) -> None:
        """Draw pixels, a word each, over a texture."""
        place = ("screen", texture_format)
        with self.using():
            if place not in self._screens:
                module = self.handle.create_shader_module(code=(SHADERS / "screen.wgsl").read_text(encoding="utf-8"))
                self._screens[place] = self.handle.create_render_pipeline(
                    layout="auto",
                    vertex={"module": module, "entry_point": "corner"},
                    fragment={"module": module, "entry_point": "shown", "targets": [{"format": texture_format}]},
                    primitive={"topology": "triangle-list"},
                )
            pipeline = self._screens[place]
            parameters = self.uniform(np.array([*size, int(texture_format.endswith("srgb")), 0], np.uint32).tobytes())
            group = self.handle.create_bind_group(
                layout=pipeline.get_bind_group_layout(0),
                entries=[{"binding": k, "resource": {"buffer": buffer.handle}} for k, buffer in enumerate((parameters, pixels))],
            )
            encoder = self.handle.create_command_encoder()
            drawing = encoder.begin_render_pass(
                color_attachments=[{"view": view, "load_op": "clear", "store_op": "store", "clear_value": (0, 0, 0, 1)}]
            )
            drawing.set_pipeline(pipeline)
            drawing.set_bind_group(0, group)
            drawing.draw(3)
            drawing.end()
            self.handle.queue.submit([encoder.finish()])

    @staticmethod
    def groups(count: int, each: int) -> tuple[int, int]:
        """Work groups for so many things in a row, `each` a group, folded so that no dimension is too long."""
        whole = max(-(-count // each), 1)
        across = min(whole, _ACROSS)
        return across, -(-whole // across)
