from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.play.settings import kinds_of, read_table, settings_from
from support.wandering import Settings, Stride


@dataclass(frozen=True)
class Many:
    whole: int = 3
    number: float = 1.5
    flag: bool = False
    word: str = "a"
    pair: tuple[float, float] = (1.0, 2.0)
    names: tuple[str, ...] | str = "all"
    kind: Literal["one", "two"] = "one"
    limit: float | None = 9.0
    stride: Stride = field(default_factory=Stride)
    strides: tuple[Stride, ...] = ()


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


def test_what_is_not_said_stays() -> None:
    assert settings_from(Many, {}) == Many()


def test_every_type(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text(
        'whole = 7\nnumber = 2\nflag = true\nword = "ä"\npair = [3, 4.5]\nnames = ["x", "y"]\nkind'
        ' = "two"\nlimit = "none"\n[stride]\nlength = 1\n[[strides]]\nwobble = 0.25\n'
    )
    made = settings_from(Many, read_table(file))
    assert made == Many(
        7,
        2.0,
        True,
        "ä",
        (3.0, 4.5),
        ("x", "y"),
        "two",
        None,
        Stride(length=1.0),
        (Stride(wobble=0.25),),
    )
    assert type(made.number) is float
    assert type(made.pair[0]) is float


def test_set_comes_after_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("dots = 7\n[stride]\nlength = 1.0\nwobble = 0.0\n")
    table = read_table(file, ["dots=9", "stride.length=0.5", "rate = 25"])
    assert settings_from(Settings, table) == Settings(9, 25, 1000, Stride(0.5, 0.0))


def test_words_need_no_quotes_on_the_command_line() -> None:
    assert settings_from(Many, read_table(None, ["word=hello there", "kind=two"])) == Many(
        word="hello there", kind="two"
    )


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("wohle=3", "Perhaps 'whole' is meant"),
        ("zzz=3", "Known: whole, number"),
        ("stride.lenth=3", "Perhaps 'length' is meant"),
        ("whole=3.5", "whole is a whole number"),
        ("whole=true", "whole is a whole number"),
        ("flag=1", "flag is True or False"),
        ("number=x", "number is a number"),
        ("word=3", "word is a text"),
        ("pair=[1]", "pair is a list of 2"),
        ("pair=[1, false]", "pair[1] is a number"),
        ("names=[1]", "names is a text"),
        ("kind=three", "'one', 'two'"),
        ("stride=3", "stride is a table"),
    ],
)
def test_what_does_not_fit(override: str, said: str) -> None:
    with pytest.raises(InvalidValue, match=re.escape(said)):
        settings_from(Many, read_table(None, [override]))


@pytest.mark.parametrize("text", ["dots", "=3", "a..b=3", ""])
def test_set_takes_a_key_and_a_value(text: str) -> None:
    with pytest.raises(InvalidValue, match="KEY=VALUE"):
        read_table(None, [text])


def test_set_into_a_plain_value() -> None:
    with pytest.raises(InvalidValue, match="dots is a plain value"):
        read_table(None, ["dots=3", "dots.x=4"])


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("a = [1,")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    for name in ("a.toml", "b.toml", "c.toml", "."):
        with pytest.raises(InvalidValue, match=r"line 1|file"):
            read_table(tmp_path / name)


def test_the_settings_themselves_refuse() -> None:
    with pytest.raises(InvalidValue, match="dots=0"):
        settings_from(Settings, {"dots": 0})


def test_kinds() -> None:
    assert kinds_of(Settings()) == (Settings, Stride)
    assert kinds_of(Many(strides=(Stride(),))) == (Many, Stride)
