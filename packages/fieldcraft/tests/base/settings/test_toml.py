"""TOML files: lines of keys, overrides, limits."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.base.errors import BadSettings
from fieldcraft.base.settings import toml
from fieldcraft.base.settings.dataclasses import SettingsFile


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
