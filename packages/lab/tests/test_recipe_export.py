"""Edits of the lab, written into a recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

import fieldcraft as fc
from fieldcraft.commands.recipe import read_recipe
from fieldcraft_lab import orders
from fieldcraft_lab.live_recipe import LiveRecipe
from fieldcraft_lab.recipe_export import recipe_of, restore_recipe, writings
from fieldcraft_lab.session import Session
from support.refusals import refused
from support.sessions import RECIPE, SMOKE, recipe_world, small_map

pytest.importorskip("tomlkit", reason="tomlkit is not installed")


def tuned(tmp_path: Path) -> Session:
    """A session with every kind of edit before its first step that a recipe can contain."""
    session = Session(recipe_world(tmp_path))
    imap = session.live.imap  # type: ignore[attr-defined]
    camp = int(imap["threat"].sources.ids[0])
    session.apply(orders.Tune("threat", "decay", 0.5))
    session.apply(orders.Tune("threat", "half_life", None))
    session.apply(orders.Tune("known", "amount", 2.0))
    session.apply(orders.Strengthen("threat", camp, 6.5))
    session.apply(orders.Move("threat", camp, (20.5, 8.5)))
    session.apply(orders.Place("threat", (5.5, 12.5), 3.0))
    return session


def test_a_recipe_that_is_written_back_runs_to_the_same_values(tmp_path: Path) -> None:
    session = tuned(tmp_path)
    found = recipe_of(session, write=True)
    text = (tmp_path / "patrol.toml").read_text()
    assert found["text"] == text
    assert found["left_out"] == []
    assert "decay = 0.5      # how it weakens" in text  # in the same column
    assert "half_life" not in text
    assert "until = 1.0" in text
    assert [line for line in RECIPE.splitlines() if "name" in line] == [
        line for line in text.splitlines() if "name" in line
    ]
    again = Session(LiveRecipe(read_recipe(tmp_path / "patrol.toml")))
    again.step(15)
    session.step(15)
    for name in ("threat", "known"):
        assert (again.live.maps[name].values == session.live.maps[name].values).all()
    recipe_of(session, write=True)
    assert (tmp_path / "patrol.toml").read_text() == text


def test_a_drift_is_written_as_two_numbers(tmp_path: Path) -> None:
    path = tmp_path / "smoke.toml"
    path.write_text(SMOKE)
    session = Session(LiveRecipe(read_recipe(path)))
    session.apply(orders.Tune("smoke", "drift", (0.5, -3.0)))
    recipe_of(session, write=True)
    [line] = [line for line in path.read_text().splitlines() if "drift" in line]
    assert line.split("#")[0].strip() == "drift = [0.5, -3.0]"
    again = Session(LiveRecipe(read_recipe(path)))
    again.step(9)
    session.step(9)
    assert (again.live.maps["smoke"].values == session.live.maps["smoke"].values).all()
    assert session.live.maps["smoke"].sample((15.5, 6.5)) > 1


def test_a_source_that_is_removed_leaves_the_recipe(tmp_path: Path) -> None:
    session = Session(recipe_world(tmp_path))
    session.step(5)
    patrol = int(session.live.imap["threat"].sources.ids[1])  # type: ignore[attr-defined]
    session.apply(orders.Remove("threat", patrol))
    text = recipe_of(session)["text"]
    assert "patrol" not in text.replace("A patrol", "")
    assert "camp" in text
    assert (tmp_path / "patrol.toml").read_text() == RECIPE


def test_edits_that_a_recipe_cannot_contain_are_listed(tmp_path: Path) -> None:
    session = tuned(tmp_path)
    session.apply(orders.Paint(((3.5, 3.5),), 1.0))
    assert "painted walls" in recipe_of(session)["left_out"][0]
    (tmp_path / "patrol.toml").write_text(RECIPE + "\n# somebody else\n")
    with refused(fc.errors.InvalidValue, "changed by others"):
        recipe_of(session, write=True)
    with refused(fc.errors.InvalidValue, "Only the world of a recipe"):
        recipe_of(Session(small_map()))


def test_each_writing_can_be_undone(tmp_path: Path) -> None:
    session = tuned(tmp_path)
    path = tmp_path / "patrol.toml"
    recipe_of(session, write=True)
    first = path.read_text()
    session.apply(orders.Tune("threat", "decay", 0.75))
    recipe_of(session, write=True)
    restore_recipe(session)
    assert path.read_text() == first and writings(session.live) == 1
    restore_recipe(session)
    assert path.read_text() == RECIPE
    with refused(fc.errors.InvalidValue, "Write it first"):
        restore_recipe(session)
    recipe_of(session, write=True)
    path.write_text("# somebody else")
    with refused(fc.errors.InvalidValue, "changed by others"):
        restore_recipe(session)
    assert path.read_text() == "# somebody else"
    path.write_bytes(b"\xff\xfe no text")
    with refused(fc.errors.InvalidValue, "changed by others"):
        restore_recipe(session)
