"""Voxels, fast: the functions of `fieldcraft.kernels.reference.voxels`, compiled as they stand there."""

from __future__ import annotations

from types import FunctionType

from numba import njit

from fieldcraft.kernels.reference import voxels as reference

__all__ = ["beside", "floors", "rasterize"]

beside = njit(nogil=True, cache=True)(reference.beside)
floors = njit(nogil=True, cache=True)(reference.floors)
# The compiled `clip` takes the place of the plain one that `rasterize` calls.
_scope = {**vars(reference), "clip": njit(nogil=True, cache=True)(reference.clip)}
rasterize = njit(nogil=True, cache=True)(FunctionType(reference.rasterize.__code__, _scope, "rasterize"))
