"""The house as CONTRIBUTING draws it is the one that import-linter holds us to."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import grimp
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


def floors(package: str) -> list[set[str]]:
    """The rooms of a package, each one floor above the highest that it imports."""
    graph = grimp.build_graph("fieldcraft", "fieldcraft_worlds", exclude_type_checking_imports=True)
    below: dict[str, set[str]] = {}
    for module in graph.modules:
        if (room := room_of(module, package)) is not None:
            others = {room_of(other, package) for other in graph.find_modules_directly_imported_by(module)}
            below.setdefault(room, set()).update(other for other in others - {room, None} if other is not None)
    found = []
    while below:
        free = {room for room, others in below.items() if not others & below.keys()}
        assert free, f"rooms in a circle: {below}"
        found.append(free)
        below = {room: others for room, others in below.items() if room not in free}
    return found


def room_of(module: str, package: str) -> str | None:
    first, *rest = module.split(".")
    return rest[0] if first == package and rest and rest[0] != "__main__" else None


@pytest.mark.parametrize(("package", "nth"), [("fieldcraft", 0), ("fieldcraft_worlds", 1)])
def test_imports_alone_name_the_rooms_in_order(package, nth):
    drawing = re.findall(r"^```\n(.*?)^```", (HOME / "docs" / "house.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[nth]
    assert floors(package) == [set(line.split()) for line in drawing.splitlines()]
