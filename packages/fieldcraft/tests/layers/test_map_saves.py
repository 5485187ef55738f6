"""Save files: a loaded map goes on bit for bit, a damaged one is refused, the old one survives
every accident.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import stat
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base import files
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.layers import map_saves as archive
from fieldcraft.space.encoding import from_bytes, to_bytes
from fieldcraft.space.space_saves import state_of
from fieldcraft.space.wrapping import Wrap
from support.damage import rewrite
from support.forks import forked
from support.refusals import refused, state
from support.worlds import KNIGHT, WRAPS

KNIGHT_AND_FAR = [*KNIGHT, (3, 0)]


def busy_map(
    *, y_up: bool = False, wrap: Wrap = False, neighbors: object = 4, terrain: bool = False
) -> fc.InfluenceMap:
    """A map in the middle of a life: everything that a file has to hold is there."""
    rng = np.random.default_rng(12)
    walls = rng.random((12, 18)) < 0.2
    ground = (
        fc.Terrain(rng.integers(0, 3, (12, 18)), rng.random((3, 3)) < 0.7, ["grass", "mud", "sea"])
        if terrain
        else None
    )
    grid = fc.Grid(
        18,
        12,
        cell_size=0.5,
        origin=(-3.25, 1e3),
        y_up=y_up,
        wrap=wrap,
        walls=walls,
        neighbors=neighbors,
        terrain=ground,
    )
    imap = fc.InfluenceMap(grid)
    rumour = imap.add_layer("rumour", fc.Spread(0.21, 0.3, half_life=0.9, stack="sum"), every=0.1)
    danger = imap.add_layer(
        "danger ☠", fc.Spread(np.float32(0.3), 0.6, falloff="cubic", floor=0.0), every=1 / 30
    )
    imap.add_layer(
        "air", fc.Spread(0.1, 1.0, falloff="linear"), walls=False, cell_size=1.0, every=0.25
    )
    imap.add_layer("boats", fc.Spread(0.1, 0.2), walls=~walls)
    imap.add_layer("height", values=rng.random((12, 18)))
    everywhere = grid.position_of(np.arange(len(grid)))
    ids = rumour.add_sources(
        everywhere[::7], rng.random(len(everywhere[::7])) * 6 - 2, on_wall="through", lifetimes=0.85
    )
    danger.add_sources(
        everywhere[::11],
        rng.random(len(everywhere[::11])) * 9,
        on_wall="nearest",
        lifetimes=rng.random(len(everywhere[::11])) + 0.1,
    )
    danger.sync(
        ["ann", 7, ("red", 2), None, 1.5, np.int64(9)],
        everywhere[:6],
        [1, -2, 3, 4, 5, -6],
        on_wall="through",
    )
    imap["air"].add_source(everywhere[100], 5)
    rumour.sources.remove(ids[2:6])
    imap.advance(0.437)
    rumour.deposit(everywhere[~walls.reshape(-1)][::5], 1.5)
    danger.sync(["ann", ("red", 2), "new"], everywhere[20:23], [2, 2, -4], on_wall="through")
    rumour.sources.set_strengths(rumour.sources.ids[:3], 7)
    imap["boats"].write(rng.random((12, 18)))
    return imap


def go_on(imap: fc.InfluenceMap) -> None:
    """What the map lives through after it was saved, or not."""
    everywhere = imap.space.position_of(np.arange(len(imap.space)))
    imap.advance(0.31)
    imap["danger ☠"].sync(["new", ("red", 2), 99], everywhere[30:33], [1, 8, 3], on_wall="through")
    imap["rumour"].add_sources(everywhere[50:60], 2, on_wall="through", lifetimes=0.2)
    imap["air"].sources.move(imap["air"].sources.ids, everywhere[:1])
    for _ in range(20):
        imap.advance(1 / 30)
    imap.step(3)
    imap["boats"].settle()


def same(one: fc.InfluenceMap, other: fc.InfluenceMap) -> None:
    assert list(one) == list(other)
    assert one.time == other.time
    for name in one:
        # Free rows hold leftovers that nobody reads; everything else must agree.
        assert state(one[name]) == state(other[name])
        assert one[name].steps.due == other[name].steps.due


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    imap = fc.InfluenceMap(fc.Grid(3, 2))
    layer = imap.add_teams(["a"], fc.Spread(0.2, 0.5))["a"]
    layer.sync(["k"], [(0.5, 0.5)], 3)
    imap.step(2)
    path = tmp_path_factory.mktemp("small") / "a.save"
    imap.save(path)
    return path.read_bytes()


MAGIC = b"fieldcraft influence map\n"


def sealed(
    contents: Any = None,
    *,
    version: int = 3,
    data: bytes | None = None,
    length: int | None = None,
) -> bytes:
    """A file with the right checksum, whatever it says."""
    data = to_bytes(contents) if data is None else data
    frame = struct.pack("<IQ", version, len(data) if length is None else length)
    content = MAGIC + frame + zlib.compress(data)
    return content + hashlib.sha256(content).digest()


def opened(data: bytes) -> dict[str, Any]:
    """The contents of a file."""
    contents: dict[str, Any] = from_bytes(zlib.decompress(data[len(MAGIC) + 12 : -32]))
    return contents


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values in dicts and tuples."""
    inside: Any = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, tuple):
        inside = enumerate(value)
    return [path, *(found for key, part in inside for found in places(part, (*path, key)))]


