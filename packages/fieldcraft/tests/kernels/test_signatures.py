"""Argument types as they are written above kernels, and kernels that keep to them."""

from __future__ import annotations

import pytest

from fieldcraft.kernels.signatures import Argument, parse


def test_what_a_declaration_says() -> None:
    assert parse("u1[:,::1], f8, out f4[::1], (i8, f4[:,:]), none") == (
        Argument("u1", 2),
        Argument("f8"),
        Argument("f4", 1, written=True),
        Argument("", items=(Argument("i8"), Argument("f4", 2, dense=False))),
        Argument(""),
    )


@pytest.mark.parametrize("text", ["f3", "f4[", "float", "out", "f4[:,::1] f4"])
def test_what_declares_nothing(text: str) -> None:
    with pytest.raises(ValueError, match="Got"):
        parse(text)
