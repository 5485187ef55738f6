"""Kernels that draw."""

from types import ModuleType

from fieldcraft.kernels.compiling.kernel_table import family


def __getattr__(name: str) -> ModuleType:
    return family(__name__, name)
