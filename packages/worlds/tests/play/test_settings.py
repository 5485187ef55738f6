from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings import settings_from
from fieldcraft_worlds.play.settings import kinds_of, read_table
from support.wandering import Settings, Stride


@dataclass(frozen=True)
class Pace:
    speed: float
    force: float = 2.0


@dataclass(frozen=True)
class Paces:
    walk: Pace = field(default_factory=lambda: Pace(4.0, 9.0))
    run: Pace = field(default_factory=lambda: Pace(7.0))
    others: tuple[Pace, ...] = ()


def test_part_of_a_table_leaves_the_rest_as_it_is_there() -> None:
    made = settings_from(Paces, read_table(None, ["walk.speed=5", "run.force=3"]))
    assert made == Paces(Pace(5.0, 9.0), Pace(7.0, 3.0))
    assert settings_from(Paces, {"others": [{"speed": 1}]}).others == (Pace(1.0),)
    with pytest.raises(InvalidValue, match="The key 'speed' is needed"):
        settings_from(Paces, {"others": [{"force": 1.0}]})


def test_set_comes_after_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("dots = 7\n[stride]\nlength = 1.0\nwobble = 0.0\n")
    table = read_table(file, ["dots=9", "stride.length=0.5", "rate = 25"])
    assert settings_from(Settings, table) == Settings(9, 25, 1000, Stride(0.5, 0.0))


def test_the_settings_themselves_refuse() -> None:
    with pytest.raises(InvalidValue, match="dots=0"):
        settings_from(Settings, {"dots": 0})


def test_kinds() -> None:
    assert kinds_of(Settings()) == (Settings, Stride)
