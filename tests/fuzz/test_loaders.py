"""Every loader takes a mutant of a file, or refuses it by an error of fieldcraft, in little time
and memory. Checksums of mutants are made right. `make fuzz` tries 2,000 mutants for each loader.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import signal
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft.base import files
from fieldcraft.base.errors import FieldcraftError
from fieldcraft.base.settings.dataclasses import settings_from
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.formats.maps import load_map, load_scenarios
from fieldcraft.formats.recordings import Timeline
from fieldcraft.space import encoding as serialization
from fieldcraft_cluster import checkpoint
from fieldcraft_lab.session import Session
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play import saving
from fieldcraft_worlds.play.session import Session as Match
from fieldcraft_worlds.play.settings import kinds_of
from support.map_files import FILES, TILESET
from support.sessions import RECIPE, recipe_world, small_map

MUTANTS = int(os.environ.get("FIELDCRAFT_FUZZ", "20"))
SECONDS = 20.0 if MUTANTS < 100 else 8.0  # the short run compiles kernels
BYTES = 3 << 30  # beyond what the process has
ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    2,
    2**31,
    2**40,
    10**30,
    -(10**30),
    float("nan"),
    float("inf"),
    -1e308,
    1e-300,
    "",
    "this:GAME",
    "../../precious",
    (),
    (1, 2),
    {},
    {"a": 1},
    np.zeros(0, np.uint8),
    np.full((2, 3), np.nan, np.float32),
]


class TooSlow(BaseException):
    """A loader took more time than any file may cost."""


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Bound the processor time and the memory of a block."""

    def ring(*_: object) -> None:
        raise TooSlow

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, ring)
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, before[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def size_of(value: Any) -> int:
    """Return how many values, letters and cells a value is made of."""
    parts: Any = ()
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, (tuple, list)):
        parts = value
    elif is_dataclass(value) and not isinstance(value, type):
        parts = vars(value).values()
    return 1 + sum(size_of(part) for part in parts)


