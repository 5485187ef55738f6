"""Ratings find the order that there is; both studies of commanders sum up what was played."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.errors import InvalidValue
from research.experiments import league


def test_ratings_of_expected_points_are_the_ratings() -> None:
    true = np.array([1700.0, 1550.0, 1450.0, 1300.0])
    chances = 1 / (1 + 10 ** ((true[None] - true[:, None]) / 400))
    points = 1000 * chances * (1 - np.eye(4))
    np.testing.assert_allclose(league.rated("abcd", points), true, atol=2.0)


def test_who_never_lost_has_a_rating_and_the_mean_is_1500() -> None:
    points = np.array([[0, 8, 8], [0, 0, 8], [0, 0, 0]], dtype=float)
    found = league.rated("abc", points)
    assert found.mean() == pytest.approx(1500)
    assert found[0] > found[1] > found[2]
    assert np.isfinite(found).all()


def match(
    first: str, second: str, winner: str | None, *, layout: str = "seeded", seed: int = 1
) -> dict[str, object]:
    world = {
        "map": "open",
        "width": 40,
        "height": 28,
        "layout": layout,
        "seed": seed,
        "first": first,
        "second": second,
        "winner": winner,
    }
    scores = {
        f"{name} by {side}": 10 if winner == who else -5
        for name in ("score", "units lost")
        for side, who in (("first", first), ("second", second))
    }
    return {**world, **scores, "out of time": winner is None}


def test_a_league_is_summed_up() -> None:
    names = ("strong", "middling", "weak")
    rows = []
    for seed in range(6):
        for better, worse in (("strong", "middling"), ("strong", "weak"), ("middling", "weak")):
            rows += [
                match(better, worse, better, seed=seed),
                match(worse, better, better if seed else None, seed=seed),
            ]
    summary = league.summarise(rows)
    rating = [summary.found["all worlds", name, "rating"] for name in names]
    assert rating[0].low > rating[1].high
    assert rating[1].low > rating[2].high
    assert summary.found["all worlds", "strong", "matches won"].value == pytest.approx(22 / 24)
    assert summary.more[0].found["weak", "won", "against strong"].value == 0
    assert "3 of 36 matches ended undecided" in summary.notes


def test_a_league_has_two_commanders_of_different_names() -> None:
    for commanders in (["influence"], ["influence", "influence"], ["influence", "nobody"]):
        with pytest.raises(InvalidValue):
            league.league_study(["open"], commanders=commanders)


def test_everybody_meets_everybody_from_both_sides() -> None:
    study = league.league_study(["open"], seeds=1, commanders=["influence", "planner", "shortest"])
    assert len(study.jobs) == 3 * 2
    assert {(job["first"], job["second"]) for job in study.jobs} == {
        (a, b)
        for a in ("influence", "planner", "shortest")
        for b in ("influence", "planner", "shortest")
        if a != b
    }


def test_worlds_take_layouts_in_turn_and_leave_out_what_a_map_has_no_room_for() -> None:
    study = league.league_study(
        ["open", "cave"], seeds=2, commanders=["planner", "shortest"], layouts=["roads", "gates"]
    )
    laid = {(job["map"], job["seed"]): job["layout"] for job in study.jobs}
    assert laid == {
        ("open", 9000): "roads",
        ("cave", 9000): "gates",
        ("open", 9001): "gates",
        ("cave", 9001): "gates",
    }


def test_matches_won_are_told_map_by_map_and_layout_by_layout() -> None:
    rows = [
        match("strong", "weak", "strong", layout="gates"),
        match("weak", "strong", "weak", layout="gates"),
    ]
    rows += [
        {**row, "map": "cave", "layout": "roads"}
        for row in (match("strong", "weak", "strong"), match("weak", "strong", None))
    ]
    maps = next(each for each in league.summarise(rows).more if each.name == "maps")
    assert maps.groups == ("open 40 x 28", "cave 40 x 28")
    assert maps.found["open 40 x 28", "gates", "weak"].value == 0.5
    assert maps.found["cave 40 x 28", "roads", "weak"].value == 0
    assert ("cave 40 x 28", "gates", "weak") not in maps.found
    assert maps.found["cave 40 x 28", "roads", "strong"].count == 2


def test_a_league_without_levels_has_no_table_of_them() -> None:
    assert [each.name for each in league.summarise([match("strong", "weak", "strong")]).more] == [
        "pairs",
        "maps",
    ]
