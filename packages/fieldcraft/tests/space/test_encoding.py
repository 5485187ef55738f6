from __future__ import annotations

import hashlib
import math
import struct
import subprocess
import sys
import tracemalloc
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.base.errors import BadSaveFile, InvalidValue
from fieldcraft.space.encoding import digest, from_bytes, from_compressed, from_pieces, to_bytes
from fieldcraft_worlds.play import saving
from support.damage import damaged, fuzz
from support.examples import examples
from support.refusals import refused


@dataclass(frozen=True, eq=False)
class Inner:
    places: NDArray[Any]
    name: str = "x"


@dataclass(frozen=True, eq=False)
class Outer:
    step: int
    inner: Inner
    dice: Any = None
    doubled: int = field(init=False)

    def __post_init__(self) -> None:
        if self.step < 0:
            raise ValueError("steps are counted from 0")
        object.__setattr__(self, "doubled", 2 * self.step)


KINDS = (Inner, Outer)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        little = a.dtype.newbyteorder("<")
        return (
            isinstance(b, np.ndarray)
            and b.dtype == little
            and a.shape == b.shape
            and a.astype(little).tobytes() == b.tobytes()
        )
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return (
            isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
        )
    if isinstance(a, float):
        return (
            type(b) is float
            and (a == b or (math.isnan(a) and math.isnan(b)))
            and math.copysign(1, a) == math.copysign(1, b)
        )
    if isinstance(a, (Inner, Outer)):
        return type(a) is type(b) and same(vars(a), vars(b))
    return type(a) is type(b) and a == b


numbers = arrays.arrays(
    st.sampled_from(["?", "i1", "u1", "<i2", ">i4", "<i8", "<u8", "<f2", ">f4", "<f8"]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    numbers,
)
values = st.recursive(
    leaves,
    lambda inside: st.one_of(
        st.lists(inside, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=4), inside, max_size=4),
        st.builds(
            Outer, st.integers(0, 2**70), st.builds(Inner, numbers, st.text(max_size=3)), inside
        ),
    ),
    max_leaves=12,
)


@examples(35)
@given(values)
def test_values_come_back_and_have_the_same_bytes(value: Any) -> None:
    data = to_bytes(value, KINDS)
    again = from_bytes(data, KINDS)
    assert same(value, again)
    assert to_bytes(again, KINDS) == data
    assert digest(again, KINDS) == digest(value, KINDS)


@settings(max_examples=60, deadline=None)
@given(values, values)
def test_digests_are_equal_where_values_are(one: Any, other: Any) -> None:
    assert (digest(one, KINDS) == digest(other, KINDS)) == (
        to_bytes(one, KINDS) == to_bytes(other, KINDS)
    )


def test_types_and_layouts_have_different_digests() -> None:
    different = [
        None,
        False,
        True,
        0,
        1,
        0.0,
        -0.0,
        1.0,
        "",
        "0",
        (),
        (0,),
        ((0,),),
        {},
        {"": 0},
        np.zeros(0),
        np.zeros((0, 2)),
        np.zeros(1),
        np.zeros(1, np.float32),
        np.zeros((1, 1)),
        np.zeros(1, np.int64),
        np.zeros(1, np.bool_),
    ]
    assert len({digest(value) for value in different}) == len(different)


def test_memory_order_and_byte_order_do_not_count() -> None:
    plain = np.arange(12.0).reshape(3, 4)
    for other in (
        np.asfortranarray(plain),
        plain.astype(">f8"),
        plain[::-1][::-1],
        np.lib.stride_tricks.as_strided(plain),
    ):
        assert digest(other) == digest(plain)
    assert digest(plain.T) != digest(plain)


def test_dicts_have_the_same_bytes_in_any_order() -> None:
    assert to_bytes({"b": 1, "a": 2}) == to_bytes({"a": 2, "b": 1})


def test_the_bytes_are_those_written_down() -> None:
    """Saves and digests of other machines and days stay comparable."""

    def size(number: int) -> bytes:
        return number.to_bytes(8, "big")

    value = Outer(-0, Inner(np.array([[1.5, -2.0]], ">f4"), "ä"), (True, {"k": -7}))
    floats = bytes.fromhex("0000c03f 000000c0")
    array = b"A" + size(3) + b"<f4" + size(2) + size(1) + size(2) + floats
    inner = (
        b"K"
        + size(5)
        + b"InnerM"
        + size(2)
        + b"S"
        + size(4)
        + b"name"
        + b"S"
        + size(2)
        + "ä".encode()
        + b"S"
        + size(6)
        + b"places"
        + array
    )
    dice = b"U" + size(2) + b"TM" + size(1) + b"S" + size(1) + b"kI" + size(1) + b"\xf9"
    fields = (
        b"S"
        + size(4)
        + b"dice"
        + dice
        + b"S"
        + size(5)
        + b"inner"
        + inner
        + b"S"
        + size(4)
        + b"stepI"
        + size(1)
        + b"\0"
    )
    expected = b"K" + size(5) + b"OuterM" + size(3) + fields
    assert to_bytes(value, KINDS) == expected
    assert digest(value, KINDS) == hashlib.sha256(expected).hexdigest()


