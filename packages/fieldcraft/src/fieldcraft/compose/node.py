"""The tree behind an expression: what is calculated from what, and nothing about maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft.kernels.reference import compose as reference

__all__ = ["BEYOND", "CODES", "RANGED", "Node", "number", "operation"]

CODES = {
    "copy": reference.COPY,
    "negate": reference.NEGATE,
    "abs": reference.ABS,
    "exp": reference.EXP,
    "add": reference.ADD,
    "subtract": reference.SUBTRACT,
    "multiply": reference.MULTIPLY,
    "divide": reference.DIVIDE,
    "minimum": reference.MINIMUM,
    "maximum": reference.MAXIMUM,
    "less": reference.LESS,
    "less_equal": reference.LESS_EQUAL,
    "equal": reference.EQUAL,
    "unequal": reference.UNEQUAL,
    "where": reference.WHERE,
    "clamp": reference.CLAMP,
    "multiply_add": reference.MULTIPLY_ADD,
    "multiply_subtract": reference.MULTIPLY_SUBTRACT,
    "subtract_multiply": reference.SUBTRACT_MULTIPLY,
}
RANGED = (
    "low",
    "high",
    "span",
    "peak",
)  # numbers that are only known once the input's values have been looked through
BEYOND = ("add", "subtract", "multiply", "divide")  # what can lead beyond float32


class Node:
    """One step of a calculation.

    `kind` is an operation of `CODES` or a number of `RANGED` over `inputs`; or it has no inputs and
    `payload` is what it
    reads: a "number", an "array" of float32, or a "map". `bound` is a magnitude that the values are
        known to keep.
    """

    __slots__ = ("bound", "inputs", "kind", "payload")

    def __init__(
        self,
        kind: str,
        inputs: tuple[Node, ...] = (),
        payload: Any = None,
        bound: float | None = None,
    ) -> None:
        self.kind = kind
        self.inputs = inputs
        self.payload = payload
        self.bound = bound


def number(value: float) -> Node:
    """A number, rounded to float32."""
    return Node("number", payload=np.float32(value))


def operation(kind: str, *inputs: Node, bound: float | None = None) -> Node:
    """One operation; of numbers only, it is done at once."""
    if all(node.kind == "number" for node in inputs):
        rows = [np.full(1, node.payload, dtype=np.float32) for node in inputs]
        return Node(
            "number", payload=reference.held(reference.apply(CODES[kind], *(rows * 3)[:3]))[0]
        )
    return Node(kind, inputs, bound=bound)
