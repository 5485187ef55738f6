"""Shaders that are wrong in one place: the comparison with the CPU finds each of them."""

from __future__ import annotations

from typing import Any

import pytest

from fieldcraft_gpu import Device, comparison

WRONG = {
    "Trail, 3 x 3, with stamps": [
        (
            "kept(kept(over + level, p.zero) + under, p.zero)",
            "kept(over + kept(level + under, p.zero), p.zero)",
        ),  # another order of sums
        (
            "if (mine.y == atomicLoad(&keys[at]))",
            "if (mine.y <= atomicLoad(&keys[at]))",
        ),  # low words of another high one
        (
            "let up = below(half, rest) ||",
            "let up = rest.x < 0u ||",
        ),  # doubles cut where they should be rounded
        ("if (before + amount.x < before) { high += 1u; }", ""),  # a carry that is lost
    ],
    "Trail, 7 x 7, losing at edges": [("i < run.y;", "i < run.x;")],
    "Spread, exponential, 8 neighbors": [
        ("kept(value * loss, p.zero)", "kept(value * loss, p.zero) * 1.0000001")
    ],
    "Radial, among walls": [("put(p.plane + cells[i]", "put(p.plane + cells[i] + 1u")],
    "Radial, straight, on a torus": [
        ("y = ((y % height) + height) % height", "y = abs(y) % height"),
        ("rounded(a.size, 29u)", "lowered(a.size, 29u)"),
    ],
    "Fade, marks around cells": [
        ("atomicMax(&ends", "atomicMin(&ends"),
        ("id.y % p.rows", "id.y & 7u"),
    ],
    "Swarm, following and foraging": [
        ("0x846ca68bu", "0x846ca68du"),  # other dice
        ("atomicMin(&claims", "atomicMax(&claims"),  # another ant is served
        ("min((mind >> 17u) + 1u, 32767u)", "min((mind >> 17u) + 2u, 32767u)"),
    ],
    "Swarm, all weights, on a torus": [
        ("let top = max(exponent(bits.x), exponent(bits.y));", "let top = exponent(bits.x) + 1;")
    ],
}


@pytest.mark.parametrize(
    ("case", "right", "wrong"),
    [(case, *change) for case, changes in WRONG.items() for change in changes],
)
def test_a_wrong_shader_is_found(
    device: Device, monkeypatch: pytest.MonkeyPatch, case: str, right: str, wrong: str
) -> None:
    compiled = type(device).compiled
    changed: list[str] = []

    def mistaken(self: Device, code: str, *rest: Any) -> Any:
        if right in code:
            changed.append(right)
        return compiled(self, code.replace(right, wrong), *rest)

    monkeypatch.setattr(type(device), "compiled", mistaken)
    monkeypatch.setattr(device, "_shaders", {})
    monkeypatch.setattr(comparison, "_SWARM_STEPS", 15)
    monkeypatch.setattr(comparison, "CASES", {case: comparison.CASES[case]})
    ((_, differ),) = comparison.differences(device)
    assert changed
    assert differ > 0