def mutated(value: Any, rng: np.random.Generator) -> Any:
    """Return a value with one of its parts, however deep, replaced by another."""
    parts = dict(enumerate(value)) if isinstance(value, (tuple, list)) else value
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    if isinstance(parts, dict) and parts and rng.random() < 0.93:
        names = list(parts)
        name = names[int(rng.integers(len(names)))]
        changed = {**parts, name: mutated(parts[name], rng)}
        if isinstance(value, dict):
            if rng.random() < 0.03:
                del changed[name]
            if rng.random() < 0.03:
                changed["unknown"] = ODD[int(rng.integers(len(ODD)))]
            return changed
        if isinstance(value, (tuple, list)):
            again = 1000 if rng.random() < 0.03 and size_of(changed) < 1000 else 1
            return type(value)(changed.values()) * again
        made = object.__new__(type(value))
        for each, part in {**vars(value), **changed}.items():
            object.__setattr__(made, each, part)
        return made
    if isinstance(value, np.ndarray) and value.size and rng.random() < 0.7:
        if rng.random() < 0.2:
            return value.reshape(-1)[:-1]
        spoilt = value.copy()
        known: tuple[Any, ...] = {"f": (np.nan, np.inf, -1e30, 7.5), "b": (True, False)}.get(
            value.dtype.kind, ()
        ) or (0, 1, 127, int(np.iinfo(value.dtype).max))
        spoilt.reshape(-1)[int(rng.integers(value.size)) :] = known[int(rng.integers(len(known)))]
        return spoilt
    if type(value) is int and rng.random() < 0.5:
        return value + int(rng.choice([-1, 1, 1 << 20, 1 << 33]))
    return ODD[int(rng.integers(len(ODD)))]


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Return bytes with a few of them changed, dropped or repeated."""
    found = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(max(len(found), 1)))
        length = int(rng.integers(1, 9))
        kind = int(rng.integers(4))
        if kind == 0:
            found[at : at + length] = rng.bytes(length)
        elif kind == 1:
            del found[at : at + length]
        elif kind == 2:
            found[at:at] = found[at : at + 30]
        else:
            found[at:at] = rng.choice([b"-", b"9999999999", b"nan", b"[", b'"', b"\xff", b"1e999"])
    return bytes(found)


def sealed_again(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


@dataclass
class Target:
    """A loader: how its file is made, how a mutant is written, and how it is loaded and used."""

    make: Callable[[Path], Any]
    write: Callable[[Path, Any, np.random.Generator], None]
    load: Callable[[Path], object]


def bytes_of(make: Callable[[Path], object]) -> Callable[[Path], bytes]:
    def made(path: Path) -> bytes:
        make(path)
        return path.read_bytes()

    return made


def write_bytes(path: Path, data: bytes, rng: np.random.Generator) -> None:
    path.write_bytes(damaged(data, rng))


# Influence maps


def busy_map() -> fc.InfluenceMap:
    imap = small_map().imap
    imap.add_layer("seen", fc.Fade(half_life=3.0)).mark([(4.5, 4.5)])
    imap.add_layer("gas", fc.Diffuse(rate=0.1)).add_source((2.5, 2.5), 1.0, lifetime=3.0)
    imap.step(3)
    return imap


def hex_map() -> fc.InfluenceMap:
    imap = fc.InfluenceMap(fc.HexGrid(9, 7))
    imap.add_layer("threat", fc.Spread(decay=0.2, momentum=0.5)).add_source((3.0, 3.0), 5.0)
    imap.add_layer("seen", fc.Fade(half_life=3.0)).mark([(4.0, 4.0)])
    imap.step(2)
    return imap


def graph_map() -> fc.InfluenceMap:
    corners = [(0, 0), (4, 0), (8, 0), (0, 3), (4, 3), (8, 3)]
    mesh = fc.Graph.from_polygons(corners, [(0, 1, 4, 3), (1, 2, 5, 4)])
    imap = fc.InfluenceMap(mesh)
    imap.add_layer("threat", fc.Spread(decay=0.2, momentum=0.5)).add_source((3.0, 2.0), 5.0)
    imap.step(2)
    return imap


def write_map(path: Path, data: bytes, rng: np.random.Generator) -> None:
    magic = b"fieldcraft influence map\n"
    contents = serialization.from_bytes(zlib.decompress(data[len(magic) + 12 : -32]))
    for _ in range(int(rng.integers(1, 3))):
        contents = mutated(contents, rng)
    with contextlib.suppress(FieldcraftError):
        packed = serialization.to_bytes(contents)
        if rng.random() < 0.4:  # the parts of spaces, too
            packed = damaged(packed, rng)
        frame = struct.pack("<IQ", 2, len(packed))
        path.write_bytes(sealed_again(magic + frame + zlib.compress(packed)))


def load_imap(path: Path) -> None:
    imap = fc.InfluenceMap.load(path)
    imap.step(2)
    imap.advance(0.1)


# Sessions of the lab


def write_session(path: Path, data: bytes, rng: np.random.Generator) -> None:
    magic = b"fieldcraft lab session\n"
    value = mutated(serialization.from_bytes(data[len(magic) + 1 : -32]), rng)
    log = value.get("log") if isinstance(value, dict) else None
    if isinstance(log, np.ndarray) and log.dtype == np.uint8 and rng.random() < 0.3:
        value["log"] = np.frombuffer(damaged(log.tobytes(), rng), np.uint8)
    with contextlib.suppress(FieldcraftError):
        path.write_bytes(sealed_again(magic + bytes([1]) + serialization.to_bytes(value)))


def save_session(path: Path) -> None:
    session = Session(small_map())
    session.step(5)
    session.save(path)


def save_recipe_session(path: Path) -> None:
    session = Session(recipe_world(path.parent))
    session.step(5)
    session.save(path)


def load_session(path: Path) -> None:
    Session.load(path, most_steps=2_000, check=False).step()


# Games


GAMES: dict[str, dict[str, Any]] = {
    "ants": {"ants": 40, "piles": 1},
    "chase": {},
    "flock": {"birds": 40},
    "maze": {},
    "physarum": {},
    "tether": {},
    "towers": {},
}


def opened_game(name: str) -> Match:
    game = find_game(name)
    space = fc.Grid(40, 30, wrap=name == "flock")
    match = Match(game, space, settings_from(game.settings, GAMES[name]), seed=3)
    for _ in range(5):
        match.step()
    return match


def game_target(name: str) -> Target:
    def kinds(match: Match) -> tuple[type, ...]:
        return tuple(dict.fromkeys((*match.game.kinds, *kinds_of(match.settings))))

    def make(path: Path) -> Any:
        match = opened_game(name)
        match.save(path)
        found = saving.read(path)
        return found.header, found.value(kinds(match)), kinds(match)

    def write(path: Path, made: Any, rng: np.random.Generator) -> None:
        header, value, known = made
        with contextlib.suppress(FieldcraftError, TypeError):
            saving.write(path, header, mutated(value, rng), known)

    def load(path: Path) -> None:
        Match.load(path, find_game).step()

    return Target(make, write, load)


# Worlds in blocks


def make_world(path: Path) -> Any:
    world = cluster.World(path.parent / "world", (40, 30), block=16, halo_steps=3)
    world.add_layer("threat", fc.Spread(decay=0.1, momentum=0.6)).add_sources([(3.5, 3.5)], 5.0)
    world.add_layer("trail", fc.Trail()).deposit([(9.5, 9.5)], 2.0)
    world.add_layer("seen", fc.Fade(), reach=2.0).mark([(20.5, 9.5)], radius=2.0)
    world.add_layer("near", fc.Radial(3.0)).add_sources([(30.5, 9.5)], 1.0, lifetimes=2.0)
    world.step(4)
    world.checkpoint()
    world.close()
    file = path.parent / "world" / "world.fieldcraft"
    data = file.read_bytes()[len(checkpoint._MAGIC) + checkpoint._FRAME.size : -32]
    blocks = sorted((path.parent / "world" / "blocks").iterdir())
    return serialization.from_bytes(data, checkpoint._KINDS), {
        each: each.read_bytes() for each in blocks
    }


def write_world(path: Path, made: Any, rng: np.random.Generator) -> None:
    found, blocks = made
    for file in (path.parent / "world" / "blocks").iterdir():
        if file not in blocks:
            file.unlink()
    for file, data in blocks.items():
        file.write_bytes(data)
    magic = b"fieldcraft block\n"
    if rng.random() < 0.5:
        found = mutated(found, rng)
    else:
        file = list(blocks)[int(rng.integers(len(blocks)))]
        (length,) = struct.unpack_from("<Q", blocks[file], len(magic))
        begin = len(magic) + 8
        header = mutated(serialization.from_bytes(blocks[file][begin : begin + length]), rng)
        with contextlib.suppress(FieldcraftError):
            text = serialization.to_bytes(header)
            body = blocks[file][begin + length : -32]
            file.write_bytes(sealed_again(magic + struct.pack("<Q", len(text)) + text + body))
    with contextlib.suppress(FieldcraftError, TypeError):
        text = serialization.to_bytes(found, checkpoint._KINDS)
        head = checkpoint._FRAME.pack(checkpoint._VERSION, len(text))
        target = path.parent / "world" / "world.fieldcraft"
        files.write_sealed(target, (checkpoint._MAGIC, head, text))


def load_world(path: Path) -> None:
    world = cluster.World(path.parent / "world", (40, 30), block=16, halo_steps=3)
    for layer in world.layers.values():
        layer.overview(8)
    world.step(2)
    world.advance(0.1)


# Recipes, recordings, maps


def save_recipe(path: Path) -> None:
    path.write_text(RECIPE)


TIMELINE = (
    "seconds,id,group,x,y,strength\n0,a,red,1,2,3\n0.5,b,blue,4,5,1\n1,a,red,2,2,3\n2,b,blue,,,0\n"
)

PICTURE = b"P2\n4 3\n255\n255 255 0 255\n255 0 0 255\n255 255 255 255\n"
ROS = b"image: picture.pgm\nresolution: 0.5\norigin: [1.0, 2.0, 0.0]\nnegate: 0\n" + (
    b"occupied_thresh: 0.65\nfree_thresh: 0.196\n"
)
TMX = b"""<map orientation="orthogonal" width="4" height="3" tilewidth="10" tileheight="10">
<tileset firstgid="5" name="stones" tilewidth="10" tileheight="10" tilecount="9" columns="3">
<tile id="0">
<properties>
<property name="Collides" type="bool" value="true" />
</properties>
</tile>
<tile id="1">
<properties>
<property name="collides" type="bool" value="false" />
</properties>
</tile>
<tile id="2">
<properties>
<property name="solid" type="string" value="true" />
<property name="tint" type="color" value="" />
</properties>
</tile>
<tile id="3">
<properties>
<property name="wall" type="int" value="1" />
</properties>
</tile>
<tile id="4">
<properties>
<property name="lava" type="bool" value="true" />
</properties>
</tile>
<tile id="40">
<properties>
<property name="wall" type="bool" value="true" />
</properties>
</tile>
</tileset>
<layer name="ground" width="4" height="3">
<data encoding="csv" compression="">5,6,7,8,9,0,45,1,4026531845,0,0,0</data>
</layer>
<group name="g">
<layer name="walls" width="4" height="3">
<data encoding="base64" compression="zlib">eJxjYGBgYGZABcxYxECAHYgBAWwAEQ==</data>
</layer>
</group>
<objectgroup name="walls">
<object id="1" x="3" y="4" width="20" height="9" rotation="12">
<properties>
<property name="solid" type="bool" value="true" />
</properties>
</object>
<object id="2" x="3" y="4">
<polygon points="0,0 9,1 4,14" />
</object>
<object id="3" x="3" y="4" width="20" height="9">
<ellipse />
</object>
</objectgroup>
</map>"""
TMJ = {
    "type": "map",
    "orientation": "orthogonal",
    "width": 4,
    "height": 3,
    "tilewidth": 10,
    "tileheight": 10,
    "layers": [
        {
            "type": "tilelayer",
            "name": "ground",
            "width": 4,
            "height": 3,
            "data": [5, 6, 7, 8, 9, 0, 45, 1, 4026531845, 0, 0, 0],
        },
        {
            "type": "group",
            "name": "g",
            "layers": [
                {
                    "type": "tilelayer",
                    "name": "walls",
                    "width": 4,
                    "height": 3,
                    "data": "eJxjYGBgYGZABcxYxECAHYgBAWwAEQ==",
                    "encoding": "base64",
                    "compression": "zlib",
                }
            ],
        },
        {
            "type": "objectgroup",
            "name": "walls",
            "objects": [
                {
                    "id": 1,
                    "x": 3,
                    "y": 4,
                    "width": 20,
                    "height": 9,
                    "rotation": 12,
                    "properties": [{"name": "solid", "type": "bool", "value": True}],
                },
                {
                    "id": 2,
                    "x": 3,
                    "y": 4,
                    "polygon": [{"x": 0, "y": 0}, {"x": 9, "y": 1}, {"x": 4, "y": 14}],
                },
                {"id": 3, "x": 3, "y": 4, "width": 20, "height": 9, "ellipse": True},
            ],
        },
    ],
    "tilesets": [TILESET],
}
ENDLESS = {
    "type": "map",
    "orientation": "orthogonal",
    "width": 4,
    "height": 3,
    "tilewidth": 10,
    "tileheight": 10,
    "layers": [
        {
            "type": "tilelayer",
            "name": "walls",
            "width": 4,
            "height": 3,
            "chunks": [{"x": -2, "y": -1, "width": 2, "height": 2, "data": [1, 0, 0, 0]}],
        }
    ],
    "tilesets": [],
    "infinite": True,
}
MAPS = {
    **FILES,
    "level.tmx": TMX,
    "level.tmj": json.dumps(TMJ).encode(),
    "endless.tmj": json.dumps(ENDLESS).encode(),
}


def write_json(path: Path, data: bytes, rng: np.random.Generator) -> None:
    if rng.random() < 0.5:
        write_bytes(path, data, rng)
    else:
        content = mutated(json.loads(data), rng)
        path.write_text(json.dumps(content, default=lambda value: value.tolist()))


def make_ros(path: Path) -> list[tuple[Path, bytes]]:
    return [(path, ROS), (path.with_name("picture.pgm"), PICTURE)]


def write_ros(path: Path, made: list[tuple[Path, bytes]], rng: np.random.Generator) -> None:
    chosen = int(rng.integers(2))
    for number, (file, data) in enumerate(made):
        file.write_bytes(damaged(data, rng) if number == chosen else data)


def save_tiff(path: Path) -> None:
    space = fc.Grid(5, 3)
    layer = fc.InfluenceMap(space).add_layer("a", values=np.ones((3, 5)))
    pytest.importorskip("fieldcraft.formats.maps.geotiff").save_geotiff(path, layer, space)


TARGETS = {
    "map": Target(bytes_of(lambda path: busy_map().save(path)), write_map, load_imap),
    "hex map": Target(bytes_of(lambda path: hex_map().save(path)), write_map, load_imap),
    "graph map": Target(bytes_of(lambda path: graph_map().save(path)), write_map, load_imap),
    "session": Target(bytes_of(save_session), write_session, load_session),
    "recipe session": Target(bytes_of(save_recipe_session), write_session, load_session),
    **{name: game_target(name) for name in GAMES},
    "cluster": Target(make_world, write_world, load_world),
    "recipe.toml": Target(bytes_of(save_recipe), write_bytes, read_recipe),
    "timeline.csv": Target(
        bytes_of(lambda path: path.write_text(TIMELINE)), write_bytes, Timeline.read
    ),
    "level.scen": Target(
        bytes_of(lambda path: path.write_bytes(b"version 1\n0\ta.map\t9\t9\t1\t2\t3\t4\t2.8\n")),
        write_bytes,
        load_scenarios,
    ),
    "level.yaml": Target(make_ros, write_ros, load_map),
    "level.tif": Target(bytes_of(save_tiff), write_bytes, load_map),
    **{
        name: Target(
            bytes_of(lambda path, data=data: path.write_bytes(data)),
            write_json if data[:1] == b"{" else write_bytes,
            load_map,
        )
        for name, data in MAPS.items()
    },
}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is bounded on Linux")
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", TARGETS)
def test_a_mutant_is_loaded_or_refused(name: str, tmp_path: Path) -> None:
    target, path = TARGETS[name], tmp_path / name.replace(" ", "-")
    made = target.make(path)
    found = []
    for seed in range(MUTANTS):
        target.write(path, made, np.random.default_rng(seed))
        try:
            with bounded():
                target.load(path)
        except FieldcraftError:
            continue
        except (Exception, TooSlow) as error:
            trace, place = error.__traceback__, ""
            while trace is not None:
                code = trace.tb_frame.f_code
                if "fieldcraft" in code.co_filename:
                    place = f"{code.co_filename}:{trace.tb_lineno}"
                trace = trace.tb_next
            found.append(f"mutant {seed}: {type(error).__name__}: {error!s:.100} at {place}")
    assert not found, "\n".join(found)
