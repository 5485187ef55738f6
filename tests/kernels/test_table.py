"""One table of kernels, and one place that decides which tier answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from fieldcraft import kernels

_FOLDER = Path(kernels.__file__).parent
_MACHINERY = {"ahead", "declare", "fingerprint", "jit", "llvm", "pool", "prebuilt", "signatures", "store", "table", "tier", "warming"}


def test_the_plain_tier_answers_where_the_compiled_one_is_not_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    serving = kernels.compiled()
    for compiled, name in ((False, "fieldcraft.kernels.plain.moves"), (serving, kernels.moves.__name__)):
        monkeypatch.setattr(kernels, "compiled", lambda compiled=compiled: compiled)
        assert kernels.moves.__name__ == name
        assert kernels.moves is kernels.moves
    assert (kernels.moves.__name__ == "fieldcraft.kernels.moves") == serving


def test_a_family_that_does_not_exist() -> None:
    with pytest.raises(AttributeError, match="FAMILIES"):
        _ = kernels.nothing


def test_what_kernels_share_is_no_family() -> None:
    files = {path.stem for path in _FOLDER.glob("*.py")} - _MACHINERY - {"__init__"}
    assert set(kernels.FAMILIES) <= files
    assert files - set(kernels.FAMILIES) == {"buckets", "chance", "goals", "heap", "lanes", "spread_cells", "spread_rows"}
