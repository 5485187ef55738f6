"""Links that carry a session."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.commands.recipe import read_recipe
from fieldcraft_lab import orders, replay
from fieldcraft_lab.live_recipe import LiveRecipe
from fieldcraft_lab.replay import with_view
from fieldcraft_lab.session import Session
from support.refusals import refused
from support.sessions import SMOKE, recipe_world

BEGIN = "http://127.0.0.1:4444/#token=a-token-of-old&state=eyJ2aWV3cyI6W119"


def link_to(session: Session, folder: Path) -> str:
    session.save(folder / "linked.lab")
    data = base64.urlsafe_b64encode((folder / "linked.lab").read_bytes()).decode()
    return f"{BEGIN}&session={data}"


def test_a_link_brings_its_session_back_and_its_view(tmp_path: Path) -> None:
    session = Session(recipe_world(tmp_path))
    session.step(7)
    session.apply(orders.Tune("threat", "decay", 0.5))
    session.step(5)
    link = link_to(session, tmp_path)
    again = replay.session_of(link)
    again.seek(again.furthest)
    assert (again.moment, again.digest()) == (12, session.digest())
    assert (
        with_view("http://127.0.0.1:5/#token=new", link)
        == "http://127.0.0.1:5/#token=new&state=eyJ2aWV3cyI6W119"
    )


@pytest.mark.parametrize("wrap", ["x", "y"])
def test_a_link_brings_back_along_which_axis_a_map_wraps(tmp_path: Path, wrap: str) -> None:
    path = tmp_path / "strip.toml"
    path.write_text(
        f'[map]\ngenerate = "empty"\nwidth = 12\nheight = 7\nwrap = "{wrap}"\n'
        "[layers.threat]\ndecay = 0.2\n"
        '[[sources]]\nlayer = "threat"\nposition = [0.5, 0.5]\nstrength = 5\n'
        "[run]\nseconds = 2\n"
    )
    session = Session(LiveRecipe(read_recipe(path)))
    session.step(7)
    session.apply(orders.Paint(((3.5, 0.5),), 0.0, True))
    session.step(5)
    again = replay.session_of(link_to(session, tmp_path))
    again.seek(again.furthest)
    assert again.live.imap.space.wrap == wrap
    assert again.digest() == session.digest()
    across = {"x": (11.5, 0.5), "y": (0.5, 6.5)}
    assert again.live.imap["threat"].sample(across[wrap]) > 3


def test_a_link_brings_back_a_drift(tmp_path: Path) -> None:
    path = tmp_path / "smoke.toml"
    path.write_text(SMOKE)
    session = Session(LiveRecipe(read_recipe(path)))
    session.step(3)
    session.apply(orders.Tune("smoke", "drift", (0.0, 4.0)))
    session.step(5)
    again = replay.session_of(link_to(session, tmp_path))
    again.seek(again.furthest)
    assert again.digest() == session.digest()
    assert again.live.imap["smoke"].propagation.drift == (0.0, 4.0)


NONE = [
    BEGIN,
    f"{BEGIN}&session=!",
    "http://[",
    f"{BEGIN}&session=" + "A" * (1 << 21),
    "https://127.0.0.1/#" + "a=1&" * 50,
]


@pytest.mark.parametrize("link", NONE, ids=range(len(NONE)))
def test_what_carries_no_session_is_refused(link: str) -> None:
    with refused(InvalidValue, "link"):
        replay.session_of(link)


@given(data=st.binary(max_size=200))
def test_other_bytes_are_no_session(data: bytes) -> None:
    with pytest.raises(FieldcraftError):
        replay.session_of(f"{BEGIN}&session={base64.urlsafe_b64encode(data).decode()}")
