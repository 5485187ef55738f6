from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft import FieldcraftError, view
from fieldcraft.base.errors import InvalidValue, MissingLibrary
from fieldcraft.view.film.film import SUFFIXES
from fieldcraft.view.film.writers import _packed, _palette
from support.forks import forked

av = pytest.importorskip("av")
Image = pytest.importorskip("PIL.Image")


def flat_frames(
    count: int, colors: int, *, height: int = 37, width: int = 53, seed: int = 0
) -> list[np.ndarray]:
    """Frames of blocks that change here and there, of at most `colors` colors all together."""
    random = np.random.default_rng(seed)
    palette = random.integers(0, 256, (colors, 3), dtype=np.uint8)
    cells = random.integers(0, colors, (height, width))
    frames = []
    for _ in range(count):
        row, column = random.integers(0, height - 5), random.integers(0, width - 7)
        cells[row : row + 5, column : column + 7] = random.integers(0, colors, (5, 7))
        frames.append(np.dstack([palette[cells], np.full((height, width), 255, np.uint8)]))
    return frames


def read_back(path: Path) -> tuple[list[np.ndarray], list[int]]:
    with Image.open(path) as picture:
        frames, durations = [], []
        for i in range(getattr(picture, "n_frames", 1)):
            picture.seek(i)
            frames.append(np.asarray(picture.convert("RGB")))
            durations.append(picture.info.get("duration", 0))
    return frames, durations


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("channels", [3, 4])
def test_a_png_decodes_to_the_same_pixels(tmp_path: Path, channels: int):
    frame = np.random.default_rng(1).integers(0, 256, (31, 47, channels), dtype=np.uint8)
    view.save_png(tmp_path / "a.png", frame)
    with Image.open(tmp_path / "a.png") as picture:
        assert (np.asarray(picture) == frame).all()
    assert left_over(tmp_path) == ["a.png"]


@pytest.mark.parametrize("colors", [1, 2, 7, 200, 255, 256])
def test_a_gif_of_few_colors_keeps_them_exactly(tmp_path: Path, colors: int):
    frames = flat_frames(6, colors)
    view.save_film(tmp_path / "a.gif", frames, fps=10)
    back, durations = read_back(tmp_path / "a.gif")
    assert len(back) == 6
    assert all((a == b[..., :3]).all() for a, b in zip(back, frames, strict=True))
    assert durations == [100] * 6


def test_a_gif_keeps_frames_of_256_colors_each_even_if_the_film_has_more(tmp_path: Path):
    frames = [flat_frames(1, 256, seed=seed)[0] for seed in range(4)]
    view.save_film(tmp_path / "a.gif", frames, fps=10)
    assert all(
        (a == b[..., :3]).all()
        for a, b in zip(read_back(tmp_path / "a.gif")[0], frames, strict=True)
    )


def test_a_gif_of_many_colors_shares_a_good_palette(tmp_path: Path):
    y, x = np.mgrid[:60, :90].astype(np.uint8)
    frames = [
        np.dstack([x * 2, y * 3, np.full_like(x, 40 * k), np.full_like(x, 255)]) for k in range(3)
    ]
    frames.append(flat_frames(1, 12, height=60, width=90)[0])
    view.save_film(tmp_path / "a.gif", frames, fps=10)
    back, _ = read_back(tmp_path / "a.gif")
    assert (back[3] == frames[3][..., :3]).all()
    for a, b in zip(back[:3], frames, strict=False):
        assert np.abs(a.astype(int) - b[..., :3]).mean() < 6
    assert len(np.unique(_packed(np.concatenate(back[:3])))) <= 255


@pytest.mark.parametrize(("fps", "total"), [(30, 100), (24, 125), (7, 429), (50, 60)])
def test_gif_times_do_not_drift(tmp_path: Path, fps: float, total: int):
    view.save_film(tmp_path / "a.gif", flat_frames(30, 5), fps=fps)
    durations = read_back(tmp_path / "a.gif")[1]
    assert sum(durations) / 10 == total
    assert max(durations) - min(durations) <= 10


def test_gifs_and_webps_repeat_for_ever(tmp_path: Path):
    for name in ("a.gif", "a.webp"):
        view.save_film(tmp_path / name, flat_frames(3, 5))
        with Image.open(tmp_path / name) as picture:
            assert picture.info["loop"] == 0


@pytest.mark.parametrize("count", [1, 4])
def test_a_webp_keeps_every_color_unless_told_otherwise(tmp_path: Path, count: int):
    random = np.random.default_rng(2)
    frames = [random.integers(0, 256, (20, 33, 3), dtype=np.uint8) for _ in range(count)]
    view.save_film(tmp_path / "a.webp", frames, fps=12.5)
    back, durations = read_back(tmp_path / "a.webp")
    assert all((a == b).all() for a, b in zip(back, frames, strict=True))
    assert count == 1 or durations == [80] * count
    view.save_film(tmp_path / "b.webp", frames, quality=20)
    assert (tmp_path / "b.webp").stat().st_size < (tmp_path / "a.webp").stat().st_size / 2


@pytest.mark.parametrize(("height", "width"), [(48, 64), (33, 57), (1, 1)])
def test_an_mp4_has_every_frame_in_even_size(tmp_path: Path, height: int, width: int):
    frames = [
        view.frame(np.full((height, width), value), limits=(0, 8), scale=1) for value in range(1, 8)
    ]
    view.save_film(tmp_path / "a.mp4", frames, fps=12)
    with av.open(str(tmp_path / "a.mp4")) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height) == (width + width % 2, height + height % 2)
        assert stream.codec_context.name == "h264"
        assert stream.pix_fmt == "yuv420p"
        assert stream.average_rate == Fraction(12)
        back = [
            picture.reformat(format="rgb24", src_colorspace="ITU709").to_ndarray()
            for picture in container.decode(video=0)
        ]
    assert len(back) == len(frames)
    for shown, frame in zip(back, frames, strict=True):
        assert np.abs(shown[:height, :width].astype(int) - frame[..., :3]).max() < 12


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


GREY = np.full((4, 6, 4), 255, np.uint8)
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


def test_a_missing_encoder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise ValueError("h264")

    monkeypatch.setattr(av.codec, "Codec", refuse)
    with pytest.raises(FieldcraftError, match=r"H\.264.*webp"):
        view.save_film(tmp_path / "a.mp4", [GREY])
    assert left_over(tmp_path) == []


def test_few_colors_stand_for_themselves():
    colors = np.unique(np.random.default_rng(4).integers(0, 2**24, 200).astype(np.uint32))
    assert (_palette(colors, 255) == colors).mean() > 0.9
