from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import fieldcraft as fc
from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.ros import load_ros, read_ros, save_ros

pytest.importorskip("yaml", reason="maps of ROS need PyYAML")

ABOUT = (
    "image: lab.pgm\nresolution: 0.05\norigin: [-3.1, -2.2, 0]\nnegate: 0\noccupied_thresh:"
    " 0.65\nfree_thresh: 0.196\n"
)


def written(folder: Path, shades: list[list[int]], about: str = ABOUT, mode: str = "L") -> Path:
    Image.fromarray(np.array(shades, dtype=np.uint8)).convert(mode).save(
        folder / "lab.pgm", format="PPM" if mode != "LA" else "PNG"
    )
    (folder / "lab.yaml").write_text(about)
    return folder / "lab.yaml"


def test_positions_are_meters_from_the_lower_left(tmp_path: Path) -> None:
    space = load_map(written(tmp_path, [[0, 254, 205], [254, 254, 0]]), neighbors=8)
    assert (space.shape, space.cell_size, space.origin, space.y_up) == (
        (2, 3),
        0.05,
        (-3.1, -2.2),
        True,
    )
    assert space.walls.tolist() == [[True, False, True], [False, False, True]]
    assert space.cell_at((-3.1 + 0.01, -2.2 + 0.01)) == 3  # the lower left pixel
    assert len(space.neighborhood) == 8


@pytest.mark.parametrize(
    ("lines", "unknown", "walls"),
    [
        ("mode: trinary", "wall", "--###"),
        ("mode: trinary", "open", "---##"),
        ("negate: 1", "wall", "####-"),
        ("negate: 1", "open", "##---"),
        ("mode: scale", "wall", "---##"),
        ("mode: scale\noccupied_thresh: 0.5", "wall", "--###"),
        ("mode: raw", "open", "----#"),
        ("mode: raw", "wall", "####-"),
        ("free_thresh: 0.1", "wall", "-####"),
    ],
)
def test_rules_of_the_map_server(tmp_path: Path, lines: str, unknown: str, walls: str) -> None:
    keys = {line.split(":")[0] for line in lines.splitlines()}
    about = (
        "\n".join([line for line in ABOUT.splitlines() if line.split(":")[0] not in keys] + [lines])
        + "\n"
    )
    shades = [254, 210, 130, 80, 0] if "raw" not in lines else [254, 200, 130, 101, 40]
    if lines == "mode: raw" and unknown == "open":
        shades = [254, 200, 130, 40, 90]
    space = load_ros(written(tmp_path, [shades], about), unknown=unknown)
    assert "".join("#" if wall else "-" for wall in space.walls[0]) == walls


@pytest.mark.parametrize(
    ("mode", "shades", "percent"),
    [
        ("trinary", [254, 210, 130, 80, 0], [0, 0, -1, 100, 100]),
        ("scale", [254, 205, 130, 89, 0], [0, 0, 65, 100, 100]),
        ("raw", [0, 40, 65, 100, 101], [0, 40, 65, 100, -1]),
    ],
)
@pytest.mark.parametrize("unknown", ["wall", "open"])
def test_values_are_those_of_an_occupancy_grid(
    tmp_path: Path, mode: str, shades: list[int], percent: list[int], unknown: str
) -> None:
    about = ABOUT + f"mode: {mode}\n"
    path = written(tmp_path, [shades], about)
    found = read_ros(path, unknown=unknown)
    assert found.space == load_ros(path, unknown=unknown)
    assert found.unknown[0].tolist() == [each < 0 for each in percent]
    missing = 1.0 if unknown == "wall" else 0.0
    wanted = [each / 100 if each >= 0 else missing for each in percent]
    assert found.occupancy.dtype == np.float32
    assert found.occupancy[0].tolist() == pytest.approx(wanted)


def test_occupancy_is_a_cost_of_paths(tmp_path: Path) -> None:
    gray, free = 140, 254
    rows = [[free, gray, gray, gray, free], [free, free, free, free, free]]
    path = written(tmp_path, rows, ABOUT + "mode: scale\n")
    space, occupancy, _ = read_ros(path, neighbors=4)
    assert not space.walls.any()
    start, goal = space.position_of(0), space.position_of(4)
    assert fc.shortest_path(space, start, goal).length == pytest.approx(0.2)
    around = fc.shortest_path(space, start, goal, cost=1 + 20 * occupancy)
    assert around.length == pytest.approx(0.3)