def test_arrays_come_back_read_only() -> None:
    again = from_bytes(to_bytes(np.zeros(3)))
    with pytest.raises(ValueError):
        again[0] = 1


@pytest.mark.parametrize(
    "kind",
    [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64],
)
def test_generators_go_on_where_they_were(kind: Any) -> None:
    rng = np.random.Generator(kind(7))
    rng.integers(0, 5, 3, dtype=np.uint8)
    rng.normal(size=3)
    again = from_bytes(to_bytes(rng))
    assert digest(again) == digest(rng)
    assert again.random(50).tolist() == rng.random(50).tolist()
    assert digest(again) == digest(rng)
    rng.random()
    assert digest(again) != digest(rng)


@pytest.mark.parametrize(
    ("kind", "where", "value"),
    [
        ("MT19937", ("state", "pos"), 10**9),
        ("MT19937", ("state", "pos"), -1),
        ("MT19937", ("state", "key"), np.zeros(5, np.uint32)),
        ("Philox", ("buffer_pos",), -(10**8)),
        ("Philox", ("buffer_pos",), 5),
        ("PCG64", ("state", "state"), 1 << 130),
        ("PCG64", ("state",), 3),
        ("SFC64", ("has_uint32",), True),
    ],
)
def test_a_generator_with_a_forged_state_is_refused(
    kind: str, where: tuple[str, ...], value: Any
) -> None:
    bits = getattr(np.random, kind)(1)
    state = bits.state
    place = state
    for name in where[:-1]:
        place = place[name]
    place[where[-1]] = value
    with refused(BadSaveFile):
        from_bytes(b"R" + to_bytes(state))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([1], "list at value"),
        ((0, (set(),)), "set at value[1][0]"),
        (np.float64(1), "float64"),
        (np.int64(1), "int64"),
        (b"bytes", "bytes"),
        (object(), "object"),
        (np.array(["a"]), "dtype"),
        (np.array([None]), "dtype object"),
        (np.array([1j]), "complex128"),
        ({1: 2}, "1 at value"),
        ("\ud800", "value"),
        ({"a": {"b": lambda: 0}}, "function at value.a.b"),
    ],
)
def test_what_is_not_plain_data_is_refused(value: Any, said: str) -> None:
    with refused(InvalidValue, said):
        to_bytes(value)


def test_dataclasses_must_be_named() -> None:
    with refused(InvalidValue, "Inner at value", "kinds"):
        to_bytes(Inner(np.zeros(2)))
    with refused(InvalidValue, "different names"):
        to_bytes(1, (int,))

    other = dataclass(type("Inner", (), {"__annotations__": {"places": "int"}}))
    with refused(InvalidValue, "Inner"):
        to_bytes(1, (Inner, other))
    with refused(BadSaveFile, "'Inner'"):
        from_bytes(to_bytes(Inner(np.zeros(2)), KINDS), ())


def test_values_without_an_end_are_refused() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    with refused(InvalidValue, "deep"):
        to_bytes(loop)
    with refused(BadSaveFile, "levels"):
        from_bytes(b"U" + (1).to_bytes(8, "big") * 1 + b"U\0\0\0\0\0\0\0\1" * 60)


WHOLE = to_bytes(
    Outer(
        3,
        Inner(np.arange(6.0).reshape(2, 3)),
        (np.random.default_rng(1), Grid(4, 3), {"a": (1, 2.5, None)}),
    ),
    KINDS,
)


@fuzz
@given(damaged(WHOLE))
def test_damaged_bytes_are_refused_or_read(data: bytes) -> None:
    try:
        value = from_bytes(data, KINDS)
    except BadSaveFile:
        return
    to_bytes(value, KINDS)


LENGTH = struct.Struct(">Q")


def repeated(packed: bytes, count: int) -> bytes:
    """A tuple with the same value many times, as bytes."""
    return b"U" + LENGTH.pack(count) + packed * count


