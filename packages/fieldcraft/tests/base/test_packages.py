"""Optional packages of the project."""

from __future__ import annotations

import inspect
import pydoc

import pytest

import fieldcraft as fc
from fieldcraft.base import packages


@pytest.mark.usefixtures("alone")
def test_the_library_can_be_inspected_without_the_other_packages() -> None:
    assert not hasattr(fc, "gpu") and not hasattr(fc, "lab")
    assert not {"gpu", "lab"} & set(dir(fc))
    assert "Grid" in dict(inspect.getmembers(fc))
    assert "fc.names()" in pydoc.render_doc(fc, renderer=pydoc.plaintext)
    with pytest.raises(AttributeError, match=r"fc\.gpu needs.*pip install '\./packages/gpu'"):
        _ = fc.gpu
    with pytest.raises(ImportError, match=r"fc\.gpu needs.*pip install '\./packages/gpu'"):
        fc.InfluenceMap(fc.Grid(3, 2), device="gpu")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library without the other packages of the project."""
    monkeypatch.setattr(packages, "_point", lambda name: None)
    packages.package.cache_clear()
