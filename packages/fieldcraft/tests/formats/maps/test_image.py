from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import image as image_maps
from fieldcraft.formats.maps import load_map

SUFFIXES = ["png", "bmp", "gif", "jpg", "webp"]
BROWN, GREEN, BLACK, WHITE = (43, 29, 14), (60, 200, 60), (0, 0, 0), (255, 255, 255)


def blocks(*rows: list[tuple[int, ...]], mode: str = "RGB", side: int = 8) -> Image.Image:
    """A picture of squares of one color each: large enough that JPEG keeps them."""
    pixels = np.array(rows, dtype=np.uint8).repeat(side, axis=0).repeat(side, axis=1)
    return Image.fromarray(pixels if mode in ("RGB", "RGBA", "LA") else pixels[..., 0], mode=None)


def corners(walls: np.ndarray, side: int = 8) -> list[str]:
    """One sign per square, '?' where it is not of one kind."""
    height, width = walls.shape
    squares = (
        walls.reshape(height // side, side, width // side, side)
        .swapaxes(1, 2)
        .reshape(height // side, width // side, -1)
    )
    return [
        "".join("#" if square.all() else "?" if square.any() else "-" for square in row)
        for row in squares
    ]


def saved(folder: Path, picture: Image.Image, suffix: str = "png", **options: Any) -> Path:
    path = folder / f"small.{suffix}"
    picture.save(path, **options)
    return path


@pytest.mark.parametrize("suffix", [*SUFFIXES, "jpeg", "PNG"])
def test_dark_is_wall_in_every_format(tmp_path: Path, suffix: str) -> None:
    path = saved(tmp_path, blocks([BLACK, WHITE, BROWN], [GREEN, (100, 100, 100), WHITE]), suffix)
    limit = Image.MAX_IMAGE_PIXELS
    space = load_map(path)
    assert limit == Image.MAX_IMAGE_PIXELS
    assert corners(space.walls) == ["#-#", "-#-"]
    assert (space.shape, space.cell_size, space.origin, space.y_up) == (
        (16, 24),
        1.0,
        (0.0, 0.0),
        False,
    )


def test_the_threshold_is_a_luminance(tmp_path: Path) -> None:
    path = saved(
        tmp_path, Image.fromarray(np.array([[99, 100, 101], [0, 200, 255]], dtype=np.uint8))
    )
    assert load_map(path, threshold=100).walls.tolist() == [
        [True, False, False],
        [True, False, False],
    ]
    assert load_map(path, threshold=255).walls.sum() == 5
    assert load_map(path, threshold=1).walls.sum() == 1


@pytest.mark.parametrize(
    ("color", "tolerance", "expected"),
    [
        ("#2b1d0e", 0, ["--#", "---"]),
        (BROWN, 0, ["--#", "---"]),
        (["#2b1d0e", "black"], 0, ["#-#", "---"]),
        ([BROWN, GREEN], 0, ["--#", "#--"]),
        (np.array(GREEN).tolist(), 0, ["---", "#--"]),
        ("#fff", 0, ["-#-", "--#"]),
        ((44, 30, 15), 0, ["---", "---"]),
        ((44, 30, 15), 1, ["--#", "---"]),
        ("#808080", 128, ["###", "###"]),
    ],
)
def test_a_chosen_color_is_wall(
    tmp_path: Path, color: Any, tolerance: int, expected: list[str]
) -> None:
    path = saved(tmp_path, blocks([BLACK, WHITE, BROWN], [GREEN, (100, 100, 100), WHITE]))
    assert corners(load_map(path, wall_color=color, tolerance=tolerance).walls) == expected


def test_jpeg_needs_some_tolerance(tmp_path: Path) -> None:
    path = saved(tmp_path, blocks([BROWN, WHITE], [GREEN, BROWN], side=16), "jpg")
    assert corners(load_map(path, wall_color=BROWN, tolerance=30).walls, side=16) == ["#-", "-#"]


@pytest.mark.parametrize("suffix", ["png", "webp", "gif"])
def test_transparent_pixels_are_open_unless_said_otherwise(tmp_path: Path, suffix: str) -> None:
    picture = blocks([(*BLACK, 255), (*BLACK, 0), (*WHITE, 0), (*WHITE, 255)], mode="RGBA")
    path = saved(
        tmp_path, picture, suffix, **({"lossless": True, "exact": True} if suffix == "webp" else {})
    )
    assert corners(load_map(path).walls) == ["#---"]
    assert corners(load_map(path, transparent="wall").walls) == ["###-"]
    assert corners(load_map(path, wall_color="black").walls) == ["#---"]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_kind_of_pixel(tmp_path: Path, mode: str) -> None:
    levels = np.array([[0, 255, 0], [255, 255, 0]], dtype=np.uint8)
    picture = (
        Image.fromarray(levels.astype(np.uint16) * 257)
        if mode == "I;16"
        else Image.fromarray(levels).convert(mode)
    )
    path = saved(tmp_path, picture)
    assert load_map(path).walls.tolist() == [[True, False, True], [False, False, True]]


def test_sixteen_bits_are_not_clipped(tmp_path: Path) -> None:
    path = saved(
        tmp_path, Image.fromarray(np.array([[127 * 256 + 255, 128 * 256, 256]], dtype=np.uint16))
    )
    assert load_map(path).walls.tolist() == [[True, False, True]]


def png(width: int, depth: int, color_type: int, row: bytes, key: bytes) -> bytes:
    """One row of pixels as a PNG with a transparent gray level or color."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    header = struct.pack(">IIBBBBB", width, 1, depth, color_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"tRNS", key)
        + chunk(b"IDAT", zlib.compress(b"\x00" + row))
        + chunk(b"IEND", b"")
    )


WIDE = np.array([500, 40, 60000], dtype=">u2").tobytes()
WIDE_COLORS = np.array([[1000, 2000, 3000], [0, 0, 0], [65535] * 3], dtype=">u2").tobytes()


@pytest.mark.parametrize(
    ("depth", "color_type", "row", "key"),
    [
        (16, 0, WIDE, struct.pack(">H", 500)),
        (8, 0, bytes([50, 4, 250]), struct.pack(">H", 50)),
        (4, 0, bytes([0x50, 0xF0]), struct.pack(">H", 5)),
        (2, 0, bytes([0b01001100]), struct.pack(">H", 1)),
        (8, 2, bytes([1, 2, 3, 0, 0, 0, 255, 255, 255]), struct.pack(">HHH", 1, 2, 3)),
        (16, 2, WIDE_COLORS, struct.pack(">HHH", 1000, 2000, 3000)),
    ],
    ids=["gray 16", "gray 8", "gray 4", "gray 2", "color 8", "color 16"],
)
def test_a_transparent_level_or_color_in_every_depth(
    tmp_path: Path, depth: int, color_type: int, row: bytes, key: bytes
) -> None:
    path = tmp_path / "keyed.png"
    path.write_bytes(png(3, depth, color_type, row, key))
    assert load_map(path).walls.tolist() == [[False, True, False]]
    assert load_map(path, transparent="wall").walls.tolist() == [[True, True, False]]


@pytest.mark.parametrize("key", [0, 1])
def test_a_transparent_level_of_one_bit(tmp_path: Path, key: int) -> None:
    path = tmp_path / "bits.png"
    path.write_bytes(png(2, 1, 0, bytes([0b01000000]), struct.pack(">H", key)))
    assert load_map(path).walls.tolist() == [[key == 1, False]]
    assert load_map(path, transparent="wall").walls.tolist() == [[True, key == 1]]


@pytest.mark.parametrize(
    ("orientation", "rows"),
    [
        (1, ["#--", "##-"]),
        (2, ["--#", "-##"]),
        (3, ["-##", "--#"]),
        (4, ["##-", "#--"]),
        (5, ["##", "-#", "--"]),
        (6, ["##", "#-", "--"]),
        (7, ["--", "#-", "##"]),
        (8, ["--", "-#", "##"]),
    ],
)
@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_a_picture_is_turned_as_its_metadata_say(
    tmp_path: Path, suffix: str, orientation: int, rows: list[str]
) -> None:
    metadata = Image.Exif()
    metadata[0x0112] = orientation
    picture = blocks([BLACK, WHITE, WHITE], [BLACK, BLACK, WHITE])
    path = saved(tmp_path, picture, suffix, exif=metadata)
    assert corners(load_map(path).walls) == rows


def test_only_the_first_frame_of_an_animation_counts(tmp_path: Path) -> None:
    frames = [blocks([BLACK, WHITE]), blocks([WHITE, BLACK])]
    path = tmp_path / "small.gif"
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert corners(load_map(path).walls) == ["#-"]


def test_strips_join_without_a_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pixels = np.random.default_rng(3).integers(0, 256, (37, 11, 4), dtype=np.uint8)
    path = saved(tmp_path, Image.fromarray(pixels))
    whole = load_map(path).walls
    monkeypatch.setattr(image_maps, "_STRIP", 25)
    assert np.array_equal(load_map(path).walls, whole)
    red, green, blue, alpha = pixels.astype(float).transpose(2, 0, 1)
    dark = 0.299 * red + 0.587 * green + 0.114 * blue
    clear = np.abs(dark - 128) > 1
    assert np.array_equal(whole[clear], ((dark < 128) & (alpha >= 128))[clear])


def test_cell_size_and_flyers(tmp_path: Path) -> None:
    path = saved(tmp_path, blocks([BLACK, WHITE]))
    assert load_map(path, cell_size=4).size == (64.0, 32.0)
    assert not load_map(path, mobility="air").walls.any()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"threshold": 0}, "threshold=0"),
        ({"threshold": 256}, "at most 255"),
        ({"threshold": 12.5}, "12.5"),
        ({"threshold": 10, "wall_color": "#fff"}, "one of the two"),
        ({"wall_color": "not a color"}, "'not a color'"),
        ({"wall_color": "#11223344"}, "'#11223344'"),
        ({"wall_color": (1, 2)}, "1"),
        ({"wall_color": (1, 2, 300)}, "300"),
        ({"wall_color": (1, 2, -1)}, "-1"),
        ({"wall_color": []}, r"\[\]"),
        ({"wall_color": 7}, "7"),
        ({"wall_color": ["#fff", (1, 2, 3, 4)]}, "4"),
        ({"tolerance": 300}, "tolerance=300"),
        ({"transparent": "maybe"}, "'maybe'"),
        ({"mobility": "water"}, "'ground', 'air'"),
        ({"cell_size": 0}, "cell_size"),
    ],
)
def test_options_are_checked(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(saved(tmp_path, blocks([BLACK, WHITE])), **options)


def encoded(suffix: str, picture: Image.Image | None = None) -> bytes:
    stream = io.BytesIO()
    if picture is None:
        picture = Image.fromarray(
            np.random.default_rng(5).integers(0, 256, (24, 40, 3), dtype=np.uint8)
        )
    picture.save(stream, {"jpg": "JPEG"}.get(suffix, suffix))
    return stream.getvalue()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.6, 0.9])
def test_a_picture_that_is_cut_off_is_refused(tmp_path: Path, suffix: str, share: float) -> None:
    whole = encoded(suffix)
    path = tmp_path / f"cut.{suffix}"
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(BadMapFile, match=rf"cut\.{suffix}") as caught:
        load_map(path)
    assert caught.value.remedy


def test_a_text_with_the_name_of_a_picture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.png"
    path.write_text("@" * 500)
    with pytest.raises(BadMapFile, match="cannot identify"):
        load_map(path)


def test_only_the_five_formats_are_opened(tmp_path: Path) -> None:
    path = tmp_path / "other.png"
    blocks([BLACK, WHITE]).save(path, "TIFF")
    with pytest.raises(BadMapFile, match="PNG, BMP, GIF, JPEG, WEBP"):
        load_map(path)


@pytest.mark.parametrize(
    ("width", "height"), [(9000, 9000), (30_000, 30_000), (2**31 - 1, 2**31 - 1)]
)
def test_bombs_are_refused_before_they_are_decoded(tmp_path: Path, width: int, height: int) -> None:
    content = bytearray(encoded("png", Image.new("L", (10, 10))))
    content[16:24] = struct.pack(">II", width, height)
    content[29:33] = struct.pack(">I", zlib.crc32(content[12:29]))
    path = tmp_path / "bomb.png"
    path.write_bytes(content)
    limit = Image.MAX_IMAGE_PIXELS
    tracemalloc.start()
    with pytest.raises(BadMapFile, match=r"Scale it down|Export it again"):
        load_map(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**22
    assert limit == Image.MAX_IMAGE_PIXELS
