"""Which of its two files a kernel family is loaded from."""

from __future__ import annotations

import pytest

from fieldcraft import kernels


def test_the_reference_is_loaded_where_the_compiled_kernels_are_not_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    for compiled, name in ((False, "fieldcraft.kernels.reference.moves"), (kernels.compiled(), kernels.load("moves").__name__)):
        monkeypatch.setattr(kernels, "compiled", lambda compiled=compiled: compiled)
        assert kernels.load("moves").__name__ == name
        assert kernels.load("moves") is kernels.load("moves")
    assert (kernels.load("moves").__name__ == "fieldcraft.kernels.moves") == kernels.compiled()


def test_a_family_that_does_not_exist() -> None:
    with pytest.raises(ModuleNotFoundError):
        kernels.load("nothing")