def gray_picture(form: str, shares: list[float]) -> bytes:
    """One row of gray pixels, 0 black to 1 white, as a picture of a form."""
    bright = np.array([shares])
    header = f"{len(shares)} 1\n"
    stream = io.BytesIO()
    if form.startswith("PGM"):
        greatest = int(form.split()[1])
        kind = ">u2" if greatest > 255 else "u1"
        levels = np.rint(bright * greatest).astype(kind)
        return f"P5\n{header}{greatest}\n".encode() + levels.tobytes()
    if form == "text PGM":
        levels = " ".join(str(round(share * 1000)) for share in shares)
        return f"P2\n{header}1000\n{levels}\n".encode()
    if form == "PPM 65535":
        levels = np.rint(bright[..., None].repeat(3, axis=2) * 65535).astype(">u2")
        return f"P6\n{header}65535\n".encode() + levels.tobytes()
    if form == "PFM":
        return f"Pf\n{header}-1.0\n".encode() + bright.astype("<f4").tobytes()
    if form == "PNG of 16 bits":
        picture = Image.fromarray(np.rint(bright * 65535).astype(np.uint16))
    else:
        picture = Image.fromarray(np.rint(bright * 255).astype(np.uint8)).convert(form)
    picture.save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    "form",
    [
        *("PGM 100", "PGM 255", "PGM 256", "PGM 1000", "PGM 65535", "text PGM", "PPM 65535"),
        *("PFM", "PNG of 16 bits", "L", "LA", "P", "RGB", "RGBA"),
    ],
)
def test_gray_levels_mean_the_same_in_every_kind_of_picture(tmp_path: Path, form: str) -> None:
    path = written(tmp_path, [[0]])
    (tmp_path / "lab.pgm").write_bytes(gray_picture(form, [0.0, 0.16, 0.3, 0.5, 0.7, 0.9, 1.0]))
    assert load_ros(path).walls.tolist() == [[True, True, True, True, True, False, False]]
    assert load_ros(path, unknown="open").walls.tolist() == [[True, True, True] + 4 * [False]]


def test_black_and_white_pictures_of_one_bit(tmp_path: Path) -> None:
    path = written(tmp_path, [[0]])
    for content in (b"P4\n3 1\n\x40", b"P1\n3 1\n0 1 0\n"):
        (tmp_path / "lab.pgm").write_bytes(content)
        assert load_map(path).walls.tolist() == [[False, True, False]]


def test_transparent_levels_of_sixteen_bits_are_unknown(tmp_path: Path) -> None:
    path = written(tmp_path, [[0]])
    levels = Image.fromarray(np.array([[0, 300, 65535]], dtype=np.uint16))
    levels.save(tmp_path / "lab.pgm", "PNG", transparency=300)
    assert load_ros(path, unknown="wall").walls.tolist() == [[True, True, False]]
    assert load_ros(path, unknown="open").walls.tolist() == [[True, False, False]]


def test_a_turn_in_the_metadata_is_not_applied(tmp_path: Path) -> None:
    """The map server does not apply it either, and `origin` is a corner of the stored picture."""
    metadata = Image.Exif()
    metadata[0x0112] = 6
    path = written(tmp_path, [[0]])
    picture = Image.fromarray(np.array([[0, 254, 254]], dtype=np.uint8))
    picture.save(tmp_path / "lab.pgm", "PNG", exif=metadata)
    assert load_map(path).walls.tolist() == [[True, False, False]]


@pytest.mark.parametrize("mode", ["Trinary", "TRINARY", "Raw", "Scale"])
def test_modes_in_upper_or_lower_case(tmp_path: Path, mode: str) -> None:
    shades = [[254, 200, 130, 101, 40]]
    loaded = load_map(written(tmp_path, shades, f"{ABOUT}mode: {mode}\n"))
    lower = load_map(written(tmp_path, shades, f"{ABOUT}mode: {mode.lower()}\n"))
    assert np.array_equal(loaded.walls, lower.walls)


def test_numbers_with_an_exponent_and_no_dot(tmp_path: Path) -> None:
    about = (
        "image: lab.pgm\nresolution: 5e-2\norigin: [-1e1, 2e0, 0e0]\nnegate: '0'\n"
        "occupied_thresh: 65e-2\nfree_thresh: 196E-3\n"
    )
    space = load_map(written(tmp_path, [[0, 254, 205]], about))
    assert (space.cell_size, space.origin) == (0.05, (-10.0, 2.0))
    assert space.walls.tolist() == [[True, False, True]]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    for y_up in (True, False):
        walls = np.random.default_rng(3).random((7, 11)) < 0.3
        grid = fc.Grid(11, 7, walls=walls, cell_size=0.1, origin=(2.5, -1.0), y_up=y_up)
        save_ros(tmp_path / "rooms.yaml", grid)
        back = load_ros(tmp_path / "rooms.yaml")
        for cell in range(len(grid)):
            assert back.walls.flat[back.cell_at(grid.position_of(cell))] == grid.walls.flat[cell]


