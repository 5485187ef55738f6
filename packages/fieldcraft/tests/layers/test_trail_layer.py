"""What agents leave, as users get it wrong: empty arrays, other shapes, places off the map."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue

GRID = fc.Grid(20, 12, walls=np.pad(np.zeros((10, 18), dtype=bool), 1, constant_values=True))


def layers() -> dict[str, object]:
    imap = fc.InfluenceMap(GRID)
    return {
        "scent": imap.add_layer("scent", fc.Trail(blur=1, keep=1)),
        "way": imap.add_layer("way", fc.Trail(blur=1, keep=1, vector=True)),
        "board": imap.add_layer("board", values=np.zeros(GRID.shape)),
        "known": imap.add_layer("known", fc.Fade()),
    }


@pytest.mark.parametrize("nobody", [[], np.zeros((0, 2))])
def test_nobody_leaves_nothing(nobody):
    made = layers()
    made["scent"].deposit(nobody)
    made["scent"].deposit_at(np.zeros(len(nobody), dtype=int))
    made["scent"].deposit_at([])
    made["way"].deposit(nobody, nobody)
    made["way"].deposit_at([], np.zeros((0, 2)))
    made["way"].deposit_at([], (1.0, 0.0))
    made["board"].stamp(fc.Stamp.disc(2), nobody)
    made["known"].mark(nobody)
    for layer in made.values():
        layer.step()
        assert not layer.values.any()
    assert len(fc.steering.Swarm.at(GRID, nobody)) == 0
    assert len(fc.query.explore_step(made["known"], nobody).positions) == 0


@pytest.mark.parametrize(
    "amounts",
    [
        1.0,
        [1.0],
        [1.0, 2.0, 3.0],
        [[1.0, 2.0, 3.0]],
        [[1.0, 2.0], [3.0, 4.0]],
        [[1.0], [2.0, 3.0]],
        "fast",
    ],
)
def test_vectors_are_asked_for_as_vectors(amounts):
    with pytest.raises(InvalidValue) as caught:
        layers()["way"].deposit([(3.5, 3.5)], amounts)
    assert "Positions" not in str(caught.value)


def test_what_is_not_finite_is_called_by_its_name():
    made, nan = layers(), float("nan")
    with pytest.raises(InvalidValue, match="Amounts are finite"):
        made["way"].deposit([(3.5, 3.5)], (nan, 1.0))
    vectors = np.zeros((*GRID.shape, 2))
    vectors[2, 1, 0] = nan
    with pytest.raises(InvalidValue, match=r"nan at row 2, column 1\."):
        made["way"].write(vectors)


def test_agents_in_walls_are_told_where_to_go():
    made = layers()
    with pytest.raises(InvalidValue, match="nearest_open"):
        fc.steering.Swarm.at(GRID, [(5.5, 5.5), (0.5, 0.5)])
    with pytest.raises(InvalidValue, match=r"at \(1\.5, 1\.5\)"):
        made["scent"].deposit((0.5, 0.5))
    made["scent"].deposit((0.5, 0.5), on_wall="nearest")
    made["scent"].step()
    assert made["scent"].values[1, 1] == 1
