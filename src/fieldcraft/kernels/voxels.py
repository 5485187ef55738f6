"""Voxels, fast: the functions of `fieldcraft.kernels.reference.voxels`, compiled as they stand there."""

from __future__ import annotations

from types import FunctionType

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.reference import voxels as reference

__all__ = ["beside", "floors", "rasterize"]

beside = kernel("i8[::1], i8[::1], i8[::1], i8[::1], i8, i8, i8, i8, out i8[:,::1]")(reference.beside)
floors = kernel("i8[::1], i8[::1], i8[::1], i8[::1], i8, i8, out i8[::1], out i8[::1], out i8[::1]")(reference.floors)
# The compiled `clip` takes the place of the plain one that `rasterize` calls.
_scope = {**vars(reference), "clip": kernel(reference.clip)}
_rasterize = FunctionType(reference.rasterize.__code__, _scope, "rasterize")
rasterize = kernel("f8[:,:,::1], i8[::1], i8, i8, out i8[::1], out i8[::1], out i8[::1], out i8[::1]")(_rasterize)
