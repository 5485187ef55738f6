"""The agents of a swarm on a device: many steps in one submission, without reading back."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.agents.swarm_layout import circle, packed
from fieldcraft.kernels.trail.stamp_units import SCALE
from fieldcraft.layers.layer import Layer
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Buffer, Shader
from fieldcraft_gpu.card import STEPS, Card
from fieldcraft_gpu.fields import field_on
from fieldcraft_gpu.trail_field import DeviceTrailField

_GROUP = 256
_MOST_CACHED = 256
_Dispatch = tuple[Shader, Any, tuple[int, int], bool]
_ALL = (1 << 64) - 1


class DeviceAgents:
    """Agents as three rows of words, by their numbers."""

    def __init__(self, device: Card, agents: NDArray[np.int32]) -> None:
        self.device = device
        self.count = int(agents.shape[1])
        self.buffer = device.buffer(np.ascontiguousarray(agents))
        self._read: NDArray[np.int32] = agents
        self._host_is_current = True
        self.unread = 0
        self._rule = device.uniform(bytes(80))
        self._none = device.buffer(16)
        self._wall_words: tuple[Grid, int, Buffer] | None = None
        self._groups: dict[tuple[int, ...], tuple[Any, tuple[Buffer, ...]]] = {}
        self._cache: dict[Any, Buffer] = {}
        self._emitters: dict[int, tuple[Any, list[tuple[float, float, Buffer, Buffer]]]] = {}

    def read(self) -> NDArray[np.int32]:
        """Return all agents, (3, N); they are read once."""
        if not self._host_is_current:
            self._read = self.device.read(self.buffer, np.int32, (3, self.count))
            self._host_is_current = True
            self.unread = 0
        return self._read

    def last_read(self) -> NDArray[np.int32]:
        """Return the agents that the host last read or wrote, without the device, which may be
        lost.
        """
        return self._read

    def write(self, agents: NDArray[np.int32]) -> None:
        """Replace all agents."""
        self.device.write(self.buffer, agents)
        self._read = agents
        self._host_is_current = True
        self.unread = 0

    def run(self, plan: Any, step: int, count: int) -> None:
        """Take `count` steps of a `SwarmPlan`, from step `step` on."""
        self._refuse(plan)
        if _needs_single_steps(self.device, plan):
            at_once = 1
        else:
            at_once = STEPS
        for first in range(step, step + count, at_once):
            self._submit(plan, first, min(at_once, step + count - first))

    def _refuse(self, plan: Any) -> None:
        for layer in plan.updated:
            field = layer.steps.field
            if not isinstance(field, DeviceTrailField) or field.device is not self.device:
                if isinstance(field, DeviceTrailField):
                    place = "another"
                else:
                    place = "the CPU"
                raise InvalidValue(
                    "Agents on a device deposit on layers of the same device",
                    got=f"layer {layer.name!r} on {place}",
                    remedy='Add the layer with device="gpu"',
                )

    def _submit(self, plan: Any, step: int, count: int) -> None:
        device = self.device
        rule = plan.rule
        words = [
            rule.height,
            rule.width,
            rule.wrap,
            rule.distance,
            rule.angle,
            rule.cosine,
            rule.sine,
            rule.stride,
            rule.pieces,
            rule.turn,
            rule.wander,
            rule.follow,
            rule.avoid,
            rule.align,
            rule.separate,
            rule.cohere,
            rule.flip,
            rule.key,
            self.count,
            rule.height * rule.width,
        ]
        device.write(self._rule, np.array(words, dtype=np.int64).astype(np.uint32))
        device.number_steps(step, count)
        host = self._uploaded(plan)
        for layer in plan.updated:
            with layer.steps.lock:
                layer.steps.catch_up()
                layer.steps.field.prepare()
        for deposit in plan.deposits:
            most = float(np.abs(deposit.amounts).max()) / SCALE
            deposit.layer.steps.field.reserve(deposit.plane, most, most * self.count)
        if plan.forage is None:
            food = None
        else:
            food = plan.forage.on(device)
        emissions: list[_Dispatch] = []
        for emission in plan.emissions:
            emissions += self._emission_dispatches(plan, emission)
        batch = device.batch()
        fields = [layer.steps.field for layer in plan.updated]
        known: dict[tuple[int, ...], list[_Dispatch]] = {}
        for number in range(count):
            turn = tuple(field.turn for field in fields)
            if turn not in known:
                known[turn] = [*self._dispatches(plan, host, food), *emissions]
            for shader, group, groups, numbered in known[turn]:
                if numbered:
                    batch.run(shader, group, groups, number)
                else:
                    batch.run(shader, group, groups)
            for field in fields:
                field.record(batch)
        self._host_is_current = False
        device.submit(batch)
        self.unread += count
        for layer in plan.updated:
            with layer.steps.lock:
                layer.steps.field.unread += count
                layer.steps.count(count)

    def _dispatches(
        self, plan: Any, host: dict[tuple[int, bool], Buffer], food: Any
    ) -> Iterator[_Dispatch]:
        """Yield the dispatches of a step: agents move, then fetch food, then deposit; and whether
        each depends on the number of the step.
        """
        if not self.count:
            return
        device = self.device
        rule = plan.rule
        cells = rule.width * rule.height
        groups = device.groups(self.count, _GROUP)
        shader = device.shader(("swarm",), "walk", "udwrrrrrrr")
        sights = []
        for layer, flows in _read_layers(plan):
            if layer is None:
                sights.append(self._none)
            elif (id(layer), flows) in host:
                sights.append(host[id(layer), flows])
            else:
                sights.append(layer.steps.field.now)
        walls = self._walls(plan.space)
        group = self._group(shader, self._rule, device.steps, self.buffer, walls, *sights)
        yield shader, group, groups, True
        if food is not None:
            parameters = self._block("<III", self.count, rule.width, cells)
            for entry, size in (("claim", self.count), ("settle", self.count), ("serve", cells)):
                shader = device.shader(("forage",), entry, "uwwrww")
                group = self._group(
                    shader,
                    parameters,
                    self.buffer,
                    food.food,
                    food.homes,
                    food.claims,
                    food.counters,
                )
                yield shader, group, device.groups(size, _GROUP), False
        shader = device.shader(("put", "leave"), "leave", "urrw")
        for deposit in plan.deposits:
            parameters = self._block(
                "<IIIIII",
                self.count,
                rule.width,
                deposit.role & 0xFFFFFFFF,
                int(deposit.by_heading),
                len(deposit.amounts) - 1,
                deposit.plane * cells,
            )
            amounts = self._array(deposit.amounts)
            sums = deposit.layer.steps.field.sums
            group = self._group(shader, parameters, self.buffer, amounts, sums)
            yield shader, group, groups, False

    def _emission_dispatches(self, plan: Any, emission: Any) -> Iterator[_Dispatch]:
        """Yield the dispatches of the deposits of places at a step."""
        device = self.device
        field = emission.layer.steps.field
        cells = plan.rule.width * plan.rule.height
        places = emission.places
        if not isinstance(places, np.ndarray):  # food
            amount = float(emission.amounts)
            field.reserve(0, abs(amount), abs(amount) * cells)
            shader = device.shader(("put", "smell"), "smell", "urrw")
            units = round(amount * SCALE) & _ALL
            parameters = self._block("<IIII", cells, 0, units & 0xFFFFFFFF, units >> 32)
            group = self._group(
                shader, parameters, places.on(device).food, self._walls(plan.space), field.sums
            )
            yield shader, group, device.groups(cells, _GROUP), False
            return
        shader = device.shader(("put", "scatter"), "scatter", "urrw")
        for plane, (largest, total, held, amounts) in enumerate(self._places(emission)):
            field.reserve(plane, largest, total)
            parameters = self._block("<II", len(places), plane * cells)
            group = self._group(shader, parameters, held, amounts, field.sums)
            yield shader, group, device.groups(len(places), _GROUP), False

    def _places(self, emission: Any) -> list[tuple[float, float, Buffer, Buffer]]:
        """Return the places of an emitter and their amounts on the device, by planes, with the
        largest amount and the sum.
        """
        key = id(emission.emitter)
        if key not in self._emitters:
            if len(self._emitters) > 16:
                self._emitters.clear()
            found = []
            if len(emission.places):
                cells = self.device.buffer(emission.places.astype(np.uint32))
                for part in np.atleast_2d(emission.amounts.T):
                    sizes = np.abs(part)
                    units = self.device.buffer(np.rint(part * SCALE).astype(np.int64))
                    found.append((float(sizes.max()), float(sizes.sum()), cells, units))
            self._emitters[key] = (emission.emitter, found)
        return self._emitters[key][1]

    # Buffers

    def _uploaded(self, plan: Any) -> dict[tuple[int, bool], Buffer]:
        """Return buffers of the layers that agents read and that are not on this device."""
        found: dict[tuple[int, bool], Buffer] = {}
        for layer, flows in _read_layers(plan):
            if layer is None or _is_on(self.device, layer, flows) or (id(layer), flows) in found:
                continue
            if flows:
                values = np.moveaxis(layer.vectors, -1, 0)
            else:
                values = layer.values
            floats = np.ascontiguousarray(values, dtype=np.float32)
            found[id(layer), flows] = self.device.buffer(floats)
        return found

    def _walls(self, space: Grid) -> Buffer:
        """Return the buffer of cosines, sines and walls."""
        version = space.walls_version
        if (
            self._wall_words is None
            or self._wall_words[0] is not space
            or self._wall_words[1] != version
        ):
            directions = circle().astype(np.int64) & 0xFFFF
            pairs = (directions[:, 0] | directions[:, 1] << 16).astype(np.uint32)
            words = np.concatenate([pairs, packed(space.walls)])
            self._wall_words = (space, version, self.device.buffer(words))
        return self._wall_words[2]

    def _group(self, shader: Shader, *buffers: Buffer) -> Any:
        key = (id(shader), *map(id, buffers))
        if key not in self._groups:
            if len(self._groups) > _MOST_CACHED:
                self._groups.clear()
            self._groups[key] = (self.device.group(shader, *buffers), buffers)
        return self._groups[key][0]

    def _block(self, layout: str, *words: int) -> Buffer:
        """Return a buffer of parameters, which is made once."""
        return self._cached(
            (layout, *words), lambda: self.device.uniform(struct.pack(layout, *words))
        )

    def _array(self, array: NDArray[Any]) -> Buffer:
        """Return a buffer of an array, which is made once."""
        return self._cached(array.tobytes(), lambda: self.device.buffer(array))

    def _cached(self, key: Any, make: Callable[[], Buffer]) -> Buffer:
        """Return the buffer of a key; it is made if it is not among the last ones."""
        if key not in self._cache:
            if len(self._cache) > _MOST_CACHED:
                self._cache.clear()
            self._cache[key] = make()
        return self._cache[key]


class DeviceFood:
    """Food, homes and claims on a device."""

    def __init__(self, device: Card, food: NDArray[np.int32], homes: NDArray[np.uint32]) -> None:
        self.device = device
        self.food = device.buffer(food)
        self.homes = device.buffer(homes)
        self.claims = device.buffer(np.repeat(np.array([0, 0xFFFFFFFF], np.uint32), len(food)))
        self.counters = device.buffer(np.zeros(4, np.uint32))
        self._cells = len(food)
        self.last_read: tuple[NDArray[np.int32], int] = (food, 0)

    def read(self) -> tuple[NDArray[np.int32], int]:
        """Return the portions of each cell, and how many were brought home."""
        self.last_read = (
            self.device.read(self.food, np.int32, (self._cells,)),
            int(self.device.read(self.counters, np.uint32, (4,))[0]),
        )
        return self.last_read


def _read_layers(plan: Any) -> list[tuple[Any, bool]]:
    """Return the layers that the shader reads, in the order of its bindings, and whether each is
    read as vectors.
    """
    return [
        *((layer, False) for layer in plan.trails),
        *((layer, True) for layer in plan.flows),
        (plan.crowd, False),
        (plan.group, False),
    ]


def _is_on(device: Card, layer: Any, flows: bool) -> bool:
    """Return whether a layer is on the device in the form in which it is read."""
    field = field_on(device, layer)
    return field is not None and getattr(field, "vector", False) == flows


def _needs_single_steps(device: Card, plan: Any) -> bool:
    """Return whether steps must be submitted one by one, because a layer that the host writes
    depends on updated layers.
    """
    if not plan.updated:
        return False
    for layer, flows in _read_layers(plan):
        if layer is None or _is_on(device, layer, flows):
            continue
        if not isinstance(layer, Layer) or any(layer is each for each in plan.updated):
            return True
    return False
