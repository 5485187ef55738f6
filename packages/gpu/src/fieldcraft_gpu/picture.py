"""Pictures of what lives on a graphics device, drawn there: no value comes back but the pixels that
are asked for.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Grid, grid_of
from fieldcraft.steering import Swarm
from fieldcraft.view.colors import ColorScale
from fieldcraft.view.drawing import RIM, ground_kinds
from fieldcraft.view.palettes import Color, parse_color
from fieldcraft_gpu.batches import Batch, Buffer
from fieldcraft_gpu.carrying import Device, checked_device
from fieldcraft_gpu.fields import lives_on

__all__ = ["DevicePicture"]

_TILE = (32, 8)
_FILES = ("exact", "paint")
_BINDINGS = {
    "backdrop": "uwr",
    "layer": "uwrrr",
    "rims": "uwr",
    "agents_glow": "uwrrrrw",
    "glowing": "uwrrrrw",
}
_LONGEST = 64
_USUAL: dict[str, Any] = {  # in the order of the block of parameters
    "width": 0,
    "height": 0,
    "scale": 1,
    "padding": 0,
    "low": 0.0,
    "high": 1.0,
    "start": 0.0,
    "factor": 1.0,
    "last": 0,
    "threshold": 0.0,
    "opacity": 1.0,
    "rim": 0,
    "count": 0,
    "color": 0,
    "thick": 1,
    "length": 1,
}


class DevicePicture:
    """A picture of a grid that is painted on a device: the ground, layers through their colours,
    agents over them.

    Layers look as they do in `frame`. Those that live on the device are read where they are;
    others, and agents of the CPU, are sent there. `paint` begins a picture, `add_layer` and
    `add_swarm` go on with it, `pixels` brings it back, `show` puts it into a window.
    """

    def __init__(self, space: Grid, *, scale: int = 1, device: Any = "gpu") -> None:
        """A picture of a grid, `scale` pixels a cell, on a device of `fc.gpu.device()`. Raises
        `InvalidValue` or `NoDevice`.
        """
        self.space = grid_of(space, "A picture on a device", remedy="Use fc.view.frame")
        self.scale = checks.integer("scale", scale, minimum=1)
        self.device: Device = checked_device(device)
        self.width, self.height = space.width * self.scale, space.height * self.scale
        self._pixels = self.device.buffer(4 * self.width * self.height)
        self._glow = self.device.buffer(4 * self.width * self.height)
        self._none = self.device.buffer(16)
        self._ground: tuple[int, Buffer] | None = None
        self._tables: dict[bytes, Buffer] = {}
        self.paint()

    def __repr__(self) -> str:
        return (
            f"<DevicePicture of {self.space!r}, {self.width} x {self.height} pixels on"
            f" {self.device.name}>"
        )

    def paint(self) -> DevicePicture:
        """Begin anew with the ground, and the rims of walls."""
        batch = self.device.batch()
        self._run(batch, "backdrop", self._block())
        self._run(batch, "rims", self._block())
        self.device.submit(batch)
        return self

    def add_layer(
        self,
        layer: Any,
        *,
        colors: ColorScale | None = None,
        limits: tuple[float, float] = (0.0, 1.0),
        threshold: float = 0.0,
        opacity: float = 1.0,
    ) -> DevicePicture:
        """Paint a layer over what is there.

        Parameters
        ----------
        layer : object
            One of numbers, of the same cells.
        colors : ColorScale, optional
            A scale, in place of `limits` and `threshold`.
        limits : tuple[float, float], optional
            The values that get the end colours.
        threshold : float, optional
            What is there stays where `abs(value) <= threshold`.
        opacity : float, optional
            0 to 1.

        Raises
        ------
        InvalidValue
            For a layer of other cells or of vectors.
        """
        scale = ColorScale(*limits, threshold=threshold) if colors is None else colors
        if not self.space.same_cells(getattr(layer, "space", None)):
            raise InvalidValue(
                "A picture is of layers of its own cells",
                got=repr(layer)[:80],
                remedy="Make a picture of layer.space",
            )
        start, end = (scale.high, scale.low) if scale.high <= 0 else (scale.low, scale.high)
        table = np.array(scale.table, dtype=np.uint32) @ np.array([1, 1 << 8, 1 << 16], np.uint32)
        place = table.tobytes()
        if place not in self._tables:
            self._tables[place] = self.device.buffer(table.astype(np.uint32))
        parameters = self._block(
            low=scale.low,
            high=scale.high,
            start=start,
            factor=1 / (end - start),
            last=len(table) - 1,
            threshold=-1.0 if scale.threshold is None else scale.threshold,
            opacity=checks.fraction("opacity", opacity),
        )
        batch = self.device.batch()
        self._run(batch, "layer", parameters, self._values(layer), self._tables[place])
        self._run(batch, "rims", self._block())
        self.device.submit(batch)
        return self

    def add_swarm(
        self, swarm: Swarm, *, color: Color = "#ffffff", opacity: float = 0.6, length: int = 1
    ) -> DevicePicture:
        """Paint agents over what is there.

        Parameters
        ----------
        swarm : Swarm
            Agents on the same cells.
        color : Color, optional
            Theirs.
        opacity : float, optional
            Of one agent, above 0 and at most 1; where many are, they cover more.
        length : int, optional
            1 for dots, up to 64 for darts of so many pixels, brightest at their heads.
        """
        if not isinstance(swarm, Swarm) or not self.space.same_cells(swarm.space):
            raise InvalidValue(
                "A picture is of agents on its own cells",
                got=repr(swarm)[:80],
                remedy="Make a picture of swarm.space",
            )
        pixels = checks.integer("length", length, minimum=1, maximum=_LONGEST)
        if not len(swarm):
            return self
        red, green, blue = parse_color(color)
        held = swarm._held
        agents = held.buffer if swarm.device is self.device else self.device.buffer(swarm.agents)
        parameters = self._block(
            opacity=checks.fraction("opacity", opacity),
            count=len(swarm),
            color=red | green << 8 | blue << 16,
            length=pixels,
        )
        batch = self.device.batch()
        beside = (self._none, self._none, agents, self._glow)
        self._run(
            batch, "agents_glow", parameters, *beside, groups=self.device.groups(len(swarm), 256)
        )
        self._run(batch, "glowing", parameters, *beside)
        self.device.submit(batch)
        return self

    def pixels(self) -> NDArray[np.uint8]:
        """The picture, read back: uint8 of shape (H, W, 4), for `save_png` and `Film.add`."""
        return self.device.read(self._pixels, np.uint8, (self.height, self.width, 4))

    def shown_on(self, view: Any, texture_format: str) -> None:
        """Show the picture on a texture of the device, as large as that is."""
        self.device.show(view, texture_format, self._pixels, (self.width, self.height))

    # Parts

    def _values(self, layer: Any) -> Buffer:
        field = lives_on(self.device, layer)
        if field is not None and not getattr(field, "vector", False):
            return field.now
        return self.device.buffer(np.ascontiguousarray(layer.values, dtype=np.float32))

    def _colors(self) -> Buffer:
        version = self.space.walls_version
        if self._ground is None or self._ground[0] != version:
            kinds, colors = ground_kinds(self.space)
            words = colors.astype(np.uint32) @ np.array([1, 1 << 8, 1 << 16], np.uint32)
            walls = self.space.walls.astype(np.uint32) << np.uint32(24)
            self._ground = (version, self.device.buffer((words[kinds] | walls).astype(np.uint32)))
        return self._ground[1]

    def _block(self, **given: Any) -> Buffer:
        size = {"width": self.space.width, "height": self.space.height, "scale": self.scale}
        rim = {"rim": RIM[0] | RIM[1] << 8 | RIM[2] << 16}
        thick = {"thick": min(max(1, round(self.scale / 4)), 3)}
        words = (_USUAL | size | rim | thick | given).values()
        return self.device.uniform(struct.pack("<IIIIffffIffIIIII", *words))

    def _run(
        self,
        batch: Batch,
        entry: str,
        parameters: Buffer,
        *more: Buffer,
        groups: tuple[int, ...] | None = None,
    ) -> None:
        whole = -(-self.width // _TILE[0]), -(-self.height // _TILE[1])
        given = (parameters, self._pixels, self._colors(), *more)
        batch.dispatch(_FILES, entry, _BINDINGS[entry], groups or whole, *given)
