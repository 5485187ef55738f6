"""Measures, against plain loops."""

import numpy as np
import pytest

import fieldcraft as fc
from support.questions import ENEMIES, ME, WALLS, asked, away, cells_left

OPEN = np.flatnonzero(~WALLS)


REQUIRED = {
    "value": ({"value": "threat < 0.4"}, lambda i, c: i["threat"].values.flat[c] < 0.4),
    "least": (
        {"value": "threat * 2", "least": 0.5, "most": 1.5},
        lambda i, c: 0.5 <= i["threat"].values.flat[c] * 2 <= 1.5,
    ),
    "distance": (
        {"distance": "enemies", "least": 5, "most": 9},
        lambda i, c: 5 <= min(away(i.space, c, each) for each in ENEMIES) <= 9,
    ),
    "farthest": (
        {"distance": "enemies", "to": "farthest", "most": 14},
        lambda i, c: max(away(i.space, c, each) for each in ENEMIES) <= 14,
    ),
    "mean": (
        {"distance": "enemies", "to": "mean", "most": 11},
        lambda i, c: np.mean([away(i.space, c, each) for each in ENEMIES]) <= 11,
    ),
    "path": (
        {"distance": "enemies", "by": "path", "most": 10},
        lambda i, c: fc.distance_map(i.space, ENEMIES).sample(i.space.position_of(c)) <= 10,
    ),
    "visible": (
        {"visible_from": "me", "range": 7},
        lambda i, c: fc.visible(i.space, ME, 7).flat[c],
    ),
    "hidden": (
        {"hidden_from": "enemies"},
        lambda i, c: not fc.visible(i.space, ENEMIES, np.inf).flat[c],
    ),
    "behind": (
        {"hidden_from": "me", "facing": "look", "angle": 120},
        lambda i, c: not fc.visible(i.space, ME, np.inf, facing=(1, 0), angle=120).flat[c],
    ),
    "behind, an array": (
        {"hidden_from": "me", "facing": np.array([(1.0, 0.0)]), "angle": 120},
        lambda i, c: not fc.visible(i.space, ME, np.inf, facing=(1, 0), angle=120).flat[c],
    ),
    "both": (
        {"visible_from": "enemies", "least": 2},
        lambda i, c: all(fc.visible(i.space, each, np.inf).flat[c] for each in ENEMIES),
    ),
    "fits": (
        {"fits": 3},
        lambda i, c: fc.question.Clearance(i.space).values.flat[c] >= 3,
    ),
    "reachable": (
        {"reachable": "me"},
        lambda i, c: np.isfinite(fc.distance_map(i.space, ME).sample(i.space.position_of(c))),
    ),
}


@pytest.mark.parametrize("name", REQUIRED)
def test_a_requirement_keeps_the_cells_that_meet_it(imap, name):
    words, rule = REQUIRED[name]
    answer = asked(imap, {"grid": 1}, require=[words], enemies=ENEMIES, look=(1, 0))
    assert cells_left(answer) == {c for c in OPEN.tolist() if rule(imap, c)}
    assert 0 < len(cells_left(answer)) < len(OPEN)


def test_a_requirement_on_the_owner(imap):
    teams = imap.add_teams(["red", "blue"], fc.Radial(30, "linear", metric="straight"))
    teams["red"].add_source((4.5, 4.5), on_wall="nearest")
    teams["blue"].add_source((20.5, 12.5), on_wall="nearest")
    imap.step()
    answer = asked(imap, {"grid": 1}, require=[{"owner": "blue"}], teams=teams)
    blue = (teams.owner() == teams.names.index("blue")) & ~WALLS
    assert cells_left(answer) == set(np.flatnonzero(blue).tolist())
    # the teams of the map need not be passed
    imap.add_teams(["green", "gray"], fc.Radial(30, "linear", metric="straight"))
    of_map = asked(imap, {"grid": 1}, require=[{"owner": "blue"}])
    assert cells_left(of_map) == cells_left(answer)
    with pytest.raises(fc.errors.UnknownName, match="Did you mean 'gray'"):
        asked(imap, {"grid": 9}, require=[{"owner": "grey"}])
    with pytest.raises(fc.errors.UnknownName, match="Did you mean 'red'"):
        asked(imap, {"grid": 9}, require=[{"owner": "ret"}], teams=teams)


def test_nobody_sees_nothing_and_is_infinitely_far(imap):
    words = [{"hidden_from": "enemies"}, {"distance": "enemies", "least": 3}]
    score = [{"distance": "enemies", "by": "path", "curve": ["linear", 0, 9]}]
    answer = asked(imap, {"reach": 3}, require=words, score=score, enemies=[])
    assert cells_left(answer) == cells_left(asked(imap, {"reach": 3}))
    assert answer.chosen.value == 1
    for words in ({"visible_from": "enemies"}, {"reachable": "enemies"}):
        assert not asked(imap, {"reach": 3}, require=[words], enemies=np.zeros((0, 2)))
