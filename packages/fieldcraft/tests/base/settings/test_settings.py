"""The one reader of settings: tables of TOML files as frozen dataclasses."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.base import checks
from fieldcraft.base.errors import BadSettings
from fieldcraft.base.settings import toml
from fieldcraft.base.settings.dataclasses import Positive, SettingsFile, Size, Table, settings_from


@dataclass(frozen=True)
class Pace:
    speed: Positive
    force: float = field(default=2.0, metadata={"check": checks.not_negative, "key": "from"})


@dataclass(frozen=True)
class Many:
    whole: Size = 3
    number: float = 1.5
    flag: bool = False
    pair: tuple[float, float] = (1.0, 2.0)
    names: tuple[str, ...] | str = "all"
    kind: Literal["one", "two"] = "one"
    limit: float | None = 9.0
    pace: Pace = field(default_factory=lambda: Pace(4.0, 9.0))
    paces: tuple[Pace, ...] = ()


def test_every_type() -> None:
    text = (
        'whole = 7\nnumber = 2\nflag = true\npair = [3, 4.5]\nnames = ["x"]\nkind = "two"\nlimit ='
        ' "none"\n[pace]\nspeed = 1\n[[paces]]\nspeed = 2\nfrom = 3\n'
    )
    made = settings_from(Many, tomllib.loads(text))
    paces = (Pace(2.0, 3.0),)
    assert made == Many(7, 2.0, True, (3.0, 4.5), ("x",), "two", None, Pace(1.0, 9.0), paces)
    assert type(made.number) is float
    assert settings_from(Many, {}) == Many()


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"wohle": 3}, "Perhaps 'whole' is meant"),
        ({"whole": 0}, "whole is at least 1"),
        ({"flag": 1}, "flag is True or False"),
        ({"pair": [1]}, "pair is a list of 2"),
        ({"pair": [1, "x"]}, "pair[1] is a number"),
        ({"names": [1]}, "names is a text"),
        ({"kind": "three"}, "'one', 'two'"),
        ({"pace": 3}, "pace is a table"),
        ({"pace": {"speed": -1}}, "pace: speed is above 0"),
        ({"paces": [{"from": 1}]}, "The key 'speed' is needed"),
    ],
)
def test_what_is_refused(table: dict[str, Any], says: str) -> None:
    with pytest.raises(BadSettings, match=re.escape(says)):
        settings_from(Many, table)


def test_all_problems_come_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "many.toml"
    path.write_text('whole = 0\n\n[pace]\nspeed = 1\nforse = 2 # "\n[other]\n')
    file = SettingsFile(path, ["number=x"])
    table = Table(file, (), file.table)
    assert table.make(Many, Many()) is not None
    table.finish()
    with pytest.raises(BadSettings) as caught:
        file.raise_all()
    begins = ("--set number: ", "line 1: whole is at least 1", "line 5: pace: ", "line 6: ")
    for begin, problem in zip(begins, caught.value.problems, strict=True):
        assert problem.startswith(begin)
    file.raise_all()  # the problems were reported


def test_overrides() -> None:
    text = '[[paces]]\nname = "walk"\nspeed = 1\n'
    file = SettingsFile(None, ["paces.walk.speed=3", "pace.speed = 2"], text=text, open_ended=True)
    assert file.table == {"paces": [{"name": "walk", "speed": 3}], "pace": {"speed": 2}}
    for override in ("paces.run.speed=3", "pace.speed=2", "dots", "=3", "a..b=3"):
        with pytest.raises(BadSettings, match="--set"):
            SettingsFile(None, [override], text=text)


NAMES = st.lists(st.text("ab-_1", min_size=1, max_size=3), min_size=1, max_size=4, unique=True)


@given(NAMES, NAMES, st.integers(0, 2))
def test_keys_that_begin_a_line_have_that_line(tables, keys, blank):
    lines: list[str] = []
    expected = {}
    for name in tables:
        for at in range(2):
            lines += [""] * blank + [f"[[ {name} ]] # [x]"]
            for key in keys:
                lines += [f'"{key}" = [', '  "[a]", "b = 1",', "]"]
                expected[name, at, key] = len(lines) - 2
                expected[name, at, key, 1] = len(lines) - 2
    file = SettingsFile(None, text="\r\n".join(lines))
    assert {place: file.line(place) for place in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        "x." * 40 + "x = 1",
        "x." * 20_000 + "x = 1",
        "[" + "x . " * 40 + "x]",
        "[[" + '"x".' * 40 + "x]]",
        "a = {" + "x.'x'." * 20 + "x = 1}",
        "a = 1 # x\n" + "x." * 40 + "x = 1",
        'a = """\nx = \'\n"""\n' + "x." * 40 + "x = 1",
        "a = " + "[" * 41 + "]" * 41,
        "a = " + "{a = [" * 30 + "]}" * 30,
        "a = 0x" + "f" * 10_000,
    ],
)
def test_structures_that_take_the_parser_long_are_refused_before_it(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toml.tomllib, "loads", lambda text: pytest.fail("it was parsed"))
    with pytest.raises(BadSettings, match="at most") as caught:
        SettingsFile(None, text=text)
    assert f"line {text.count(chr(10)) + 1}: " in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "x." * 39 + "x = 1",
        "a = " + "[" * 40 + "]" * 40,
        "a = '" + "x." * 100 + "'",
        'a = "' + "[" * 100 + '"',
        'a = """\n' + "x." * 20_000 + 'x = 1\n"""\nb = 1',
        "a = '''\n[" + "x." * 20_000 + "x]\n'''",
        "# " + "x." * 100,
        "a = [" + "1.5, " * 100 + "]",
        "a = '" + "x" * 5_000 + "'",
    ],
)
def test_texts_and_comments_may_look_like_long_keys(text: str) -> None:
    file = SettingsFile(None, text=text)
    assert file.table == tomllib.loads(text)
    assert file.line(("b",)) == (4 if "b = 1" in text else 1)


def test_settings_from_a_text_are_as_small_as_a_file() -> None:
    with pytest.raises(BadSettings, match="at most 262,144 letters"):
        SettingsFile(None, text="#" * (toml.MAX_BYTES + 1))


def test_overrides_are_few_and_short() -> None:
    with pytest.raises(BadSettings, match="at most 40 parts"):
        SettingsFile(None, ["x." * 40 + "x=1"], open_ended=True)
    with pytest.raises(BadSettings, match="at most 1,000 times"):
        SettingsFile(None, [f"x{i}=1" for i in range(1_001)], open_ended=True)
    assert toml.parse_value("[" * 50) == "[" * 50
    assert toml.parse_value("x." * 50) == "x." * 50


def test_many_problems_are_counted() -> None:
    file = SettingsFile(None, text="")
    for number in range(150):
        file.report(("a",), f"problem {number}.")
    with pytest.raises(BadSettings, match="50 more problems") as caught:
        file.raise_all()
    assert "problem 99." in str(caught.value)
    assert "problem 100." not in str(caught.value)
