"""Kernels of sight, fields of view and shots."""

from types import ModuleType

from fieldcraft.kernels.compiling.kernel_table import family


def __getattr__(name: str) -> ModuleType:
    return family(__name__, name)
