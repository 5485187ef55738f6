"""A propagation that fieldcraft does not have is one class with its field, and a row in a table:
all else follows.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import BadRecipe, WrongLayer
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.recipe.world import World
from fieldcraft.layers.propagation import PROPAGATIONS, Field
from fieldcraft.layers.propagation.propagation import Spreading
from fieldcraft.layers.propagation.settings import number
from fieldcraft.layers.sources import Sources
from fieldcraft.view import frame
from support.propagations import others
from support.refusals import refused
from tools.recipe_tables import settings_table, updated


@dataclass(frozen=True)
class Even(Spreading):
    """Values go a part of the way to the mean of their four neighbors in each step."""

    rate: float = dataclasses.field(default=0.5, metadata=number("Part of the way.", high=1.0))

    _verb = "evens out"

    def field(self, space: Any, every: float) -> EvenField:
        return EvenField(self, space)


class EvenField(Field):
    def __init__(self, even: Even, space: fc.Grid) -> None:
        self.space, self.even = space, even
        self.values: NDArray[np.float32] = np.zeros(space.shape, dtype=np.float32)
        self._pins = (np.zeros(0, np.int64), np.zeros(0, np.float32))

    def write(self, values: NDArray[np.float32]) -> None:
        self.values[:] = np.where(self.space.walls, 0, values)

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        self.values.reshape(-1)[cells] = values

    def feed(self, sources: Sources) -> None:
        self._pins = sources.rows.pins("sum")

    def tune(self, even: Even, every: float) -> None:
        self.even = even

    def run(self, count: int) -> None:
        for _ in range(count):
            self.values.reshape(-1)[self._pins[0]] = self._pins[1]
            around = np.pad(self.values, 1)
            mean = (around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:]) / 4
            self.values += np.float32(self.even.rate) * (mean - self.values)
            self.values[self.space.walls] = 0

    def settle(self) -> None:
        self.run(1000)

    def state(self) -> dict[str, NDArray[Any]]:
        return {"values": self.values}

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        self.values[:] = state["values"]


RECIPE = """
[map]
generate = "empty"
width = 9
height = 5

[layers.heat]
propagation = "even"
rate = {rate}

[[sources]]
layer = "heat"
position = [4.5, 2.5]
strength = 3

[run]
seconds = 1
"""


@pytest.fixture(autouse=True)
def row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROPAGATIONS, "even", Even)  # the row


def test_its_layer_takes_sources_and_deposits_and_is_saved(tmp_path: Path) -> None:
    walls = np.zeros((5, 9), bool)
    walls[0, 3] = True
    imap = fc.InfluenceMap(fc.Grid(9, 5, walls=walls))
    layer = imap.add_layer("heat", Even(0.4))
    assert isinstance(layer, fc.layer.SpreadLayer)
    layer.sync(["fire"], [(4.5, 2.5)], 3.0)
    layer.deposit((1.5, 1.5), 2.0)
    imap.advance(0.25)
    imap.save(tmp_path / "heat.save")
    others = (imap.copy(), fc.InfluenceMap.load(tmp_path / "heat.save"))
    for each in (imap, *others):
        each.advance(0.3)
        each.layer("heat", fc.layer.SpreadLayer).tune(rate=0.1)
        each.step(2)
    for other in others:
        np.testing.assert_array_equal(other["heat"].values, layer.values)
    assert layer.values[2, 5] > 0
    assert layer.values[0, 3] == 0
    assert fc.explain(layer, (1.5, 1.5)).remainder_is == "from no source"
    assert not hasattr(layer, "mark")
    with refused(WrongLayer, "fc.Fade"):
        layer.mark((1.5, 1.5))


def test_a_recipe_knows_its_settings_and_its_checks(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE.format(rate=0.25))
    recipe = read_recipe(path)
    assert recipe.layers[0].propagation == Even(0.25)
    world = World(recipe)
    world.go_to(1.0)
    assert world.imap["heat"].values[2, 5] > 0
    path.write_text(RECIPE.format(rate=2))
    with pytest.raises(BadRecipe, match="rate is in"):
        read_recipe(path)
    path.write_text(RECIPE.format(rate="0.5\ndecay = 1"))
    with pytest.raises(BadRecipe, match="no key 'decay'"):
        read_recipe(path)


def test_it_is_drawn() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    layer = imap.add_layer("heat", Even(0.5))
    layer.add_source((4.5, 2.5), 3.0)
    imap.step(3)
    assert frame(layer, size=90).shape == (50, 90, 4)


def test_the_lab_has_a_control_for_each_setting() -> None:
    controls = pytest.importorskip("fieldcraft_lab.controls").controls
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    found = {
        control["name"]: control for control in controls(imap, imap.add_layer("heat", Even(0.5)))
    }
    assert set(found) == {"rate", "every"}
    assert (found["rate"]["low"], found["rate"]["high"], found["rate"]["value"]) == (0, 1, 0.5)


def test_the_documentation_has_a_table_of_its_settings() -> None:
    assert "| `rate` | Part of the way | 0 to 1 | `0.5` |" in settings_table(Even)
    guide = updated("# Guide\n\n<!-- spread -->\n<!-- end of spread -->\n\n## Sources\n")
    tables, rest = guide.split("## Sources")
    assert f"<!-- even -->\n{settings_table(Even)}\n<!-- end of even -->" in tables
    assert "**Even.** Values go a part of the way" in tables
    assert not rest.strip()
    assert updated(guide) == guide


def test_messages_name_it_as_it_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fc.propagation, "Even", Even, raising=False)
    layer = fc.InfluenceMap(fc.Grid(9, 5)).add_layer("trail", fc.Trail())
    with refused(WrongLayer, "fc.Spread", "fc.propagation.Even"):
        layer.add_source((1.5, 1.5))  # type: ignore[attr-defined]


def test_laws_about_all_propagations_take_it() -> None:
    assert others(*(kind for name, kind in PROPAGATIONS.items() if name != "even")) == [Even()]
