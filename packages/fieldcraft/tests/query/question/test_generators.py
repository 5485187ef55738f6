"""What the candidates of a question are."""

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.questions import ENEMIES, ME, WALLS, asked, away, cells_left


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
