from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.base.errors import BadTimeline
from fieldcraft.formats.recordings import Timeline
from research.recordings.starcraft import read_starcraft
from support import realdata

HEADER = "game_loop,event,unit_id,unit_type,player,x,y,killer_player\n"


def read(tmp_path: Path, *rows: str, **options: object) -> Timeline:
    path = tmp_path / "events.csv"
    path.write_text(HEADER + "\n".join(rows) + "\n")
    return read_starcraft(path, loops_per_second=10, **options)


def units(
    timeline: Timeline, seconds: float, group: str | None = None
) -> dict[str, tuple[float, float, float]]:
    living = timeline.at(seconds, group)
    return {
        timeline.ids[k]: (*p, s)
        for k, p, s in zip(
            living.keys, living.positions.tolist(), living.strengths.tolist(), strict=True
        )
    }


def test_units_are_born_move_and_die_in_their_players_group(tmp_path):
    timeline = read(
        tmp_path,
        "0,born,1,SCV,1,20,30,",
        "0,born,2,Drone,2,5,6,",
        "0,born,3,MineralField,0,9,9,",
        "0,born,4,BeaconArmy,1,20,30,",
        "50,pos,1,SCV,1,25,30,",
        "80,died,1,SCV,1,26,30,2",
        half_life=None,
    )
    assert timeline.groups == ("player 1", "player 2")
    assert units(timeline, 0, "player 1") == {"1": (20.5, 30.5, 1)}
    assert units(timeline, 5, "player 1") == {"1": (25.5, 30.5, 1)}
    assert units(timeline, 8) == {"2": (5.5, 6.5, 1)}


def test_units_fade_with_the_age_of_their_last_position_but_buildings_do_not(tmp_path):
    timeline = read(
        tmp_path,
        "0,born,1,SCV,1,20,30,",
        "0,born,2,Nexus,1,5,6,",
        "300,pos,1,SCV,1,4,4,",
        half_life=10,
    )
    assert units(timeline, 20)["1"][2] == pytest.approx(0.25)
    assert units(timeline, 30)["1"][2] == 1
    assert units(timeline, 1000)["2"][2] == 1


def test_a_building_that_lifts_off_fades_from_then_on_and_landing_tells_no_position(tmp_path):
    rows = (
        "0,born,1,Barracks,1,20,30,",
        "200,morph,1,BarracksFlying,,,,",
        "300,morph,1,Barracks,,,,",
    )
    timeline = read(tmp_path, *rows, half_life=10)
    assert units(timeline, 19)["1"] == (20.5, 30.5, 1)
    assert units(timeline, 30)["1"][2] == pytest.approx(0.5)
    assert units(timeline, 40)["1"][2] == pytest.approx(0.25)
    seen_again = read(tmp_path, *rows, "350,pos,1,Barracks,1,50,50,", half_life=10)
    assert units(seen_again, 500)["1"] == (50.5, 50.5, 1)


def test_a_morph_keeps_position_and_age_and_changes_the_strength(tmp_path):
    rows = ("0,born,1,Zergling,2,20,30,", "100,morph,1,Baneling,,,,")
    timeline = read(tmp_path, *rows, half_life=10, strengths={"Baneling": 4})
    assert units(timeline, 5)["1"] == pytest.approx((20.5, 30.5, 2**-0.5))
    assert units(timeline, 10)["1"] == pytest.approx((20.5, 30.5, 2))


def test_owner_changes_keep_the_age(tmp_path):
    timeline = read(tmp_path, "0,born,1,SCV,1,20,30,", "100,owner,1,,2,,,", half_life=10)
    assert units(timeline, 10, "player 1") == {}
    assert units(timeline, 10, "player 2")["1"] == pytest.approx((20.5, 30.5, 0.5))


def test_unfinished_buildings_have_their_share_until_done(tmp_path):
    rows = ("0,init,1,Pylon,1,20,30,", "250,done,1,,,,,")
    timeline = read(tmp_path, *rows, unfinished=0.25, strengths={"Pylon": 2})
    assert (units(timeline, 24)["1"][2], units(timeline, 25)["1"][2]) == (0.5, 2)
    assert units(read(tmp_path, *rows, unfinished=0), 24) == {}
    warped = read(tmp_path, "0,init,1,Zealot,1,20,30,", "100,done,1,,,,,", half_life=10)
    assert units(warped, 10)["1"][2] == 1


def test_a_type_of_strength_zero_is_left_out(tmp_path):
    assert units(read(tmp_path, "0,born,1,Larva,1,20,30,", strengths={"Larva": 0}), 0) == {}


def test_seconds_are_those_of_game_speed_faster(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text(HEADER + "224,born,1,SCV,1,2,3,\n")
    assert read_starcraft(path).seconds.tolist() == [10.0]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("x,born,1,SCV,1,2,3,", "game_loop is a whole number"),
        ("4,hatched,1,SCV,1,2,3,", "An event is one of"),
        ("4,born,1,SCV,1,,,", "x is a finite number"),
        ("4,pos,1,SCV,1,2,3,", "born before"),
        ("4,born,1,SCV,1,2", "as many cells"),
    ],
)
def test_a_malformed_row_is_refused_with_its_line(tmp_path, row, says):
    with pytest.raises(BadTimeline, match=says) as caught:
        read(tmp_path, "0,born,7,SCV,1,2,3,", row)
    assert "in line 3 of " in str(caught.value)


def test_events_out_of_order_are_refused(tmp_path):
    with pytest.raises(BadTimeline, match="Sort the table"):
        read(tmp_path, "9,born,7,SCV,1,2,3,", "8,born,8,SCV,1,2,3,")


@pytest.mark.parametrize("path", realdata.files("sc2/events", "*.csv"), ids=lambda path: path.stem)
def test_recorded_matches(path):
    timeline = read_starcraft(path)
    assert timeline.groups == ("player 1", "player 2")
    start = timeline.at(0)
    assert 12 <= len(timeline.at(0, "player 1")) <= 20
    assert (start.strengths == 1).all()
    died = sum(
        ",died," in line and line.split(",")[4] in "12" for line in path.read_text().splitlines()
    )
    assert np.isnan(timeline.positions[:, 0]).sum() == died


def test_town_halls_stand_on_the_start_places_of_the_grid():
    folder = realdata.folder("sc2")
    with np.load(folder / "grids" / "OdysseyLE.npz", allow_pickle=False) as grid:
        starts = grid["start_locations"]
    timeline = read_starcraft(
        folder / "events" / "OdysseyLE_4.0.1.csv", strengths={"Hatchery": 9, "Nexus": 9}
    )
    living = timeline.at(0)
    halls = living.positions[living.strengths == 9]
    assert sorted(map(tuple, halls.tolist())) == sorted(map(tuple, starts.tolist()))
