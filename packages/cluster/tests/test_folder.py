"""The folder of a world: no other file is ever deleted, and a forged checkpoint is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.base.files import write_sealed
from fieldcraft.space.encoding import from_bytes, to_bytes
from fieldcraft_cluster import checkpoint as checkpoints
from fieldcraft_cluster.folder import BLOCKS, MARKER
from support.forks import forked
from support.refusals import refused

SIZE = (40, 30)


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def world_in(folder: Path) -> cluster.World:
    return cluster.World(folder, SIZE, block=16)


def filled(folder: Path) -> cluster.World:
    world = world_in(folder)
    world.add_layer("threat", fc.Spread(decay=0.1, momentum=0.6)).add_sources([(3.5, 3.5)], 5.0)
    world.step(3)
    world.checkpoint()
    return world


def test_a_folder_with_other_files_is_not_taken(tmp_path: Path) -> None:
    blocks = tmp_path / BLOCKS
    blocks.mkdir()
    (blocks / "notes.txt").write_text("mine")
    with refused(InvalidValue, "empty folder", "blocks"):
        world_in(tmp_path)
    assert (blocks / "notes.txt").read_text() == "mine" and names_in(tmp_path) == [BLOCKS]


def test_only_its_own_files_are_deleted(tmp_path: Path) -> None:
    world = filled(tmp_path)
    mine = [tmp_path / BLOCKS / name for name in ("notes.txt", "threat-0-1-00.block", ".x.part")]
    for file in mine:
        file.write_text("mine")
    label = (tmp_path / MARKER).read_text().split()[-1]
    left = tmp_path / BLOCKS / f".{label}-threat-0-1-0123456789.block.01234567.part"
    left.write_text("unfinished")
    before = set(names_in(tmp_path / BLOCKS))
    world.step(3)
    world.checkpoint()
    assert all(file.read_text() == "mine" for file in mine) and not left.exists()
    assert len(before - set(names_in(tmp_path / BLOCKS))) > 1
    assert world_in(tmp_path).layer("threat").digest() == world.layer("threat").digest()


def test_one_process_at_a_time_uses_a_folder(tmp_path: Path) -> None:
    first, again = filled(tmp_path), world_in(tmp_path)
    script = (
        "from pathlib import Path\nfrom packages.cluster.tests.test_folder import world_in\n"
        f"world_in(Path({str(tmp_path)!r})).step()"
    )
    first.close()
    assert "another process uses" in forked(script).stderr
    again.close()
    assert forked(script).returncode == 0


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    world = filled(tmp_path / "world")
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "world" / BLOCKS).rename(elsewhere)
    (tmp_path / "world" / BLOCKS).symlink_to(elsewhere)
    with refused(InvalidValue, "link"):
        world_in(tmp_path / "world")
    files = sorted(names_in(elsewhere))
    world.step(3)
    world.checkpoint()
    assert set(files) <= set(names_in(elsewhere))


FORGED: list[tuple[str, Any]] = [
    ("ticks", 1 << 61),
    ("number", 1.5),
    ("changed", None),
    ("layers.due", 10**30),
    ("layers.every", 0),
    ("layers.steps", 1 << 60),
    ("layers.reach", float("nan")),
    ("layers.propagation", None),
    ("layers.files", ("../../precious",)),
    ("layers.files", ("/etc/passwd",)),
    ("layers.sources", {}),
]


@pytest.mark.parametrize(("where", "value"), FORGED)
def test_a_forged_checkpoint_is_refused(tmp_path: Path, where: str, value: Any) -> None:
    filled(tmp_path)
    target = tmp_path / "world.fieldcraft"
    data = target.read_bytes()[len(checkpoints._MAGIC) : -32]
    found = from_bytes(data[checkpoints._FRAME.size :], checkpoints._KINDS)
    part, _, name = where.rpartition(".")
    place = found[part][0] if part else found
    assert name in place
    place[name] = value
    text = to_bytes(found, checkpoints._KINDS)
    head = checkpoints._FRAME.pack(checkpoints._VERSION, len(text))
    write_sealed(target, (checkpoints._MAGIC, head, text))
    with pytest.raises((BadSaveFile, FieldcraftError)):
        _ = world_in(tmp_path)


def test_a_call_makes_a_bounded_number_of_steps(tmp_path: Path) -> None:
    world = world_in(tmp_path)
    world.add_layer("threat", fc.Fade(), every=1e-6)
    with refused(InvalidValue, "One call takes at most", "layer 'threat'"):
        world.advance(10.0)
    assert world.time == 0


def test_a_world_ends_where_a_checkpoint_could_not_hold_its_time(tmp_path: Path) -> None:
    world = world_in(tmp_path)
    world.add_layer("threat", fc.Fade(), every=1e8)
    world.advance(1e9)
    with refused(InvalidValue, "A clock counts at most", "51 years"):
        world.advance(1e9)
    with refused(InvalidValue, "A clock counts at most", "51 years"):
        world.step(10)
    assert world.time == 1e9
    world.checkpoint()
    world.close()
    assert world_in(tmp_path).time == 1e9


def test_a_folder_that_cannot_be_locked_is_refused(tmp_path: Path) -> None:
    filled(tmp_path).close()
    lock = tmp_path / "in-use.lock"
    lock.unlink()
    lock.mkdir()
    with refused(InvalidValue, "can be written"):
        world_in(tmp_path)


def test_a_relative_folder_is_that_of_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    world = filled(Path("world"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    world.step(1)
    world.checkpoint()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    world.close()
    script = f"import fieldcraft_cluster; fieldcraft_cluster.World({str(tmp_path / 'world')!r}, {SIZE}, block=16)"
    assert forked(script).returncode == 0, "the folder is still locked"
