"""Questions: each word against plain loops, budgets, falling back, and reading."""

import pickle

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadSettings, InvalidValue
from fieldcraft.query.question import answer as answer_module

RNG = np.random.default_rng(8)
WALLS = RNG.random((18, 25)) < 0.2
WALLS[8:11, 10:14] = False
ME, ENEMIES = (11.5, 9.5), [(20.5, 4.5), (3.5, 14.5)]
WALLS[2, :3] = WALLS[:3, 2] = True  # a closed corner
WALLS[0, 0] = WALLS[9, 11] = WALLS[4, 20] = WALLS[14, 3] = False


@pytest.fixture
def imap():
    imap = fc.InfluenceMap(fc.Grid(walls=WALLS, neighbors=8))
    imap.add_layer("threat", values=RNG.random(WALLS.shape))
    return imap


def asked(space, generate, *, choose=None, **words):
    """The answer to a question without scores of its own."""
    given = {
        name: words.pop(name)
        for name in ("me", "enemies", "teams", "route", "rng", "look")
        if name in words
    }
    return fc.Question(generate, choose=choose, **words).ask(space, **{"me": ME, **given})


def cells_left(answer):
    found = answer.explain()
    return set(found.cells[found.left].tolist())


def away(space, cells, place):
    return np.sqrt(((space.position_of(np.asarray(cells)) - place) ** 2).sum(axis=-1))


OPEN = np.flatnonzero(~WALLS)


# Words


def test_candidates_within_reach(imap):
    expected = fc.distance_map(imap.space, ME).exact.reshape(-1) <= 6
    assert cells_left(asked(imap, {"reach": 6})) == set(np.flatnonzero(expected).tolist())
    two = asked(imap, {"reach": 4, "around": "enemies"}, enemies=ENEMIES)
    expected = fc.distance_map(imap.space, ENEMIES).exact.reshape(-1) <= 4
    assert cells_left(two) == set(np.flatnonzero(expected).tolist())
    dear = asked(imap, {"reach": 4, "cost": "1 + threat"})
    expected = fc.distance_map(imap.space, ME, cost=1 + imap["threat"]).exact.reshape(-1) <= 4
    assert cells_left(dear) == set(np.flatnonzero(expected).tolist())


