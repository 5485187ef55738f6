"""Programs by the kernels that serve in this process, and by the others."""

from __future__ import annotations

import functools
import importlib.util
import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from types import ModuleType

import pytest

from fieldcraft import kernels
from fieldcraft.kernels import declare
from support.forks import forked


def told_twice(program: str) -> tuple[list[str], list[str]]:
    """The words that a program prints by the compiled kernels, and those that it prints by the
    plain references.
    """
    here = io.StringIO()
    with redirect_stdout(here):
        exec(compile(program, "<program>", "exec", dont_inherit=True), {"__name__": "told"})
    done = forked(program, {"FIELDCRAFT_REFERENCE": str(int(kernels.compiled()))})
    assert done.returncode == 0, done.stderr
    told = (here.getvalue().split(), done.stdout.split())
    return told if kernels.compiled() else told[::-1]


@functools.cache
def uncompiled(family: str) -> ModuleType:
    """The text of a family of kernels, run plain, whatever serves in this process; what it takes
    from other files is as it is there.
    """
    spec = importlib.util.find_spec(f"fieldcraft.kernels.{family}")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declare, "_made", lambda function, declared, options: function)
        spec.loader.exec_module(module)
    return module


@contextmanager
def plain() -> Iterator[None]:
    """The plain tier serves in this process."""
    load = kernels.load

    def spelled_out(name: str) -> ModuleType:
        found: ModuleType = load(name)
        return found if found.__name__.split(".")[2] in ("plain", "reference") else uncompiled(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compiled", lambda: False)
        patch.setattr(kernels, "load", spelled_out)
        yield
