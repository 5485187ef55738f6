"""The gallery: a piece for every world, films that can be made, and a page that is what they
say.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fieldcraft_worlds.gallery import __main__ as gallery
from fieldcraft_worlds.gallery.__main__ import PIECES
from fieldcraft_worlds.library import GAMES, WORLDS, Piece, find_game

HOME = Path(__file__).resolve().parents[4]


def test_every_world_has_a_piece():
    assert all(row.pieces for row in WORLDS)
    assert len(GAMES) == len(WORLDS)
    assert len({piece.name for _, piece in PIECES}) == len(PIECES)


@pytest.mark.parametrize(("name", "piece"), PIECES, ids=lambda each: getattr(each, "name", ""))
def test_pieces_name_overlays_that_there_are(name, piece):
    known = {overlay.name for overlay in find_game(name).overlays}
    assert set(piece.overlays) <= known


def test_a_film_is_made_and_the_same_each_time(tmp_path):
    piece = GAMES["flock"].pieces[0]
    digests = [
        gallery.record("flock", piece, tmp_path / f"{take}.webp", short=True) for take in (1, 2)
    ]
    assert digests[0] == digests[1]
    assert (tmp_path / "1.webp").read_bytes() == (tmp_path / "2.webp").read_bytes()
    with Image.open(tmp_path / "1.webp") as film:
        assert (film.n_frames, film.size[0]) == (2, piece.width)


def test_a_piece_says_how_it_is_played():
    piece = Piece(
        "a",
        "A",
        "B.",
        "C.",
        "g.md",
        seed=3,
        place="maze:21x15:2",
        settings=("monster.count=1",),
        overlays=("last seen",),
    )
    assert (
        piece.command("maze")
        == "fieldcraft play maze maze:21x15:2 --seed 3 --set monster.count=1 --overlay 'last seen'"
    )


def test_the_page_is_that_of_the_pieces_and_its_films_are_there_and_small():
    assert (HOME / "docs" / "gallery.md").read_text(encoding="utf-8") == gallery.page_of(PIECES)
    films = sorted((HOME / "docs" / "gallery").iterdir(), key=lambda film: film.stem)
    assert [film.stem for film in films] == sorted(piece.name for _, piece in PIECES)
    assert max(film.stat().st_size for film in films) <= gallery.MOST_BYTES
    assert sum(film.stat().st_size for film in films) < 8_000_000


def test_two_matches_stand_side_by_side(tmp_path):
    """The vortices left, and what the layer that keeps ants apart makes of them right."""
    (piece,) = [piece for _, piece in PIECES if piece.beside is not None]
    gallery.record("ants", replace(piece, width=100), tmp_path / "both.webp", short=True)
    gallery.record(
        "ants", replace(piece, width=100, beside=None), tmp_path / "one.webp", short=True
    )
    with Image.open(tmp_path / "both.webp") as both, Image.open(tmp_path / "one.webp") as one:
        assert both.size == (2 * one.width, one.height)
        left = np.asarray(both.convert("RGB")).astype(int)[:, : one.width]
        assert np.abs(left - np.asarray(one.convert("RGB")).astype(int)).mean() < 4
