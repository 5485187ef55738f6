"""The one reader of settings: tables of TOML files as frozen dataclasses."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from fieldcraft.base import checks
from fieldcraft.base.errors import BadSettings
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
