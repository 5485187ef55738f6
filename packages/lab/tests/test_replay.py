"""Runs played again, filmed, and compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.commands.command_line import main
from fieldcraft_lab import orders, replay
from fieldcraft_lab.live import LiveMap
from fieldcraft_lab.session import Session
from support.refusals import refused
from support.sessions import recipe_world, small_map


def saved(tmp_path: Path, name: str, decay: float | None = None) -> Path:
    session = Session(recipe_world(tmp_path))
    session.step(12)
    if decay is not None:
        session.apply(orders.Tune("threat", "decay", decay))
    session.step(10)
    session.save(tmp_path / name)
    return tmp_path / name


def test_two_runs_differ_after_an_order_that_only_one_of_them_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = saved(tmp_path, "a.lab"), saved(tmp_path, "b.lab", decay=0.5)
    picture = tmp_path / "both.png"
    assert main(["diff", str(a), str(b), "--picture", str(picture)]) == 1
    out = capsys.readouterr().out
    assert "differ from step 13" in out
    assert "layer 'threat'" in out
    assert (
        "Only the second run has at step 12: Tune(layer='threat', name='decay', value=0.5)" in out
    )
    assert picture.stat().st_size > 1000
    assert main(["diff", str(a), str(a)]) == 0
    assert "agree, bit for bit, to step 22" in capsys.readouterr().out


def test_a_difference_of_one_bit_in_one_cell_is_found() -> None:
    sessions = [Session(small_map()) for _ in range(2)]
    for session in sessions:
        session.step(5)
    sessions[1].apply(orders.Deposit("scent", (4.5, 9.5), 2.0**-12))
    found = replay.difference(sessions[0], sessions[1], 9)
    assert found is not None
    assert (found.moment, found.layer) == (6, "scent")
    assert sessions[0].live.space.cell_at((4.5, 9.5)) == found.cell
    a, b = (np.asarray(session.live.maps["scent"].values) for session in sessions)
    assert (a != b).sum() == found.cells


def test_a_replay_ends_at_the_same_digest_and_is_filmed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(tmp_path, "a.lab", decay=0.5)
    whole = Session.load(file)
    assert main(["replay", str(file), "--record", str(tmp_path / "run.gif"), "--orders"]) == 0
    out = capsys.readouterr().out
    assert whole.digest() in out
    assert "Tune(" in out
    assert (tmp_path / "run.gif").stat().st_size > 500
    whole.seek(7)
    assert main(["replay", str(file), "--until", "0.35"]) == 0
    assert whole.digest() in capsys.readouterr().out


def test_runs_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    other = fc.InfluenceMap(fc.Grid(5, 4))
    other.add_layer("threat", fc.Spread(0.2, 0.5), every=0.25)
    with refused(fc.errors.InvalidValue, "one clock"):
        replay.difference(Session(small_map()), Session(LiveMap(other)))
    with refused(fc.errors.UnknownName, "map"):
        replay.record(Session(small_map()), tmp_path / "x.gif", 3, layer="nothing")
    assert main(["replay", str(tmp_path / "nothing.lab")]) == 2