class TestBounds:
    @pytest.mark.parametrize(
        "value",
        [None, 1, 1.5, "", (), {}, np.zeros(0), np.random.default_rng(1), Grid(1, 1)],
        ids=lambda value: type(value).__name__,
    )
    def test_small_values_count_more_than_their_bytes(self, value: Any) -> None:
        packed = to_bytes(value)
        many = repeated(packed, (1 << 22) // len(packed))
        with refused(BadSaveFile, "values", "at most 1,048,576 bytes"):
            from_bytes(many, most_bytes=1 << 20)
        assert len(from_bytes(repeated(packed, 3), most_bytes=1 << 20)) == 3

    def test_contents_count_before_they_are_read(self) -> None:
        data = to_bytes({"values": np.zeros(1000, np.float64)})
        with refused(BadSaveFile, "at most 8,000 bytes"):
            from_bytes(data, most_bytes=8000)
        assert from_bytes(data, most_bytes=16000)["values"].size == 1000

    def test_unknown_keys_are_refused_before_their_values_are_read(self) -> None:
        known = {"size": None, "parts": {"name": None}}
        good = {"size": 3, "parts": ({"name": "a"}, {"name": "b"})}
        assert from_bytes(to_bytes(good), keys=known) == good
        end = b"no value at all"
        for wrong in ({"mine": 1}, {"parts": ({"name": "a"}, {"yours": 1})}):
            data = to_bytes(wrong)[:-10] + end
            with refused(BadSaveFile, "an unknown key"):
                from_bytes(data, keys=known)

    @pytest.mark.parametrize("value", [Grid(3, 2), Inner(np.zeros(2))])
    def test_spaces_and_dataclasses_have_known_keys(self, value: Any) -> None:
        data = to_bytes(value, KINDS)
        last = "wrap" if isinstance(value, Grid) else "places"
        spoiled = data.replace(last.encode(), b"z" * len(last))
        with refused(BadSaveFile, "key 'zzz"):
            from_bytes(spoiled, KINDS)

    def test_keys_come_in_order_and_once(self) -> None:
        one, two = to_bytes("a") + b"N", to_bytes("b") + b"N"
        assert from_bytes(b"M" + LENGTH.pack(2) + one + two) == {"a": None, "b": None}
        for pairs in (two + one, one + one):
            with refused(BadSaveFile, "out of order"):
                from_bytes(b"M" + LENGTH.pack(2) + pairs)

    def test_whole_numbers_have_few_enough_digits_to_print(self) -> None:
        longest = 1 << 8190
        assert from_bytes(to_bytes(longest)) == longest
        assert str(longest)
        with refused(InvalidValue, "1024 bytes"):
            to_bytes(longest << 1)
        with refused(BadSaveFile, "1025 bytes"):
            from_bytes(b"I" + LENGTH.pack(1025) + bytes(1025))

    def test_pieces_of_any_size_make_the_same_value(self) -> None:
        value = {"a": np.arange(50), "b": ("text", 3, 1.5, None), "c": Grid(5, 4)}
        data = to_bytes(value)
        for size in (1, 2, 7, 64, len(data)):
            pieces = (data[at : at + size] for at in range(0, len(data), size))
            again = from_pieces(pieces, len(data))
            assert to_bytes(again) == data
            assert not again["a"].flags.writeable

    def test_a_refused_state_is_not_decompressed_whole(self) -> None:
        data = repeated(b"N", 1 << 26)
        packed = zlib.compress(data, 1)
        length = len(data)
        del data
        tracemalloc.start()
        with refused(BadSaveFile, "at most 134,217,728 bytes"):
            from_compressed(packed, length, most_bytes=1 << 27)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20e6


class TestFiles:
    HEADER: ClassVar = {"game": "dots", "version": 3}
    STATE = Outer(4, Inner(np.arange(40.0)), np.random.default_rng(2))

    def test_round_trip(self, tmp_path: Path) -> None:
        saving.write(tmp_path / "a.save", self.HEADER, self.STATE, KINDS)
        found = saving.read(tmp_path / "a.save")
        assert found.header == self.HEADER
        assert digest(found.value(KINDS), KINDS) == digest(self.STATE, KINDS)
        assert [path.name for path in tmp_path.iterdir()] == ["a.save"]

    def test_a_newer_format_says_so(self, tmp_path: Path) -> None:
        path = tmp_path / "a.save"
        saving.write(path, self.HEADER, self.STATE, KINDS)
        data = bytearray(path.read_bytes()[:-32])
        data[len(b"fieldcraft game\n") + 3] = 9
        path.write_bytes(bytes(data) + hashlib.sha256(data).digest())
        with refused(BadSaveFile, "version 9", "newer"):
            saving.read(path)


def test_serialization_loads_neither_numba_nor_pictures() -> None:
    code = (
        "import sys, fieldcraft.space.encoding, fieldcraft_worlds.play.saving,"
        " fieldcraft_worlds.games.game\nprint([m for m in ('numba', 'scipy', 'pygame', 'PIL') if m"
        " in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )
