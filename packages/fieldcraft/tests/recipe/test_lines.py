from __future__ import annotations

import json
import random
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.recipe.lines import find_lines

TEXT = '''# a recipe
title = "a # b = [x]"

[map]  # where
file = 'x"]y'
note = """
[not.a.table]
key = 1 \\"""
"""
raw = \'\'\'
k = 2\'\'\'\'

[layers.threat]
decay = 0.5
spread.momentum = 1
[[sources]]
position = [
  1,   # one
  2,
]
[[sources]]
more = { a = 1, "b.c" = { d = [ {e = 1}, 2 ] } }
when = 1979-05-27 07:32:00
  [sources.deep]
  x = -inf
  [[sources.deep.list]]
  y = 1
[[sources]]
z = 0
'''


def test_lines_of_everything_one_can_write():
    tomllib.loads(TEXT)
    lines = find_lines(TEXT)
    expected = {
        ("title",): 2,
        ("map",): 4,
        ("map", "file"): 5,
        ("map", "note"): 6,
        ("map", "raw"): 10,
        ("layers",): 13,
        ("layers", "threat"): 13,
        ("layers", "threat", "decay"): 14,
        ("layers", "threat", "spread", "momentum"): 15,
        ("sources",): 16,
        ("sources", 0): 16,
        ("sources", 0, "position"): 17,
        ("sources", 0, "position", 0): 18,
        ("sources", 0, "position", 1): 19,
        ("sources", 1, "more", "b.c", "d", 0, "e"): 22,
        ("sources", 1, "when"): 23,
        ("sources", 1, "deep"): 24,
        ("sources", 1, "deep", "x"): 25,
        ("sources", 1, "deep", "list", 0, "y"): 27,
        ("sources", 2, "z"): 29,
    }
    assert {keys: lines.get(keys) for keys in expected} == expected
    assert set(paths(tomllib.loads(TEXT))) == set(lines)
    assert find_lines(TEXT.replace("\n", "\r\n")) == lines


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only",
        "a=1",
        '"" = 1',
        "a.'b c'.\"\\u00e9\" = 1",
        "[a]\n[b]",
        "a = []",
        "a = {}",
        'a = """"""',
        "x = ''''a''''",
    ],
)
def test_small_texts(text):
    assert set(find_lines(text)) == set(paths(tomllib.loads(text)))


def paths(value: object, keys: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [keys] if keys else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        found += paths(item, (*keys, key))
    return found


KEY = st.text(st.sampled_from('ab-_ ."#[]=é\n'), max_size=4)
LEAF = st.one_of(
    st.integers(),
    st.booleans(),
    st.floats(allow_nan=False),
    st.text(st.sampled_from("a\"'#[]{}=,\\\n \t"), max_size=8),
)
VALUE = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=3),
    max_leaves=8,
)


def write(
    document: dict[str, object], random_: random.Random
) -> tuple[str, dict[tuple[str | int, ...], int]]:
    """TOML text of a document in varied notation, with the line of each top-level key and of each
    key in tables.
    """
    lines: list[str] = []
    expected: dict[tuple[str | int, ...], int] = {}

    def leaf(value: object) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            if "'" not in value and "\n" not in value and random_.random() < 0.5:
                return f"'{value}'"
            if random_.random() < 0.5:
                quoted = value.replace("\\", "\\\\").replace('"', '\\"')
                return f'"""\n{quoted}"""'
            return json.dumps(value)
        if isinstance(value, list):
            between = random_.choice([",", ", ", " ,\n  ", ", # [\n"])
            return (
                "["
                + between.join(leaf(item) for item in value)
                + random_.choice(["", "\n", " "])
                + "]"
            )
        if isinstance(value, dict):
            return (
                "{ "
                + ", ".join(
                    f"{json.dumps(key, ensure_ascii=False)} = {leaf(item)}"
                    for key, item in value.items()
                )
                + " }"
            )
        return repr(value)

    def put(text: str) -> int:
        lines.extend(text.split("\n"))
        return len(lines) - text.count("\n")

    tables = []
    for key, value in document.items():
        if (
            isinstance(value, (dict, list))
            and value
            and (isinstance(value, dict) or all(isinstance(item, dict) for item in value))
        ):
            tables.append((key, value))
        else:
            expected[(key,)] = put(
                f"{random_.choice(['', '  '])}{json.dumps(key, ensure_ascii=False)} ="
                f" {leaf(value)}{random_.choice(['', ' # = ['])}"
            )
    for key, value in tables:
        name = json.dumps(key, ensure_ascii=False)
        for index, table in [(None, value)] if isinstance(value, dict) else list(enumerate(value)):
            start = put(f"[{name}] # x" if index is None else f"[[ {name} ]]")
            prefix = (key,) if index is None else (key, index)
            expected[prefix] = start
            for inner, item in table.items():
                expected[(*prefix, inner)] = put(
                    f"{json.dumps(inner, ensure_ascii=False)}={leaf(item)}"
                )
    return "\n".join(lines), expected


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEY, VALUE, max_size=5), st.integers(0, 2**32))
def test_any_document_has_a_line_for_every_path_and_the_right_one(document, seed):
    text, expected = write(document, random.Random(seed))
    parsed = tomllib.loads(text)
    assert parsed == document
    lines = find_lines(text)
    assert set(lines) == set(paths(parsed))
    assert {keys: lines[keys] for keys in expected} == expected
