from __future__ import annotations

from pathlib import Path

import pytest

from fieldcraft.base.errors import BadTimeline
from research.recordings.losses import Losses, read_losses
from support import realdata

HEADER = "game_loop,event,unit_id,unit_type,player,x,y,killer_player\n"


def read(tmp_path: Path, *rows: str) -> Losses:
    path = tmp_path / "events.csv"
    path.write_text(HEADER + "\n".join(rows) + "\n")
    return read_losses(path, loops_per_second=10)


def test_a_loss_is_a_death_by_another_players_hand(tmp_path):
    losses = read(
        tmp_path,
        "0,born,1,SCV,1,20,30,",
        "0,born,2,Drone,2,5,6,",
        "0,born,3,MineralField,0,9,9,",
        "0,born,4,Larva,2,5,5,",
        "5,morph,2,Zergling,,,,",
        "10,died,4,Larva,2,5,5,",
        "20,died,3,MineralField,0,9,9,1",
        "30,died,2,Drone,2,8,9,1",
        "50,died,1,SCV,1,21,31,1",
    )
    assert losses.seconds.tolist() == [3.0]
    assert losses.positions.tolist() == [[8.5, 9.5]]
    assert (losses.groups, losses.kinds) == (("player 2",), ("Zergling",))


def test_the_owner_is_the_one_at_the_time(tmp_path):
    rows = ("0,born,1,SCV,1,20,30,", "10,owner,1,,2,,,", "20,died,1,SCV,1,20,30,1")
    assert read(tmp_path, *rows).groups == ("player 2",)


def test_between_leaves_out_the_first_moment_and_keeps_the_last(tmp_path):
    rows = [f"{loop},born,{loop},SCV,1,{loop},3," for loop in (1, 2, 3)]
    rows += [f"{10 * loop},died,{loop},SCV,1,{loop},3,2" for loop in (1, 2, 3)]
    losses = read(tmp_path, *rows)
    assert losses.between(1.0, 3.0).seconds.tolist() == [2.0, 3.0]
    assert losses.between(1.0, 3.0).positions[:, 0].tolist() == [2.5, 3.5]
    assert len(losses.between(3.0, 9.0)) == 0


def test_a_malformed_table_is_refused(tmp_path):
    with pytest.raises(BadTimeline, match="x is a finite number"):
        read(tmp_path, "0,born,1,SCV,1,20,30,", "5,died,1,SCV,1,,,2")


@pytest.mark.parametrize("path", realdata.files("sc2/events", "*.csv"), ids=lambda path: path.stem)
def test_losses_of_recorded_matches(path):
    losses = read_losses(path)
    lines = [line.split(",") for line in path.read_text().splitlines() if ",died," in line]
    killed = [
        line for line in lines if line[4] in "12" and line[7] in ("1", "2") and line[7] != line[4]
    ]
    assert (
        abs(len(losses) - len(killed)) <= 2
    )  # the table names a dead unit's last owner, not that of the time
    assert (losses.seconds[1:] >= losses.seconds[:-1]).all()
