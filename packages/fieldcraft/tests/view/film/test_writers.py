"""Writers of films: GIF, WebP, MP4."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fieldcraft import FieldcraftError, view
from fieldcraft.view.film.writers import _packed, _palette
from support.films import GREY, Image, av, flat_frames, left_over


def read_back(path: Path) -> tuple[list[np.ndarray], list[int]]:
    with Image.open(path) as picture:
        frames, durations = [], []
        for i in range(getattr(picture, "n_frames", 1)):
            picture.seek(i)
            frames.append(np.asarray(picture.convert("RGB")))
            durations.append(picture.info.get("duration", 0))
    return frames, durations


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
