from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft import view
from fieldcraft.base.errors import InvalidValue, MissingLibrary
from fieldcraft.view.film.film import SUFFIXES
from support.films import GREY, Image, flat_frames, left_over
from support.forks import forked


@pytest.mark.parametrize("channels", [3, 4])
def test_a_png_decodes_to_the_same_pixels(tmp_path: Path, channels: int):
    frame = np.random.default_rng(1).integers(0, 256, (31, 47, channels), dtype=np.uint8)
    view.save_png(tmp_path / "a.png", frame)
    with Image.open(tmp_path / "a.png") as picture:
        assert (np.asarray(picture) == frame).all()
    assert left_over(tmp_path) == ["a.png"]


def test_memory_does_not_grow_with_the_number_of_frames(tmp_path: Path):
    frame = view.frame(np.random.default_rng(3).uniform(0, 5, (30, 40)), scale=10)

    def peak(suffix: str, count: int) -> int:
        tracemalloc.start()
        view.save_film(tmp_path / f"a{suffix}", (frame for _ in range(count)))
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    for suffix in (".webp", ".mp4", ".gif"):
        peak(suffix, 2)
        assert peak(suffix, 40) < peak(suffix, 5) + 2 * frame.nbytes


def test_a_film_shows_nothing_at_its_path_before_it_is_closed(tmp_path: Path):
    path = tmp_path / "a.gif"
    path.write_bytes(b"old")
    with view.Film(path) as film:
        film.add(flat_frames(1, 3)[0])
        assert path.read_bytes() == b"old"
    assert path.read_bytes()[:6] == b"GIF89a"
    assert film.frames == 1
    assert left_over(tmp_path) == ["a.gif"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path, suffix: str):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"old")

    def run() -> None:
        with view.Film(path) as film:
            film.add(flat_frames(1, 3)[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    assert path.read_bytes() == b"old"
    assert left_over(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".mp4"])
def test_a_kill_in_the_middle_leaves_no_half_film(tmp_path: Path, suffix: str):
    code = (
        "import os, numpy as np; from fieldcraft import view\n"
        f"film = view.Film({str(tmp_path / 'a')!r} + {suffix!r})\n"
        "for k in range(5): film.add(np.full((30, 40, 3), 10 * k, np.uint8))\n"
        "os._exit(9)"
    )
    assert forked(code).returncode == 9
    assert not (tmp_path / f"a{suffix}").exists()


def test_frames_of_another_size_are_refused(tmp_path: Path):
    def run() -> None:
        with view.Film(tmp_path / "a.mp4") as film:
            film.add(np.zeros((20, 30, 3), np.uint8))
            film.add(np.zeros((20, 31, 3), np.uint8))

    with pytest.raises(InvalidValue, match=r"\(20, 31, 3\) after \(20, 30, 3\)"):
        run()
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_film_without_frames_is_refused(tmp_path: Path, suffix: str):
    with pytest.raises(InvalidValue, match="at least one frame"):
        view.save_film(tmp_path / f"a{suffix}", [])
    assert left_over(tmp_path) == []


CLEAR = np.zeros((4, 6, 4), np.uint8)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda folder: view.Film(folder / "a.avi"), r"\.png, \.gif, \.webp, \.mp4"),
        (lambda folder: view.Film(folder / "a"), "suffix"),
        (
            lambda folder: view.save_png(Path(__file__) / "a.png", np.zeros((2, 2, 4), np.uint8)),
            "folder",
        ),
        (lambda folder: view.Film(folder / "a.gif", fps=0), "fps"),
        (lambda folder: view.Film(folder / "a.gif", fps=60), "50"),
        (lambda folder: view.Film(folder / "a.mp4", fps=float("nan")), "nan"),
        (lambda folder: view.Film(folder / "a.mp4", fps=5000), "5000"),
        (lambda folder: view.Film(folder / "a.mp4", fps=1e-9), "1e-09"),
        (lambda folder: view.Film(folder / "a.gif", quality=80), "quality"),
        (lambda folder: view.Film(folder / "a.webp", quality=101), "quality"),
        (lambda folder: view.save_png(folder / "a.gif", GREY), "save_film"),
        (lambda folder: view.save_film(folder / "a.png", [GREY, GREY]), "one frame"),
        (lambda folder: view.save_film(folder / "a.gif", [CLEAR]), "opaque"),
        (lambda folder: view.save_film(folder / "a.mp4", [CLEAR]), "opaque"),
        (lambda folder: view.save_film(folder / "a.webp", [GREY.astype(float)]), "uint8"),
        (lambda folder: view.save_film(folder / "a.webp", [GREY[..., 0]]), r"\(4, 6\)"),
        (
            lambda folder: view.save_film(folder / "a.webp", [np.zeros((0, 6, 3), np.uint8)]),
            "uint8",
        ),
        (
            lambda folder: view.save_film(folder / "a.webp", [np.zeros((1, 20000, 3), np.uint8)]),
            "16,383",
        ),
    ],
)
def test_bad_input_is_refused_and_leaves_no_file(
    tmp_path: Path, call: Callable[[Path], Any], word: str
):
    with pytest.raises(InvalidValue, match=word):
        call(tmp_path)
    assert left_over(tmp_path) == []


def test_a_closed_film_takes_no_more_frames(tmp_path: Path):
    film = view.Film(tmp_path / "a.png")
    film.add(GREY)
    film.close()
    film.close()
    with pytest.raises(InvalidValue, match="closed"):
        film.add(GREY)


@pytest.mark.parametrize(
    ("suffix", "module", "library"),
    [(".png", "PIL", "Pillow"), (".gif", "PIL", "Pillow"), (".mp4", "av", "PyAV")],
)
def test_a_missing_library_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, module: str, library: str
):
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingLibrary, match=rf"{library}.*fieldcraft\[view\]"):
        view.Film(tmp_path / f"a{suffix}")


def test_the_slowest_gif_is_written_and_a_slower_one_refused(tmp_path):
    frames = [np.full((4, 6, 4), 255, dtype=np.uint8), np.full((4, 6, 4), 128, dtype=np.uint8)]
    frames[1][..., 3] = 255
    view.save_film(tmp_path / "slow.gif", frames, fps=0.002)
    with Image.open(tmp_path / "slow.gif") as film:
        assert film.info["duration"] == 500_000
    with pytest.raises(InvalidValue, match=r"0\.002 to 50"):
        view.save_film(tmp_path / "slower.gif", frames, fps=0.001)