def test_a_map_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    grid = fc.Grid(4, 3)
    for path, space in (
        (tmp_path / "a.txt", grid),
        (tmp_path / "a.yaml", fc.Grid(4, 3, wrap=True)),
        (tmp_path / "a.yaml", grid.to_graph()),
    ):
        with pytest.raises(InvalidValue):
            save_ros(path, space)  # type: ignore[arg-type]
    (tmp_path / "nowhere").write_text("a file")
    with pytest.raises(InvalidValue):
        save_ros(tmp_path / "nowhere" / "deep" / "a.yaml", grid)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nowhere"]


@pytest.mark.parametrize(
    "about",
    [
        "",
        "- 1",
        "image: lab.pgm",
        ABOUT.replace("0.05", "-1"),
        ABOUT.replace("0.05", "x"),
        ABOUT.replace("0.05", ".inf"),
        ABOUT.replace("-2.2, 0]", "-2.2, 1.5]"),
        ABOUT.replace("[-3.1, -2.2, 0]", "7"),
        ABOUT.replace("0.65", "0.1"),
        ABOUT.replace("negate: 0", "negate: 3"),
        ABOUT + "mode: blurred\n",
        ABOUT + "mode: [raw]\n",
        ABOUT.replace("lab.pgm", "none.pgm"),
        ABOUT.replace("lab.pgm", "[a]"),
        ABOUT.replace("lab.pgm", "'.'"),
        "a: &a [1]\n" + "b: !!python/object/apply:os.system [ls]\n",
        "{" * 5000,
        ABOUT + "#" * 70_000,
    ],
)
def test_other_files_are_refused(tmp_path: Path, about: str) -> None:
    with pytest.raises(BadMapFile):
        load_map(written(tmp_path, [[0, 254]], about))


def test_the_recipe_of_inflation_is_the_documented_formula() -> None:
    """nav2's guide: cost = exp(-cost_scaling_factor * (distance - inscribed_radius)) * (INSCRIBED -
    1), with INSCRIBED 253, LETHAL 254.
    """
    page = (Path(__file__).resolve().parents[5] / "docs" / "coming_from.md").read_text(
        encoding="utf-8"
    )
    recipe = next(
        block
        for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
        if "inflated" in block
    )
    walls = np.random.default_rng(4).random((43, 61)) < 0.003
    space = fc.Grid(walls=walls, cell_size=0.5, y_up=True)
    names: dict[str, Any] = {"np": np, "space": space}
    exec(recipe, names)
    inscribed, reach, scaling = (names[name] for name in ("inscribed", "reach", "scaling"))
    blocked = np.argwhere(space.walls)
    for row, column in np.ndindex(walls.shape):
        cells = float(np.sqrt(((blocked - (row, column)) ** 2).sum(axis=1)).min())
        distance = cells * space.cell_size
        if distance == 0:
            cost = 254
        elif cells > np.ceil(reach / space.cell_size):
            cost = 0
        elif distance <= inscribed:
            cost = 253
        else:
            cost = int(np.exp(-scaling * (distance - inscribed)) * (253 - 1))
        assert names["inflated"][row, column] == cost
    assert {0, 253, 254} < set(np.unique(names["inflated"]).tolist())


def test_aliases_that_stand_for_long_lists_are_refused(tmp_path: Path) -> None:
    lists = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for number in range(1, 9):
        tens = ", ".join([f"*a{number - 1}"] * 10)
        lists.append(f"a{number}: &a{number} [{tens}]")
    about = "\n".join([*lists, "image: *a8", "resolution: 1", "origin: [0, 0, 0]"])
    with pytest.raises(BadMapFile, match="an alias"):
        load_ros(written(tmp_path, [[0]], about))


@pytest.mark.parametrize("origin", ["[1]", "[1, 2, 0, 0]", "[1, 2, 0.5]"])
def test_an_origin_is_a_place_without_a_turn(tmp_path: Path, origin: str) -> None:
    with pytest.raises(BadMapFile, match="origin"):
        load_ros(written(tmp_path, [[0]], ABOUT.replace("[-3.1, -2.2, 0]", origin)))