@pytest.mark.parametrize(
    "space",
    [
        fc.Grid(walls=WALLS, cell_size=0.5, origin=(2.0, 3.0), y_up=True),
        fc.Grid(25, 18, wrap=True),
        fc.HexGrid(14, 10),
        fc.HexGrid(14, 10, wrap=True),
        fc.Grid(walls=WALLS).to_graph(),
    ],
    ids=repr,
)
def test_candidates_in_a_ring(space):
    place = space.position_of(space.nearest_open(len(space) // 2 + 3))
    vectors = space.shortest_vectors(space.positions - place)
    distances = np.sqrt((vectors**2).sum(axis=1))
    expected = (distances >= 2) & (distances <= 4) & ~space.walls.reshape(-1)
    answer = asked(space, {"ring": [2, 4]}, me=place)
    assert cells_left(answer) == set(np.flatnonzero(expected).tolist())


def test_candidates_on_a_grid(imap):
    cells = asked(imap, {"grid": 5}).explain().cells
    assert len(cells) == 5 * 4
    near = asked(imap, {"grid": 1, "within": 3}).explain().cells
    assert set(near.tolist()) == set(np.flatnonzero(away(imap.space, range(450), ME) <= 3).tolist())


def test_candidates_that_are_peaks_points_or_along_a_path(imap):
    found = fc.peaks(imap["threat"], 7, spacing=3)
    words = {"peaks": "threat", "spacing": 3, "count": 7}
    np.testing.assert_array_equal(asked(imap, words).explain().cells, found.cells)
    points = [(1.5, 2.5), (11.5, 9.5), (1.2, 2.7)]
    expected = imap.space.cell_at(points)[:2]
    np.testing.assert_array_equal(asked(imap, {"points": points}).explain().cells, expected)
    path = fc.shortest_path(imap.space, ME, ENEMIES[0])
    along = asked(imap, {"path": "route"}, route=path).explain()
    np.testing.assert_array_equal(along.cells, path.cells)
    assert 1 < len(asked(imap, {"path": "route", "spacing": 4}, route=path).explain()) < 8


def test_candidates_on_floors():
    places = np.array([(x, y, z) for z in (0.0, 3.0) for y in range(6) for x in range(8)])
    apart = np.abs(places[:, np.newaxis] - places)
    stairs = (apart == (0, 0, 3)).all(axis=2) & (places[:, 0] == 7)
    graph = fc.Graph(places, np.argwhere(np.triu((apart.sum(axis=2) == 1) | stairs)))
    me = (6.0, 1.0, 0.0)
    score = [{"distance": "me", "by": "path"}]
    answer = fc.Question({"ring": [3, 4]}, require=[{"reachable": "me"}], score=score).ask(
        graph, me=me
    )
    distances = np.sqrt(((places - me) ** 2).sum(axis=1))
    assert cells_left(answer) == set(np.flatnonzero((distances >= 3) & (distances <= 4)).tolist())
    best = max(cells_left(answer), key=fc.distance_map(graph, me).exact.__getitem__)
    assert answer.chosen.value == fc.distance_map(graph, me).exact[best]
    with pytest.raises(InvalidValue, match="needs a flat map"):
        fc.Question({"grid": 2}).ask(graph, me=me)


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
    with pytest.raises(fc.errors.UnknownName, match="Did you mean 'red'"):
        asked(imap, {"grid": 9}, require=[{"owner": "ret"}], teams=teams)


def test_scores_are_weighted_curves_that_add_up(imap):
    answer = asked(
        imap,
        {"grid": 1},
        score=[
            {"distance": "me", "curve": ["smoothstep", 10, 0], "weight": 2},
            {"value": "threat", "curve": [[0, 1], [0.5, 0.25], [1, 0]]},
            {"value": "2 * threat"},
        ],
    )
    found = answer.explain()
    rows = np.flatnonzero(found.left)
    threat = imap["threat"].values.reshape(-1)[found.cells[rows]]
    share = np.clip(1 - away(imap.space, found.cells[rows], ME) / 10, 0, 1)
    far = 2 * share * share * (3 - 2 * share)
    safe = np.interp(threat, [0, 0.5, 1], [1, 0.25, 0])
    parts = np.stack([far, safe, 2 * threat], axis=1)
    np.testing.assert_allclose(found.parts[rows], parts, atol=2e-6)
    best = rows[parts.sum(axis=1).argmax()]
    assert answer.chosen.cell == found.cells[best]
    assert answer.chosen.value == pytest.approx(found.scores[best])
    assert np.isnan(found.scores[~found.left]).all()


def test_nobody_sees_nothing_and_is_infinitely_far(imap):
    words = [{"hidden_from": "enemies"}, {"distance": "enemies", "least": 3}]
    score = [{"distance": "enemies", "by": "path", "curve": ["linear", 0, 9]}]
    answer = asked(imap, {"reach": 3}, require=words, score=score, enemies=[])
    assert cells_left(answer) == cells_left(asked(imap, {"reach": 3}))
    assert answer.chosen.value == 1
    for words in ({"visible_from": "enemies"}, {"reachable": "enemies"}):
        assert not asked(imap, {"reach": 3}, require=[words], enemies=np.zeros((0, 2)))


def test_agents_keep_to_places_that_others_have_not_taken(imap):
    question = fc.Question(
        {"reach": 6}, require=[{"distance": "taken", "least": 3}], score=[{"value": "threat"}]
    )
    taken = []
    for _ in range(4):
        taken.append(question.ask(imap, me=ME, taken=taken).position)
    apart = np.hypot(*(np.array(taken)[:, np.newaxis] - taken).T)
    assert (apart[~np.eye(4, dtype=bool)] >= 3).all()


# Choosing


def test_several_are_chosen_apart_the_best_first(imap):
    score = [{"value": "threat"}]
    answer = asked(imap, {"reach": 8}, score=score, choose={"count": 4, "spacing": 3})
    own = {"count": 4, "spacing": 3, "where": fc.distance_map(imap.space, ME).exact <= 8}
    expected = fc.best(imap["threat"], ME, 40, **own)
    np.testing.assert_array_equal(answer.chosen.cells, expected.cells)
    np.testing.assert_allclose(answer.chosen.values, expected.values)


def test_random_choices_are_among_the_best_percent_and_follow_the_generator(imap):
    score, choose = [{"value": "threat"}], {"random": 5, "count": 3}
    answers = [
        asked(imap, {"reach": 8}, score=score, choose=choose, rng=np.random.default_rng(seed))
        for seed in (1, 1, 2, 3, 4)
    ]
    scores = np.sort(answers[0].explain().scores[answers[0].explain().left])[::-1]
    least = scores[int(np.ceil(0.05 * len(scores))) - 1]
    assert all((each.chosen.values >= least - 1e-6).all() for each in answers)
    np.testing.assert_array_equal(answers[0].chosen.cells, answers[1].chosen.cells)
    assert len({tuple(each.chosen.cells.tolist()) for each in answers}) > 2
    with pytest.raises(InvalidValue, match="needs a generator"):
        asked(imap, {"reach": 8}, choose={"random": 5})


def test_the_next_question_is_asked_if_nothing_is_left(imap):
    here = fc.Question({"points": "me"}, name="here")
    retreat = fc.Question(
        {"reach": 2}, require=[{"value": "threat < -1"}], fall_back=here, name="retreat"
    )
    hide = fc.Question({"ring": [0, 0.1]}, require=[{"value": "threat > 2"}], fall_back=retreat)
    answer = hide.ask(imap, me=ME)
    assert answer.question is here
    assert answer.position.tolist() == list(ME)
    last = answer.explain()
    names = [each.name for each in (last, last.earlier, last.earlier.earlier)]
    assert names == ["here", "retreat", "question"]
    assert "retreat: 13 candidates, 0 left" in str(last)


def test_an_answer_without_a_cell_is_false(imap):
    answer = asked(imap, {"reach": 3}, require=[{"value": "threat > 2"}])
    assert not answer
    assert np.isnan(answer.position).all()
    assert answer.positions.shape == (0, 2)
    walled = imap.space.position_of(np.flatnonzero(WALLS)[:2])
    assert asked(imap, {"points": walled}).explain().removed_by == ["wall", "wall"]


# Budgets


WHOLE = {
    "generate": {"reach": 9},
    "require": [{"hidden_from": "enemies"}, {"value": "threat < 0.8"}],
    "score": [{"distance": "me", "curve": ["linear", 9, 0]}, {"value": "threat"}],
    "choose": {"count": 3, "spacing": 2},
}


@pytest.mark.parametrize("budget", [{"candidates": 1}, {"candidates": 37}, {"microseconds": 1}])
@pytest.mark.parametrize("generate", [{"reach": 9}, {"reach": 60, "cost": "1 + threat"}])
def test_slices_give_the_same_answer(imap, budget, generate, monkeypatch):
    monkeypatch.setattr("fieldcraft.query.question.generators._PIECE", 20)
    question = fc.Question(**WHOLE | {"generate": generate}, budget=budget)
    whole = question.ask(imap, me=ME, enemies=ENEMIES)
    sliced = question.start(imap, me=ME, enemies=ENEMIES)
    slices = 1
    with pytest.raises(InvalidValue, match="once it is complete"):
        sliced.position
    while not sliced.advance():
        slices += 1
    assert slices > 3
    np.testing.assert_array_equal(sliced.chosen.cells, whole.chosen.cells)
    np.testing.assert_array_equal(sliced.explain().parts, whole.explain().parts)
    cost = 1 + imap["threat"] if "cost" in generate else None
    reach = fc.reach(imap.space, ME, generate["reach"], cost=cost)
    np.testing.assert_array_equal(sliced.explain().cells, reach.cells)
    assert sliced.advance()


def test_many_candidates_are_measured_in_parts(imap, monkeypatch):
    question = fc.Question(
        {"reach": 30},
        require=[{"hidden_from": "enemies"}, {"distance": "enemies", "by": "path", "least": 3}],
        score=[{"value": "1 - threat", "curve": ["linear", 0, 1]}],
    )
    whole = question.ask(imap, me=ME, enemies=ENEMIES).explain()
    assert len(whole) > 2 * 129
    monkeypatch.setattr(answer_module, "AT_ONCE", 129)
    parts = question.ask(imap, me=ME, enemies=ENEMIES).explain()
    np.testing.assert_array_equal(parts.cells, whole.cells)
    np.testing.assert_array_equal(parts.parts, whole.parts)
    assert parts.removed_by == whole.removed_by


def test_a_slice_looks_at_no_more_candidates_than_its_budget(imap):
    question, given = fc.Question(**WHOLE), {"me": ME, "enemies": ENEMIES}
    total = len(question.ask(imap, **given).explain())
    answer = question.start(imap, **given)
    slices = before = 0
    while not answer.advance(candidates=10):
        found = answer.explain()
        looked = np.count_nonzero(~found.left) + np.count_nonzero(~np.isnan(found.parts))
        assert before <= looked <= before + 10
        slices, before = slices + 1, looked
    assert before > 0
    assert slices > total // 10


def test_positions_are_those_of_the_start(imap):
    place = np.array(ME)
    answer = fc.Question({"ring": [0, 3]}).start(imap, me=place)
    place += 5
    answer.finish()
    assert away(imap.space, answer.explain().cells, ME).max() <= 3


def test_without_a_budget_one_slice_is_all(imap):
    assert fc.Question(**WHOLE).start(imap, me=ME, enemies=ENEMIES).advance()


# Reading


TEXT = """
[cover]
generate = { reach = 9 }
require = [{ hidden_from = "enemies" }, { value = "threat < 0.8" }]
score = [{ distance = "me", curve = ["linear", 9, 0] }, { value = "threat" }]
choose = { count = 3, spacing = 2 }
fall_back = "stay"

[stay]
generate = { points = "me" }
"""


def test_toml_and_python_have_the_same_words(imap):
    questions = fc.Question.read("enemies.toml", text=TEXT)
    assert list(questions) == ["cover", "stay"]
    given = {"me": ME, "enemies": ENEMIES}
    read, made = questions["cover"].ask(imap, **given), fc.Question(**WHOLE).ask(imap, **given)
    np.testing.assert_array_equal(read.chosen.cells, made.chosen.cells)
    assert questions["cover"].fall_back is questions["stay"]
    with pytest.raises(fc.errors.UnknownName, match="Did you mean 'cover'"):
        questions["cower"]


def test_a_file_is_read_again_while_a_game_runs(imap, tmp_path):
    path = tmp_path / "enemies.toml"
    path.write_text(TEXT)
    questions = fc.Question.read(path)
    under_way = questions["stay"].start(imap, me=ME)
    assert not questions.reload()
    path.write_text(TEXT.replace('points = "me"', "reach = 1"))
    assert questions.reload()
    assert len(questions["stay"].ask(imap, me=ME).explain()) == 5
    under_way.finish()
    assert len(under_way.explain()) == 1
    path.write_text(TEXT.replace("reach", "raech"))
    with pytest.raises(BadSettings, match="Perhaps 'reach' is meant"):
        questions.reload()
    assert len(questions["stay"].ask(imap, me=ME).explain()) == 5


def test_a_layer_of_the_same_name_replaces_the_one_before(imap):
    question = fc.Question({"points": "me"}, score=[{"value": "threat"}])
    question.ask(imap, me=ME)
    imap.remove_layer("threat")
    imap.add_layer("threat", values=np.full(WALLS.shape, 7.0))
    assert question.ask(imap, me=ME).chosen.value == 7
    assert question.ask(imap, me=ME, threat=2 * imap["threat"]).chosen.value == 14


def test_questions_are_pickled(imap):
    question = pickle.loads(pickle.dumps(fc.Question(**WHOLE)))
    given = {"me": ME, "enemies": ENEMIES}
    expected = fc.Question(**WHOLE).ask(imap, **given).chosen.cells
    np.testing.assert_array_equal(question.ask(imap, **given).chosen.cells, expected)
