"""Which process compiles which kernels."""

from __future__ import annotations

import pytest

from fieldcraft import kernels
from fieldcraft.kernels import prebuilt, warming

pytestmark = pytest.mark.skipif(
    not kernels.compiled() or prebuilt.serves(), reason="nothing is compiled in this process"
)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_parts_are_about_even_and_kernels_of_a_file_stay_together(parts: int) -> None:
    asked = warming.versions(
        ["spread", "spread_tiles", "trail", "visible", "sees", "best", "moving", "teams", "moves"]
    )
    found = warming.split(asked, parts)
    assert len(found) == parts
    assert sorted(map(id, (kernel for part in found for kernel in part))) == sorted(map(id, asked))
    loads = [sum(warming._effort(kernel) for kernel in part) for part in found]
    assert max(loads) < 1.5 * sum(loads) / parts
    files = {kernel.py_func.__module__ for kernel in asked}
    places = sum(len({kernel.py_func.__module__ for kernel in part}) for part in found)
    assert places < len(files) + parts


def test_more_parts_than_kernels_leave_none_empty() -> None:
    asked = warming.versions(["uphill", "sense"])
    assert [len(part) for part in warming.split(asked, 5)] == [1] * len(asked)
