from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters.kloppy import timeline

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("kloppy", reason="needs kloppy")
    from kloppy import metrica
    from kloppy.domain import Point

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning"
)  # of kloppy itself

HEAD = ",,,{team},,{team},,,\n,,,11,,1,,,\nPeriod,Frame,Time [s],Player11,,Player1,,Ball,\n"
ROWS = {
    "Home": (
        "1,1,0.04,0.5,0.5,0.1,0.25,0.5,0.5\n1,2,0.08,0.6,0.5,NaN,NaN,0.6,0.5\n2,3,0.12,0.7,0.5,NaN,NaN,0.7,0.5\n"
    ),
    "Away": (
        "1,1,0.04,1.0,1.0,0.9,0.5,0.5,0.5\n1,2,0.08,1.0,0.0,0.9,0.5,0.6,0.5\n2,3,0.12,0.0,0.0,0.9,0.5,0.7,0.5\n"
    ),
}


@pytest.fixture
def dataset(tmp_path: Path) -> Any:
    """Three frames in two periods, as Metrica writes its samples."""
    files = {}
    for team, rows in ROWS.items():
        files[team] = tmp_path / f"{team}.csv"
        files[team].write_text(HEAD.format(team=team) + rows)
    return metrica.load_tracking_csv(home_data=str(files["Home"]), away_data=str(files["Away"]))


def test_players_and_ball_in_meters(dataset: Any) -> None:
    told = timeline(dataset, length=100, width=60)
    assert set(told.groups) == {"home", "away", "ball"}
    assert set(told.ids) == {"home_11", "home_1", "away_11", "away_1", "ball"}
    assert (
        len(np.unique(told.seconds)) == 3
        and (np.diff(told.seconds) >= 0).all()
        and told.seconds[0] == 0
    )

    def at(name: str, moment: int) -> Any:
        rows = (told.entities == told.ids.index(name)) & (
            told.seconds == np.unique(told.seconds)[moment]
        )
        return told.positions[rows][0].tolist()

    assert at("home_11", 0) == pytest.approx([0, 0])
    assert at("home_11", 2) == pytest.approx([20, 0])
    assert at("home_1", 0) == pytest.approx([-40, -15])  # kloppy turns the y of this format over
    assert at("away_11", 0) == pytest.approx([50, 30])
    assert np.isnan(at("home_1", 1)).all()
    pitch = fc.Grid(110, 70, origin=(-55, -35), y_up=True)
    inside = told.positions[~np.isnan(told.positions).any(axis=1)]
    assert len(pitch.cell_at(inside)) == len(inside)


def test_fewer_frames_and_no_ball(dataset: Any) -> None:
    told = timeline(dataset, keep_every=2, ball=False)
    assert len(np.unique(told.seconds)) == 2
    assert "ball" not in told.ids
    for wrong in ({"length": 0}, {"keep_every": 0}, {"ball": 3}):
        with pytest.raises(InvalidValue):
            timeline(dataset, **wrong)
    with pytest.raises(InvalidValue, match="tracking"):
        timeline("match.xml")


def test_players_without_numbers_of_their_own_keep_all_samples(dataset: Any) -> None:
    first, second, *_ = dataset.metadata.teams[0].players
    second = dataclasses.replace(second, jersey_no=first.jersey_no)
    dataset.metadata.teams[0].players[1] = second
    for frame in dataset.records:
        frame.players_data = {
            (second if player.player_id == second.player_id else player): data
            for player, data in frame.players_data.items()
        }
    told = timeline(dataset)
    home = [name for name in told.ids if name.startswith("home")]
    assert sorted(home) == sorted([f"home_{first.player_id}", f"home_{second.player_id}"])


def test_points_that_are_nan_are_absent(dataset: Any) -> None:
    frame = dataset.records[0]
    player = next(iter(frame.players_data))
    there = frame.players_data[player]
    frame.players_data[player] = dataclasses.replace(there, coordinates=Point(np.nan, np.nan))
    told = timeline(dataset)
    assert np.isfinite(told.positions[told.seconds == 0]).all()
