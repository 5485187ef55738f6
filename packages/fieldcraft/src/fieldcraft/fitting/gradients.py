"""Formulas with their derivatives: values forward, gradients backward through the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.space import Grid
from fieldcraft.values.expression import PassExpression
from fieldcraft.values.formula import formula
from fieldcraft.values.passes import FunctionPass
from fieldcraft.values.tree import Node

_LEAST = float(np.finfo(np.float32).tiny)
_EXP_LIMIT = 60.0


def _divide(a: Floats, b: Floats) -> Floats:
    """Return a / b, 0 where b is 0."""
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))


def _inverse(b: Floats) -> Floats:
    """Return 1 / b, 0 where b is 0."""
    return _divide(np.ones_like(b), b)


def _where(condition: Floats, then: Floats, otherwise: Floats) -> Floats:
    """Return one of two values by a condition that is 0 or not."""
    return np.asarray(np.where(condition != 0, then, otherwise))


_FORWARD: dict[str, Callable[..., Floats]] = {
    "copy": lambda a: a,
    "negate": np.negative,
    "abs": np.abs,
    "exp": lambda a: np.exp(np.clip(a, -_EXP_LIMIT, _EXP_LIMIT)),
    "log": lambda a: np.log(np.maximum(a, _LEAST)),
    "sqrt": lambda a: np.sqrt(np.maximum(a, 0.0)),
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": _divide,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "less": lambda a, b: (a < b) * 1.0,
    "less_equal": lambda a, b: (a <= b) * 1.0,
    "equal": lambda a, b: (a == b) * 1.0,
    "unequal": lambda a, b: (a != b) * 1.0,
    "where": _where,
    "clamp": lambda a, b, c: np.minimum(np.maximum(a, b), c),
}
"""What each operation of an expression does, as in `kernels.values.map_operations`, in float64."""

_BACKWARD: dict[str, Callable[..., tuple[Floats, ...]]] = {
    "copy": lambda g, out, a: (g,),
    "negate": lambda g, out, a: (-g,),
    "abs": lambda g, out, a: (g * np.sign(a),),
    "exp": lambda g, out, a: (g * out * (np.abs(a) < _EXP_LIMIT),),
    "log": lambda g, out, a: (g * _inverse(a) * (a > _LEAST),),
    "sqrt": lambda g, out, a: (g * 0.5 * _inverse(out),),
    "add": lambda g, out, a, b: (g, g),
    "subtract": lambda g, out, a, b: (g, -g),
    "multiply": lambda g, out, a, b: (g * b, g * a),
    "divide": lambda g, out, a, b: (g * _inverse(b), -g * out * _inverse(b)),
    "minimum": lambda g, out, a, b: (g * (a < b), g * (b <= a)),
    "maximum": lambda g, out, a, b: (g * (a > b), g * (b >= a)),
    "where": lambda g, out, a, b, c: (0.0 * g, g * (a != 0), g * (a == 0)),
    "clamp": lambda g, out, a, b, c: (
        g * ((a > b) & (a < c)),
        g * ((a <= b) & (b < c)),
        g * (np.maximum(a, b) >= c),
    ),
}
"""The gradient of each operand, from that of the result; comparisons have none."""


def _is_curve(payload: object) -> bool:
    """Return whether a map is a function of another one's values whose gradient is known."""
    if not isinstance(payload, PassExpression) or not isinstance(payload.calculation, FunctionPass):
        return False
    return payload.written.verb in _BACKWARD


class Formula:
    """A formula over named maps and numbers, with the gradient of each name."""

    def __init__(self, text: str, names: Iterable[str]) -> None:
        imap = InfluenceMap(Grid(1, 1))
        self._names = {imap.add_layer(name, values=[[0.0]]): name for name in names}
        known = {name: layer for layer, name in self._names.items()}
        self._steps: list[tuple[str, tuple[int, ...], Any]] = []
        self._places: dict[Node, int] = {}
        self._add(formula(text, known).node)

    def _add(self, node: Node) -> int:
        """Append the steps of a node after those of its inputs; return its place."""
        if node not in self._places:
            kind = node.kind
            inputs = node.inputs
            payload = node.payload
            if kind == "map" and _is_curve(payload):
                kind = payload.written.verb
                inputs = (payload.written.operands[0].node,)
            elif kind == "map" and payload in self._names:
                payload = self._names[payload]
            elif kind != "number" and kind not in _FORWARD:
                if kind == "map":
                    got = payload.name
                else:
                    got = kind
                raise InvalidValue(
                    "A formula that is fitted computes each cell from the same cell",
                    got=got,
                    remedy="Leave out normalize, invert, smooth and roots other than sqrt",
                )
            step = (kind, tuple(self._add(each) for each in inputs), payload)
            self._steps.append(step)
            self._places[node] = len(self._steps) - 1
        return self._places[node]

    def values(self, known: Mapping[str, Floats]) -> list[Floats]:
        """Return the values of all steps, the formula's own last."""
        found: list[Floats] = []
        for kind, inputs, payload in self._steps:
            if kind == "number":
                found.append(np.float64(payload) * np.ones(()))
            elif kind == "map":
                found.append(known[payload])
            else:
                found.append(_FORWARD[kind](*(found[each] for each in inputs)))
        return found

    def gradients(self, values: list[Floats], gradient: Floats) -> dict[str, Floats]:
        """Return the gradient of each name from the `values` of all steps and the gradient of the
        last.
        """
        pulled: list[Any] = [0.0] * len(values)
        pulled[-1] = gradient
        found: dict[str, Floats] = {}
        for place in range(len(values) - 1, -1, -1):
            kind, inputs, payload = self._steps[place]
            if kind == "map":
                found[payload] = found.get(payload, 0.0) + pulled[place]
            elif kind in _BACKWARD:
                operands = (values[each] for each in inputs)
                parts = _BACKWARD[kind](pulled[place], values[place], *operands)
                for each, part in zip(inputs, parts, strict=True):
                    pulled[each] = pulled[each] + part
        return found
