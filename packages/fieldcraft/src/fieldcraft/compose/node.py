"""The tree behind an expression: what is calculated from what, and nothing about maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft.kernels import numpy_compose as operations

__all__ = ["BEYOND", "CODES", "RANGED", "Node", "number", "operation"]

CODES = {
    "copy": operations.COPY,
    "negate": operations.NEGATE,
    "abs": operations.ABS,
    "exp": operations.EXP,
    "add": operations.ADD,
    "subtract": operations.SUBTRACT,
    "multiply": operations.MULTIPLY,
    "divide": operations.DIVIDE,
    "minimum": operations.MINIMUM,
    "maximum": operations.MAXIMUM,
    "less": operations.LESS,
    "less_equal": operations.LESS_EQUAL,
    "equal": operations.EQUAL,
    "unequal": operations.UNEQUAL,
    "where": operations.WHERE,
    "clamp": operations.CLAMP,
    "multiply_add": operations.MULTIPLY_ADD,
    "multiply_subtract": operations.MULTIPLY_SUBTRACT,
    "subtract_multiply": operations.SUBTRACT_MULTIPLY,
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
            "number", payload=operations.held(operations.apply(CODES[kind], *(rows * 3)[:3]))[0]
        )
    return Node(kind, inputs, bound=bound)
