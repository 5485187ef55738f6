"""What a refusal owes its reader, and that it changed nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fieldcraft.base.errors import FieldcraftError
from fieldcraft.layers import Layer


@contextmanager
def refused(kind: type[FieldcraftError], *fragments: str) -> Iterator[None]:
    """The block raises `kind`, and its message has the rule, what came, a remedy, and these
    fragments.
    """
    with pytest.raises(kind) as caught:
        yield
    error = caught.value
    message = str(error)
    for part, name in (
        (error.rule, "rule"),
        (error.got, "received value"),
        (error.remedy, "remedy"),
    ):
        assert part, f"no {name}: {message}"
        assert part in message
    for fragment in fragments:
        assert fragment in message, f"{fragment!r} not in: {message}"


def state(layer: Layer) -> tuple[object, ...]:
    """Everything about a layer that a refused call must leave alone."""
    sources = layer.steps.sources.state()
    columns = sources["columns"].items()
    arrays = tuple((name, array.shape, array.tobytes()) for name, array in columns)
    return (
        layer.values.tobytes(),
        arrays,
        sources["keys"],
        layer.steps.sources.rows.next_expiry,
        layer.time,
        layer.every,
        layer.propagation,
        len(layer.steps.sources),
    )


@contextmanager
def unchanged(*layers: Layer) -> Iterator[None]:
    """The block leaves these layers exactly as they were."""
    before = [state(layer) for layer in layers]
    yield
    assert [state(layer) for layer in layers] == before