LEFT_OUT = object()


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The same dicts and tuples with another value at a path, or without it."""
    if not path:
        return new
    parts = dict(value.items() if isinstance(value, dict) else enumerate(value))
    parts[path[0]] = changed(parts[path[0]], path[1:], new)
    parts = {key: part for key, part in parts.items() if part is not LEFT_OUT}
    return parts if isinstance(value, dict) else tuple(parts.values())


class TestRoundTrip:
    @pytest.mark.parametrize("y_up", [False, True])
    @pytest.mark.parametrize("wrap", WRAPS)
    @pytest.mark.parametrize("neighbors", [4, 8, KNIGHT_AND_FAR], ids=["4", "8", "table"])
    @pytest.mark.parametrize("terrain", [False, True])
    def test_a_loaded_map_goes_on_like_the_one_that_was_not_saved(
        self, tmp_path: Path, y_up: bool, wrap: Wrap, neighbors: object, terrain: bool
    ) -> None:
        imap = busy_map(y_up=y_up, wrap=wrap, neighbors=neighbors, terrain=terrain)
        imap.save(tmp_path / "map.save")
        loaded = fc.InfluenceMap.load(tmp_path / "map.save")
        same(imap, loaded)
        for name in imap:
            here, there = imap[name].space, loaded[name].space
            assert repr(here) == repr(there)
            assert here.origin == there.origin
            assert here.neighborhood == there.neighborhood
            np.testing.assert_array_equal(here.links(), there.links())
            if here.terrain is not None:
                assert here.terrain.names == there.terrain.names
        assert loaded["rumour"].space is loaded.space
        go_on(imap)
        go_on(loaded)
        same(imap, loaded)

    def test_saving_changes_nothing(self, tmp_path: Path) -> None:
        quiet, saving = busy_map(), busy_map()
        for i in range(4):
            saving.save(tmp_path / f"{i}.save")
            for imap in (quiet, saving):
                imap.advance(0.19)
        go_on(quiet)
        go_on(saving)
        same(quiet, saving)

    def test_the_same_map_gives_the_same_file(self, tmp_path: Path) -> None:
        busy_map().save(tmp_path / "one")
        fc.InfluenceMap.load(tmp_path / "one").save(tmp_path / "two")
        busy_map().copy().save(tmp_path / "three")
        assert (
            (tmp_path / "one").read_bytes()
            == (tmp_path / "two").read_bytes()
            == (tmp_path / "three").read_bytes()
        )

    @pytest.mark.parametrize("moment", ["before", "after"])
    @pytest.mark.parametrize("how", ["save", "copy"])
    def test_walls_that_change_around_it(self, tmp_path: Path, moment: str, how: str) -> None:
        """A wall built just before, which no layer has noticed yet, and one built after, which
        coarser layers follow.
        """
        results = []
        for kept in (True, False):
            imap = fc.InfluenceMap(fc.Grid(9, 6))
            for name, cell_size in (("fine", 1.0), ("coarse", 3.0)):
                imap.add_layer(name, fc.Spread(0.2, 0.5), cell_size=cell_size).add_source(
                    (0.5, 0.5), 5
                )
            imap.step(10)
            wall = [row * 9 + column for row in range(6) for column in (3, 4, 5)]
            if moment == "before":
                imap.space.set_walls(wall)
            if not kept and how == "save":
                imap.save(tmp_path / "map")
                imap = fc.InfluenceMap.load(tmp_path / "map")
            elif not kept:
                imap = imap.copy()
            shown = [imap[name].values.tobytes() for name in imap]
            if moment == "after":
                imap.space.set_walls(wall)
            imap.step(6)
            assert not imap["fine"].values[:, 3:6].any()
            assert not imap["coarse"].values[:, 1].any()
            results.append((shown, [imap[name].values.tobytes() for name in imap]))
        assert results[0] == results[1]

    def test_a_map_without_layers(self, tmp_path: Path) -> None:
        fc.InfluenceMap(fc.Grid(4, 3)).save(tmp_path / "empty")
        assert len(fc.InfluenceMap.load(tmp_path / "empty")) == 0

    def test_a_quiet_map_is_small(self, tmp_path: Path) -> None:
        imap = fc.InfluenceMap(fc.Grid(1024, 512))
        imap.add_layer("a", fc.Spread(0.2, 0.5))
        imap.save(tmp_path / "a")
        assert (tmp_path / "a").stat().st_size < 50_000

    def test_paths_of_every_kind(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        imap = fc.InfluenceMap(fc.Grid(4, 3))
        for path in ("plain", "a b ☠.save", tmp_path / "absolute", "./here"):
            imap.save(path)
            assert fc.InfluenceMap.load(path).space.width == 4
        (tmp_path / "deep").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "deep" / "real")
        imap.save("link")
        assert (tmp_path / "link").is_symlink()
        assert fc.InfluenceMap.load("deep/real").space.width == 4

    @pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
    def test_the_file_is_as_readable_as_any_other(self, tmp_path: Path) -> None:
        (tmp_path / "other").write_bytes(b"")
        fc.InfluenceMap(fc.Grid(4, 3)).save(tmp_path / "map")
        assert stat.S_IMODE((tmp_path / "map").stat().st_mode) == stat.S_IMODE(
            (tmp_path / "other").stat().st_mode
        )

    def test_no_pickle_inside(self, tmp_path: Path) -> None:
        source = Path(archive.__file__).read_text(encoding="utf-8")
        assert "import pickle" not in source
        assert "allow_pickle" not in source


class TestKeys:
    @pytest.mark.parametrize(
        "key", [..., frozenset([1]), b"bytes", (1, (2, ...)), 1j, "\ud800"], ids=ascii
    )
    def test_keys_that_no_file_can_hold(self, tmp_path: Path, key: object) -> None:
        imap = fc.InfluenceMap(fc.Grid(4, 3))
        imap.add_layer("a", fc.Spread(0.2, 0.5)).sync([key], [(0.5, 0.5)])
        with refused(InvalidValue, "Keys" if key != "\ud800" else "Unicode"):
            imap.save(tmp_path / "map")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "key",
        ["", "ä☠", 0, -(2**70), 1e300, -0.0, True, None, (), ((), ("a", (1,)))],
        ids=ascii,
    )
    def test_keys_that_come_back(self, tmp_path: Path, key: object) -> None:
        imap = fc.InfluenceMap(fc.Grid(4, 3))
        layer = imap.add_layer("a", fc.Spread(0.2, 0.5))
        layer.sync([key], [(0.5, 0.5)])
        imap.save(tmp_path / "map")
        loaded = fc.InfluenceMap.load(tmp_path / "map")["a"]
        loaded.sync([key], [(1.5, 0.5)])
        assert loaded.steps.sources.ids.tolist() == layer.steps.sources.ids.tolist()


class TestAccidents:
    """The old file or the new one, whole, and nothing else."""

    def old_and_new(self, folder: Path) -> tuple[Path, bytes, fc.InfluenceMap]:
        path = folder / "map.save"
        fc.InfluenceMap(fc.Grid(4, 3)).save(path)
        return path, path.read_bytes(), fc.InfluenceMap(fc.Grid(7, 5))

    @pytest.mark.parametrize("where", ["fsync", "replace"])
    @pytest.mark.parametrize(
        "error",
        [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()],
        ids=lambda e: type(e).__name__,
    )
    def test_a_failed_write_leaves_the_old_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: BaseException
    ) -> None:
        path, old, imap = self.old_and_new(tmp_path)

        def fail(*unused: object) -> None:
            raise error

        monkeypatch.setattr(files.os if where == "fsync" else Path, where, fail)
        with pytest.raises(BadSaveFile if isinstance(error, OSError) else type(error)):
            imap.save(path)
        monkeypatch.undo()
        assert path.read_bytes() == old
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("moment", ["after the first write", "before the rename"])
    @pytest.mark.skipif(not hasattr(os, "kill"), reason="no kill on this platform")
    def test_a_kill_leaves_the_old_file(self, tmp_path: Path, moment: str) -> None:
        path, old, _ = self.old_and_new(tmp_path)
        code = f"""
