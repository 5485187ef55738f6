"""Pictures with titles and legends, side by side."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import Graph, InfluenceMap, Spread, view
from fieldcraft.view import ColorScale
from support.pictures import GROUND, field


def test_a_page_lays_frames_out_in_rows_and_leaves_them_unchanged():
    frames = [view.frame(field(seed, (5, 8)), scale=12) for seed in range(3)]
    page = view.page(
        frames,
        ["low", "middle", "high"],
        columns=2,
        legend=ColorScale(0, 5),
        title="decay",
        caption="three",
    )
    found = []
    for frame in frames:
        matches = [
            (top, left)
            for top in range(page.shape[0] - frame.shape[0])
            for left in np.flatnonzero(
                (page[top, : page.shape[1] - frame.shape[1]] == frame[0, 0]).all(axis=1)
            ).tolist()
            if (page[top : top + 60, left : left + 96] == frame).all()
        ]
        assert len(matches) == 1
        found += matches
    (top0, left0), (top1, left1), (top2, left2) = found
    assert top0 == top1 < top2
    assert left0 == left2 < left1
    assert (page[..., 3] == 255).all()


def test_a_picture_shows_the_whole_scale_in_its_legend():
    scale = ColorScale(0, 5, threshold=1)
    page = view.picture(np.zeros((60, 90)), colors=scale, scale=3, legend="threat")
    colors = {tuple(pixel) for pixel in page[:, 3 * 90 + 20 :, :3].reshape(-1, 3).tolist()}
    shown = [tuple(color) in colors for color in scale.table.tolist()]
    assert any(shown[-3:])
    assert not any(shown[:45])
    assert GROUND in colors
    assert sum(shown) > 40


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (3, 5)])
@pytest.mark.parametrize("scale", [1, 7])
def test_tiny_maps_make_pictures(shape: tuple[int, int], scale: int):
    page = view.picture(
        field(0, shape),
        scale=scale,
        title="tiny",
        caption="a caption that is longer than the map is wide",
        legend="value",
    )
    assert page.shape[0] > shape[0] * scale


def test_a_map_without_cells_makes_a_picture():
    graph = Graph(np.zeros((0, 2)), np.zeros((0, 2), dtype=np.int64))
    layer = InfluenceMap(graph).add_layer("heat", Spread(0.1))
    assert view.picture(layer, size=100).shape[2] == 4


def test_frames_of_a_row_begin_at_one_height():
    tall = np.full((60, 20, 4), 255, dtype=np.uint8)
    low = tall[:40]
    page = view.page([tall, low], titles=["tall", "low"])
    white = (page == 255).all(axis=2)
    left, right = np.flatnonzero(white[-30])[0], np.flatnonzero(white.sum(axis=0) >= 40)[-1]
    assert np.flatnonzero(white[:, left])[0] == np.flatnonzero(white[:, right])[0]
