"""Games in the lab: the same match from the same orders, back and forth, and in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.base.errors import FieldcraftError
from fieldcraft.view import TEAM_COLORS
from fieldcraft_lab import Session
from fieldcraft_lab.answers import probe
from fieldcraft_lab.opening import opened
from fieldcraft_worlds.play.lab import Act, LiveGame, Turn, open_game


@pytest.mark.parametrize("name", ["towers", "flock", "tether"])
def test_a_match_comes_back_bit_for_bit(name: str, tmp_path: Path) -> None:
    session = Session(open_game(name))
    live = session.live
    assert isinstance(live, LiveGame)
    low, high = live.space.extent
    middle = tuple(((low + high) / 2).tolist())
    session.step(12)
    for action, _, needs_position, *_ in live.actions:
        if needs_position:
            try:
                session.apply(Act(action, middle))
            except FieldcraftError:
                continue
    for each in [each for found in live.controls({}).values() for each in found["controls"]][:1]:
        session.apply(Turn(each["name"], each["low"]))
    session.step(25)
    digest = session.digest()
    assert all(shown.values.shape == live.space.shape for shown in session.live.maps.values())
    session.seek(3)
    assert session.digest() != digest
    session.seek(37)
    assert session.digest() == digest
    session.save(tmp_path / "match.lab")
    assert Session.load(tmp_path / "match.lab").digest() == digest


def test_what_a_game_does_not_know_is_refused() -> None:
    session = Session(open_game("flock"))
    for order in (Act("fly"), Turn("wings", 2.0)):
        with pytest.raises(FieldcraftError):
            session.apply(order)
    assert session.log == ()


@pytest.mark.parametrize(("name", "field"), [("tether", "long tether"), ("towers", "influence")])
def test_why_in_a_game_lists_the_units_with_their_shares(name: str, field: str) -> None:
    live = open_game(name)
    for _ in range(40):
        live.step()
    values = live.maps[field].values
    cell = int(np.abs(values).argmax())
    position = tuple(live.space.position_of(cell).tolist())
    found = probe(live, live.maps[field], position, field)
    shares = [abs(unit["amount"]) for unit in found["units"]]
    assert shares and shares == sorted(shares, reverse=True) and "why" not in found
    amounts = sum(unit["amount"] for unit in found["units"])
    assert amounts == pytest.approx(float(values.reshape(-1)[cell]), rel=1e-3)
    near = probe(live, live.maps[field], position, "a formula")["units"]
    gaps = [unit["distance"] for unit in near]
    assert len(gaps) > 1 and gaps == sorted(gaps) and near[0]["amount"] is None


def test_games_are_opened_by_their_names_only() -> None:
    with pytest.raises(FieldcraftError, match="Did you mean 'teams'"):
        opened("games")
    with pytest.raises(FieldcraftError) as refused:
        opened("zzz")
    assert "tether" in str(refused.value) and "games" not in str(refused.value)


def test_both_pheromones_are_drawn_together_in_two_colors() -> None:
    """The page mixes them as it mixes teams; a velocity trail is one map."""
    live = open_game("ants")
    for _ in range(150):
        live.step()
    assert live.teams() == [("to food", TEAM_COLORS[1]), ("to home", TEAM_COLORS[0])]
    assert "trails" not in live.maps
    values = {name: live.maps[name].values for name, _ in live.teams()}
    assert all(found.any() for found in values.values())
    assert (values["to food"] != values["to home"]).any()
    assert live.at(live.keyframe()).teams() == live.teams()
    velocity = open_game("ants", ("trails=velocity",))
    assert velocity.teams() == [] and "trails" in velocity.maps
    assert open_game("towers").teams() == []


def test_a_side_has_the_name_of_its_team() -> None:
    """There is no third side in a game of two, and choices are told from actions."""
    actions = open_game("towers").actions
    sides = [each.label for each in actions if each.group == "side"]
    assert sides == ["blue", "orange"]
    assert [each.label for each in actions if each.group == "route"] == ["short path", "safe path"]
    assert "begin" in [each.name for each in actions if not each.group]