import os, signal, pathlib
import fieldcraft as fc
from fieldcraft.base import files
def die(*unused): os.kill(os.getpid(), signal.SIGKILL)
if {moment!r} == "before the rename":
    pathlib.Path.replace = die
else:
    class Sha:
        digest_size = 32
        def update(self, part):
            if len(part) == 12: die()
    files.hashlib.sha256 = Sha
imap = fc.InfluenceMap(fc.Grid(7, 5))
imap.save({str(path)!r})
"""
        result = forked(code)
        assert result.returncode == -9, result.stderr
        assert path.read_bytes() == old
        assert fc.InfluenceMap.load(path).space.width == 4

    def test_saving_over_and_over_leaves_one_file(self, tmp_path: Path) -> None:
        imap = busy_map()
        for _ in range(5):
            imap.advance(0.1)
            imap.save(tmp_path / "map.save")
        assert [file.name for file in tmp_path.iterdir()] == ["map.save"]

    @pytest.mark.parametrize(
        "path",
        ["folder", ".", "file/map", "x" * 300, "nul\0"],
        ids=lambda path: ascii(path[:10]),
    )
    def test_places_that_cannot_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").write_bytes(b"mine")
        with refused(BadSaveFile, "path"):
            fc.InfluenceMap(fc.Grid(4, 3)).save(path)
        assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "folder"]
        assert list((tmp_path / "folder").iterdir()) == []

    @pytest.mark.parametrize("path", [5, None, b"map", ["map"]], ids=repr)
    def test_what_is_no_path(self, path: object) -> None:
        for call in (fc.InfluenceMap(fc.Grid(4, 3)).save, fc.InfluenceMap.load):
            with refused(InvalidValue, "path"):
                call(path)


class TestDamage:
    def load(self, folder: Path, data: bytes) -> fc.InfluenceMap:
        path = folder / "damaged"
        rewrite(path, data)
        return fc.InfluenceMap.load(path)

    def test_a_flipped_bit_of_every_byte_is_noticed(
        self, tmp_path: Path, small_file: bytes
    ) -> None:
        assert self.load(tmp_path, small_file)["a"].values[0, 0] == 3
        data = bytearray(small_file)
        for place in range(len(data)):
            data[place] ^= 1 << place % 8
            with pytest.raises(BadSaveFile):
                self.load(tmp_path, bytes(data))
            data[place] ^= 1 << place % 8

    def test_every_truncation_is_noticed(self, tmp_path: Path, small_file: bytes) -> None:
        for length in range(len(small_file)):
            with pytest.raises(BadSaveFile):
                self.load(tmp_path, small_file[:length])

    @pytest.mark.parametrize(
        "extra", [b"\0", b"x" * 31, b"x" * 32, b"x" * 33, b"x" * 10_000], ids=len
    )
    def test_what_comes_after_is_noticed(
        self, tmp_path: Path, small_file: bytes, extra: bytes
    ) -> None:
        for data in (small_file + extra, extra + small_file, small_file + small_file):
            with refused(BadSaveFile):
                self.load(tmp_path, data)

    @settings(max_examples=40)
    @given(data=st.binary(max_size=300), whole=st.booleans())
    @example(data=b"", whole=False)
    @example(data=b"", whole=True)
    def test_random_bytes(
        self, tmp_path_factory: pytest.TempPathFactory, data: bytes, whole: bool
    ) -> None:
        with refused(BadSaveFile, "damaged"):
            self.load(tmp_path_factory.getbasetemp(), b"fieldcraft influence map\n" * whole + data)

    def test_files_of_another_kind(self, tmp_path: Path) -> None:
        for data in (
            b"PK\x03\x04zip",
            b"\x89PNG\r\n",
            b"{}",
            b"fieldcraft influence map\r\n" + bytes(100),
        ):
            with refused(BadSaveFile, "another kind of file", "damaged"):
                self.load(tmp_path, data)

    def test_nothing_there(self, tmp_path: Path) -> None:
        for path in (tmp_path / "absent", tmp_path, tmp_path / "a" / "b"):
            with refused(BadSaveFile, str(path), "Check the path"):
                fc.InfluenceMap.load(path)
        with refused(BadSaveFile):
            fc.InfluenceMap.load("nul\0")

    @pytest.mark.parametrize("version", [0, 2, 4, 2**32 - 1])
    def test_another_version(self, tmp_path: Path, small_file: bytes, version: int) -> None:
        contents = opened(small_file)
        self.load(tmp_path, sealed(contents))
        with refused(BadSaveFile, f"version {version}", "newer"):
            self.load(tmp_path, sealed(contents, version=version))

    @pytest.mark.parametrize("contents", [None, 5, "x", (), {}, {"ticks": 0}, {"spaces": ()}])
    def test_contents_that_make_no_sense(self, tmp_path: Path, contents: Any) -> None:
        with refused(BadSaveFile):
            self.load(tmp_path, sealed(contents))

    @pytest.mark.parametrize("length", [0, 1, 10**6, 2**63, 2**64 - 1])
    def test_a_length_that_is_wrong(self, tmp_path: Path, small_file: bytes, length: int) -> None:
        with refused(BadSaveFile):
            self.load(tmp_path, sealed(opened(small_file), length=length))


ODD_VALUES = [
    *(None, True, False, -1, 0, 1, 2, 7, 2**31, 2**63, -(2**63), 10**30),
    *(0.5, -1.5, 1e308, float("inf"), "", "x", "exponential"),
    *((), ((),), (1, 2), {}, {"a": 1}, np.zeros(3), np.zeros((2, 2), np.int64)),
]


class TestLies:
    """Files with the right checksum that say wrong things: refused or harmless, never a crash."""

    def survives(self, path: Path, data: bytes) -> None:
        rewrite(path, data)
        try:
            imap = fc.InfluenceMap.load(path)
        except BadSaveFile:
            return
        assert all(np.isfinite(layer.values).all() for layer in imap.layers.values())
        try:
            imap.advance(0.2)
            imap.step(3)
            for layer in imap.layers.values():
                if layer.propagation is not None:
                    layer.add_sources([(0.5, 0.5)] * 20, on_wall="through", outside="clamp")
                    layer.settle()
                    str(layer)
            imap.save(path)
            same(imap, fc.InfluenceMap.load(path))
        except FieldcraftError:
            pass

    def test_every_value_by_every_odd_one(self, tmp_path: Path, small_file: bytes) -> None:
        contents = opened(small_file)
        # A third of all pairs: each place with a third of the values, each value in many places.
        for path, odd in list(itertools.product(places(contents)[1:], ODD_VALUES))[::3]:
            self.survives(tmp_path / "lie", sealed(changed(contents, path, odd)))

    def test_every_value_left_out(self, tmp_path: Path, small_file: bytes) -> None:
        contents = opened(small_file)
        for path in places(contents)[1:]:
            self.survives(tmp_path / "lie", sealed(changed(contents, path, LEFT_OUT)))

    @pytest.mark.parametrize(
        ("key", "value"),
        [("ticks", 1 << 61), ("due", 1 << 61), ("every", 1 << 60), ("due", -1)],
    )
    def test_clocks_that_would_run_over(
        self, tmp_path: Path, small_file: bytes, key: str, value: int
    ) -> None:
        lying = changed(opened(small_file), ("layers", 0, key), value)
        (tmp_path / "lie").write_bytes(sealed(lying))
        with pytest.raises(BadSaveFile):
            fc.InfluenceMap.load(tmp_path / "lie")

    @settings(max_examples=25)
    @given(st.data())
    def test_bytes_of_anything(
        self, tmp_path_factory: pytest.TempPathFactory, small_file: bytes, data: st.DataObject
    ) -> None:
        inside = bytearray(to_bytes(opened(small_file)))
        for _ in range(data.draw(st.integers(1, 8))):
            place = data.draw(st.integers(0, len(inside) - 1))
            inside[place] = data.draw(st.integers(0, 255))
        self.survives(tmp_path_factory.getbasetemp() / "lie", sealed(data=bytes(inside)))

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("cells", 6),
            ("cells", -1),
            ("cells", 2**62),
            ("strengths", np.nan),
            ("strengths", np.inf),
            ("positions", np.nan),
            ("generation", -1),
            ("alive", 0),
            ("free", 0),
            ("free", -1),
            ("free", 99),
        ],
    )
    def test_sources_that_cannot_be(
        self, tmp_path: Path, small_file: bytes, column: str, value: float
    ) -> None:
        contents = opened(small_file)
        array = contents["layers"][0]["sources"][column].copy()
        array.flat[0] = value
        path = tmp_path / "lie"
        path.write_bytes(sealed(changed(contents, ("layers", 0, "sources", column), array)))
        with refused(BadSaveFile, "sources"):
            fc.InfluenceMap.load(path)

    @pytest.mark.skipif(sys.platform != "linux", reason="memory limits of another kind")
    def test_absurd_sizes_take_no_memory(self, tmp_path: Path, small_file: bytes) -> None:
        """A process that may use 500 MB refuses each of these files."""
        contents = opened(small_file)
        grid = contents["spaces"][0]["space"]
        data = to_bytes(contents)
        huge = state_of(grid)[1] | {"width": 2**14, "height": 2**14}
        huge_map = data.replace(to_bytes(grid), b"G" + to_bytes(huge)[1:])
        shape = struct.pack(">QQQ", 2, 2, 3)
        many_cells = data.replace(shape, struct.pack(">QQQ", 2, 2**31, 2**31))
        assert huge_map != data != many_cells
        lies = (
            sealed(data=huge_map),
            sealed(data=many_cells),
            sealed(contents, length=2**62),
            sealed(data=bytes(3 * 10**8), length=10),
        )
        for number, lie in enumerate(lies):
            (tmp_path / str(number)).write_bytes(lie)
        code = f"""
import resource, numpy, scipy, fieldcraft as fc
from pathlib import Path
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 500 * 10**6,) * 2)
for path in sorted(Path({str(tmp_path)!r}).iterdir()):
    try:
        fc.InfluenceMap.load(path)
    except fc.errors.BadSaveFile:
        continue
    raise SystemExit(f"{{path}} was loaded")
print("refused all", end="")
"""
        result = forked(code)
        assert result.stdout == "refused all", result.stderr


def test_a_save_is_refused_before_it_takes_much_memory(tmp_path: Path) -> None:
    busy_map().save(tmp_path / "a.map")
    with refused(BadSaveFile, "most_bytes="):
        fc.InfluenceMap.load(tmp_path / "a.map", most_bytes=1000)


def test_files_left_by_a_killed_process_are_deleted_later(tmp_path: Path) -> None:
    target = tmp_path / "a.map"
    old, new, other = (
        tmp_path / name
        for name in (".a.map.01234567.part", ".a.map.89abcdef.part", ".b.map.01234567.part")
    )
    for file in (old, new, other):
        file.write_bytes(b"unfinished")
    for file in (old, other):
        os.utime(file, (0, 0))
    files.write_sealed(target, (b"whole",))
    assert not old.exists() and new.exists() and other.exists()
