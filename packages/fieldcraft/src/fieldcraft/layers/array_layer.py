"""Layers with an array of the user."""

from __future__ import annotations

from fieldcraft.layers.stamped_layer import StampedLayer


class ArrayLayer(StampedLayer, kind="array"):
    """A layer with an array of your own, which is written, stamped on and read. Walls hold values
    as other cells do; expressions read 0 there.
    """

    _instead = "Change it with layer.write(array), or add a layer with fc.Spread(...), say"

    @property
    def propagation(self) -> None:
        """None: values do not move from cell to cell."""
        return None
