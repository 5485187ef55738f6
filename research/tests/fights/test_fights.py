"""Fights foretold: forecasts know nothing of what comes, nobody sees through the fog, and a made-up
war is foretold.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from research.fights import fights
from research.fights.fight_features import ELSEWHERE, MODELS, PARTS, moments_of
from research.fights.matches import ALL, VIEWS, Match, read_match
from support import realdata

HEADER = "game_loop,event,unit_id,unit_type,player,x,y,killer_player"
LOOPS = 22.4


def war(path: Path, seed: int, *, seconds: int = 200) -> Path:
    """A war on a map of 96 x 64: both armies meet somewhere every 20 seconds, are told of there,
    and lose units beside that place.
    """
    rng = np.random.default_rng(seed)
    rows = [
        "0,born,1,Nexus,1,8,30,",
        "0,born,2,Hatchery,2,88,34,",
        "0,born,3,MineralField,0,1,1,",
        "0,born,4,MineralField,0,95,63,",
    ]
    number = 10
    for moment in range(20, seconds, 20):
        x, y = rng.integers((20, 10), (76, 54))
        begun = number
        for player, kind in ((1, "Zealot"), (2, "Roach")) * 3:
            px, py = np.array((x, y)) + rng.integers(-3, 4, 2)
            rows.append(f"{int(moment * LOOPS)},born,{number},{kind},{player},{px},{py},")
            number += 1
        for unit in range(begun, number - 1):
            player = 1 + (unit - begun) % 2
            px, py = np.array((x, y)) + rng.integers(-3, 4, 2)
            rows.append(
                f"{int((moment + 12 + (unit - begun) / 2) * LOOPS)},died,{unit},Zealot,{player},{px},{py},{3 - player}"
            )
    path.write_text(
        "\n".join([HEADER, *sorted(rows, key=lambda row: int(row.split(",")[0]))]) + "\n"
    )
    return path


def shuffled_after(path: Path, target: Path, seconds: float, seed: int) -> Path:
    """The same match up to a moment; after it other units do other things elsewhere."""
    header, *rows = path.read_text().splitlines()
    past = [row for row in rows if int(row.split(",")[0]) <= seconds * LOOPS]
    rng = np.random.default_rng(seed)
    known = [
        row.split(",")
        for row in past
        if row.split(",")[1] in ("born", "init") and row.split(",")[4] in "12"
    ]
    dead = {row.split(",")[2] for row in past if ",died," in row}
    later = sorted(
        int(row.split(",")[0]) for row in rows if int(row.split(",")[0]) > seconds * LOOPS
    )
    alive = [cells for cells in known if cells[2] not in dead]
    invented = []
    for number, loop in enumerate(later):
        x, y = rng.integers(5, 60, 2)
        if number < len(alive):
            unit = alive[number]
            invented.append(f"{loop},died,{unit[2]},{unit[3]},{unit[4]},{x},{y},{3 - int(unit[4])}")
        else:
            invented.append(f"{loop},born,{10**9 + number},Marine,{1 + number % 2},{x},{y},")
    target.write_text("\n".join([header, *past, *invented]) + "\n")
    return target


def known_at(match: Match, view: str, seconds: float) -> dict[str, np.ndarray]:
    return next(
        dict(moment.features) for moment in moments_of(match, view) if moment.seconds == seconds
    )


@pytest.mark.parametrize("view", VIEWS)
def test_shuffled_futures_give_the_same_features(tmp_path, view):
    path = war(tmp_path / "war.csv", 5)
    other = shuffled_after(path, tmp_path / "other.csv", 90.0, 1)
    one, two = read_match(path), read_match(other)
    assert (
        one.losses.between(90, 120).positions.tolist()
        != two.losses.between(90, 120).positions.tolist()
    )
    before, after = known_at(one, view, 90.0), known_at(two, view, 90.0)
    assert (
        before.keys()
        == after.keys()
        == {name for names in MODELS.values() for name in names} - {ELSEWHERE}
    )
    for name in before:
        np.testing.assert_array_equal(before[name], after[name], err_msg=name)


@pytest.mark.parametrize(
    "path", realdata.files("sc2/events", "Abyssal*.csv"), ids=lambda path: path.stem
)
def test_shuffled_futures_of_a_recorded_match(tmp_path, path):
    grid = path.parents[1] / "grids" / "AbyssalReefLE.npz"
    moment = read_match(path, grid).moments()[5]
    other = shuffled_after(path, tmp_path / "other.csv", moment, 2)
    for view in VIEWS:
        before, after = (
            known_at(read_match(path, grid), view, moment),
            known_at(read_match(other, grid), view, moment),
        )
        for name in before:
            np.testing.assert_array_equal(before[name], after[name], err_msg=name)


def test_a_player_sees_only_what_its_units_see(tmp_path):
    rows = [
        "0,born,1,Nexus,1,8,30,",
        "0,born,2,Hatchery,2,88,34,",
        "0,born,5,Roach,2,80,30,",
        "0,born,6,Probe,1,12,30,",
    ]
    rows += [
        f"{int(30 * LOOPS)},born,7,Roach,2,15,30,",
        f"{int(60 * LOOPS)},died,6,Probe,1,12,30,2",
    ]
    (tmp_path / "war.csv").write_text("\n".join([HEADER, *rows]) + "\n")
    match = read_match(tmp_path / "war.csv")
    ((_, own, other),) = match.seen("player 1", [20.0])
    assert (len(own.assets), len(other.army), len(other.halls)) == (2, 0, 0)
    ((_, _, other),) = match.seen("player 1", [40.0])
    assert other.army.tolist() == [[15.5, 30.5]]
    ((_, first, second),) = match.seen(ALL, [40.0])
    assert (len(first.assets), len(second.army), len(second.halls)) == (2, 2, 1)


def test_a_war_where_armies_meet_is_foretold_and_study_and_summary_agree(tmp_path, monkeypatch):
    asked = ("uniform", "midway", "last fight", "all baselines", "layers that spread", "everything")
    monkeypatch.setattr(fights, "MODELS", {name: MODELS[name] for name in asked})
    monkeypatch.setattr(fights, "ASKED", {name: MODELS[name] for name in asked[4:]})
    monkeypatch.setattr(fights, "PARTS", {"distances": PARTS["distances"]})
    files = [war(tmp_path / f"war{seed}.csv", seed, seconds=130) for seed in range(3)]
    told = [{**job, **fights.predict(job)} for job in fights.fights_study(files, only=True).jobs]
    summary = fights.summarise(told)
    value = {key: interval.value for key, interval in summary.found.items()}
    assert value["uniform", ALL, "bits per loss"] == pytest.approx(0, abs=1e-9)
    assert value["uniform", ALL, "AUC"] == 0.5
    assert value["everything", ALL, "bits per loss"] > value["midway", ALL, "bits per loss"] + 1
    assert value["layers that spread", ALL, "AUC"] > 0.8
    rows = [row for row in told if row["view"] == ALL]
    bits = [row["everything bits"] - row["all baselines bits"] for row in rows]
    assert value["everything", ALL, "ahead of all baselines"] == pytest.approx(np.mean(bits))
    adds, _ = summary.more
    assert adds.found["distances", ALL, "bits that it adds"].count == 3


REPLAYS = [
    path
    for name in ("LostandFound", "AbyssalReef")
    for path in realdata.files("sc2/replays", f"{name}*.SC2Replay")
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(len(REPLAYS) < 2, reason="no real data")
def test_replays_are_foretold_as_their_event_tables_are(monkeypatch):
    pytest.importorskip("sc2reader", reason="sc2reader is not installed")
    asked = ("uniform", "last fight", "all baselines")
    monkeypatch.setattr(fights, "MODELS", {name: MODELS[name] for name in asked})
    monkeypatch.setattr(fights, "PARTS", {})
    tables = [path.parents[1] / "events" / f"{path.stem}.csv" for path in REPLAYS]
    rows = [
        [
            fights.predict(job)
            for job in fights.fights_study(files, only=True).jobs
            if job["view"] == ALL
        ]
        for files in (REPLAYS, tables)
    ]
    assert rows[0] == rows[1]
    assert rows[0][1]["last fight bits"] > 0


def test_a_match_alone_is_refused(tmp_path):
    with pytest.raises(InvalidValue, match="from others"):
        fights.fights_study([war(tmp_path / "war.csv", 1)], only=True)
