"""Programs by the kernels that serve in this process, and by the same kernels uncompiled."""

from __future__ import annotations

import functools
import importlib
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from types import ModuleType

import pytest

from fieldcraft import kernels
from fieldcraft.kernels.compiling import tier
from support.forks import forked

_SHARED = {
    "compiling",
    "compiling.native",
    "compiling.tier",
    "compiling.table",
    "compiling.signatures",
    "compiling.pool",
    "compiling.jit",
    "shared.arrays",
}


def told_twice(program: str) -> tuple[list[str], list[str]]:
    """The words that a program prints by compiled kernels, and those by uncompiled ones."""
    here = io.StringIO()
    with redirect_stdout(here):
        exec(compile(program, "<program>", "exec", dont_inherit=True), {"__name__": "told"})
    done = forked(program, {"FIELDCRAFT_REFERENCE": str(int(kernels.compiled()))})
    assert done.returncode == 0, done.stderr
    told = (here.getvalue().split(), done.stdout.split())
    return told if kernels.compiled() else told[::-1]


@functools.cache
def _texts() -> dict[str, ModuleType]:
    """All families of kernels, loaded once more as if no compiler were there."""
    prefix = f"{kernels.__name__}."
    before = {name: module for name, module in sys.modules.items() if name.startswith(prefix)}
    known = dict(vars(kernels))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tier, "compiled", lambda: False)
        patch.setattr(tier, "library", lambda: None)
        try:
            for name in before:
                if name.removeprefix(prefix) not in _SHARED:
                    del sys.modules[name]
            return {name: importlib.import_module(prefix + name) for name in kernels.FAMILIES}
        finally:
            for name in [name for name in sys.modules if name.startswith(prefix)]:
                del sys.modules[name]
            sys.modules.update(before)
            for name in set(vars(kernels)) - set(known):
                delattr(kernels, name)
            vars(kernels).update(known)


def uncompiled(family: str) -> ModuleType:
    """A family of kernels as it runs where nothing is compiled, whatever serves here."""
    (name,) = (name for name in kernels.FAMILIES if name.rpartition(".")[2] == family)
    return _texts()[name]


@contextmanager
def plain() -> Iterator[None]:
    """Uncompiled kernels serve in this process."""
    for name in kernels.FAMILIES:  # all of them, before one imports another
        importlib.import_module(f"{kernels.__name__}.{name}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compiled", lambda: False)
        for name, text in _texts().items():
            folder, _, family = name.partition(".")
            patch.setattr(getattr(kernels, folder), family, text)
        yield
