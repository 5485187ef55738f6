"""Kernels that are compiled as one piece with all that they call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft import kernels
from fieldcraft.kernels.store import Store

pytestmark = pytest.mark.skipif(
    not kernels.compiled() or kernels.prebuilt.serves(),
    reason="nothing is compiled in this process",
)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A kernel that returns arrays, and another one that it calls, in a store of their own."""
    from fieldcraft.kernels import jit

    monkeypatch.setattr(jit, "store", lambda: Store(tmp_path))

    def squares(count):  # type: ignore[no-untyped-def]
        found = np.empty(count, np.int64)
        for i in range(count):
            found[i] = i * i
        return found

    def both(count):  # type: ignore[no-untyped-def]
        found = inner(count)
        return found[:2], found

    inner = jit.compiled(squares, ("i8",), {})
    return jit.compiled(both, ("i8",), {}), inner, tmp_path


def test_what_a_kernel_calls_has_no_machine_code_until_python_calls_it(made: Any) -> None:
    from fieldcraft.kernels import pieces

    outer, inner, folder = made
    start, whole = outer(4)
    assert start.tolist() == [0, 1]
    assert whole.tolist() == [0, 1, 4, 9]
    assert all(pieces.is_loose(version) for version in inner.overloads.values())
    assert [path.name.partition("-")[0] for path in folder.iterdir()] == ["test_pieces.both"]
    assert inner(3).tolist() == [0, 1, 4]
    assert len(list(folder.iterdir())) == 2


def test_a_kernel_of_others_is_called_with_types_that_nobody_declared(made: Any) -> None:
    from fieldcraft.kernels import jit

    def larger(one, other):  # type: ignore[no-untyped-def]
        return max(one, other)

    free = jit.compiled(larger, (), {})
    assert free(2, 3) == 3
    assert free(2.5, 1.5) == 2.5


def test_the_code_of_users_shares_what_ours_was_compiled_with(made: Any) -> None:
    import numba

    outer, _, _ = made
    outer(4)

    @numba.njit
    def theirs(count: int) -> Any:
        if count < 0:
            raise ValueError("nothing has fewer than none")
        return np.empty(count, np.int64)

    assert theirs(3).shape == (3,)
    with pytest.raises(ValueError, match="fewer"):
        theirs(-1)
    with pytest.raises(ValueError, match="negative"):
        numba.njit(lambda count: np.empty(count, np.int64))(-1)
