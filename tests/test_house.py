"""The house as CONTRIBUTING draws it is the one that import-linter holds us to."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
CONTRACTS = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
DRAWN = re.findall(r"^```\n(.*?)^```", (HOME / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def rooms(drawing: str) -> list[set[str]]:
    """The rooms that are drawn, from the ground up: before the last column of each line, two with "and" between them on one floor."""
    return [
        {name.strip("/") for name in floor.split(" and ")}
        for line in drawing.splitlines()
        for floor in re.split(r" {2,}", line.strip())[:-1]
    ]


@pytest.mark.parametrize("package", ["fieldcraft", "fieldcraft_worlds"])
def test_contributing_draws_the_rooms_in_the_order_of_the_contract(package):
    layers = next(contract["layers"] for contract in CONTRACTS if contract.get("containers") == [package])
    wanted = [set(layer.split(" | ")) for layer in reversed(layers)]
    assert wanted in [rooms(drawing) for drawing in DRAWN]


def test_every_room_is_there():
    for package in ("fieldcraft", "fieldcraft_worlds"):
        layers = next(contract["layers"] for contract in CONTRACTS if contract.get("containers") == [package])
        for room in {name for layer in layers for name in layer.split(" | ")}:
            place = HOME / "src" / package / room
            assert place.is_dir() or place.with_suffix(".py").is_file(), room
