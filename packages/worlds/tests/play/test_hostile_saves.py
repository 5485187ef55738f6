"""Saves with a valid checksum that hold anything: each is refused, or the match goes on; nothing
else happens.
"""

from __future__ import annotations

import tracemalloc
import zlib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from fieldcraft import Grid
from fieldcraft.base import files
from fieldcraft.base.errors import BadSaveFile, FieldcraftError
from fieldcraft.base.settings import settings_from
from fieldcraft.space.encoding import to_bytes
from fieldcraft_worlds.library import GAMES, find_game
from fieldcraft_worlds.play import saving
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.play.settings import kinds_of

SMALL: dict[str, tuple[Any, dict[str, Any]]] = {
    "towers": (None, {"towers": 2, "units": 12}),
    "chase": (None, {"hunters": 2, "civilians": 4}),
    "maze": (None, {"maze": {"width": 15, "height": 11}, "treasures": 2}),
    "tether": (None, {"fighters": 2}),
    "ants": (Grid(40, 30), {"ants": 60, "piles": 1}),
    "physarum": (Grid(40, 30), {"agents": 80, "cities": 3}),
    "flock": (Grid(40, 30, wrap=True), {"birds": 60}),
}


def other_than(value: Any) -> Iterator[Any]:
    """Values that stand where a good one stood."""
    if isinstance(value, np.ndarray):
        yield from (
            value[:-1],
            np.concatenate([value, value[-1:]]),
            value.reshape(1, *value.shape),
            None,
        )
        yield np.zeros_like(value, dtype=np.int8 if value.dtype.kind == "f" else np.float32)
        worst = {"f": (np.nan, np.inf, -1e30, 1e5), "i": (-5, 2**31 - 1), "b": ()}
        for bad in worst[value.dtype.kind]:
            spoilt = value.copy()
            if spoilt.size:
                spoilt.reshape(-1)[spoilt.size // 2 :] = bad
                yield spoilt
    elif isinstance(value, bool):
        yield from (None, 2)
    elif isinstance(value, int):
        yield from (-7, 2**70, 10**7, float("nan"))
    elif isinstance(value, float):
        yield from (float("nan"), float("inf"), -1e300, "x")
    elif isinstance(value, tuple) and len(value) == 2:
        yield from ((float("nan"), 0.0), (1e300, -1e300), (1,), None)
    else:
        yield from ("none such", -1, None, (1.0, float("inf")))


def spoilt(value: Any, where: str = "state") -> Iterator[tuple[str, Any]]:
    """A state, each time with another of its parts spoilt."""
    if is_dataclass(value):
        kind = type(value)
        for field in fields(value):
            for place, other in spoilt(getattr(value, field.name), f"{where}.{field.name}"):
                made = object.__new__(kind)
                for name, part in {**vars(value), field.name: other}.items():
                    object.__setattr__(made, name, part)
                yield place, made
    elif isinstance(value, dict):
        for key, part in value.items():
            for place, other in spoilt(part, f"{where}[{key!r}]"):
                yield place, {**value, key: other}
    else:
        for number, other in enumerate(other_than(value)):
            yield f"{where} as number {number}", other


def opened(name: str) -> Session:
    space, settings = SMALL[name]
    game = find_game(name)
    session = Session(game, space, settings_from(game.settings, settings), seed=3)
    for _ in range(45):
        session.step()
    return session


@pytest.mark.parametrize("name", list(GAMES))
def test_any_state_with_a_good_checksum_is_refused_or_goes_on(name, tmp_path):
    session, path = opened(name), tmp_path / "bad.save"
    rng = np.random.default_rng(11)
    refused = tried = 0
    for where, state in spoilt(session.state):
        if rng.random() > SHARE:
            continue
        tried += 1
        write(session, state, path)
        try:
            again = Session.load(path, session.game)
        except BadSaveFile as error:
            assert "state" in str(error) or "save" in str(error)
            refused += 1
            continue
        try:
            for _ in range(5):
                again.step()
            again.world.scene(
                again.state, frozenset(overlay.name for overlay in session.game.overlays)
            )
        except FieldcraftError as error:
            pytest.fail(f"{where} was taken, and then: {error}")
    assert tried >= 5
    assert refused > 0.6 * tried


SHARE = 0.25


def write(session: Session, state: Any, path: Any, **other: Any) -> None:
    header = {"game": session.game.name, "version": session.game.version, "kind": "match"}
    value = {
        "map": session.world.space,
        "settings": session.settings,
        "seed": session.seed,
        "steps": session.steps,
        "state": state,
        "dice": session._rng,
        "journal": session.journal,
    }
    saving.write(
        path,
        header,
        value | other,
        tuple(dict.fromkeys((*session.game.kinds, *kinds_of(session.settings)))),
    )


def test_a_chase_without_places_for_civilians_is_refused(tmp_path):
    session = opened("chase")
    none = np.zeros(0, session.state.places.dtype)
    write(session, replace(session.state, places=none), tmp_path / "bad.save")
    with pytest.raises(BadSaveFile, match="between places"):
        Session.load(tmp_path / "bad.save", session.game)


def test_a_journal_that_no_match_kept_is_refused(tmp_path):
    session = opened("flock")
    for journal in [((1,),), (("x", ()),), ((5, ()),), ((7, (1,)), (7, (1,))), ((10**6, (1,)),)]:
        write(session, session.state, tmp_path / "bad.save", journal=journal)
        with pytest.raises(BadSaveFile):
            Session.load(tmp_path / "bad.save", session.game)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((name, {"rate": 10**9}) for name in GAMES),
        ("towers", {"limit": 1e300}),
        ("towers", {"units": 10**9}),
        ("towers", {"tower": {"size": 10**6 + 1}}),
        ("towers", {"unit": {"speed": 1e30}}),
        ("maze", {"maze": {"width": 10**9, "height": 10**9}}),
        ("maze", {"monster": {"count": 10**9}}),
        ("ants", {"window": 1e308}),
        ("ants", {"speed": 1e300}),
        ("ants", {"piles": 10**9}),
        ("flock", {"predator": 1e300}),
        ("tether", {"foresight": 1e308}),
        ("chase", {"hunter": {"patience": 1e308}}),
        ("chase", {"think": float("inf")}),
    ],
)
def test_settings_beyond_their_bounds_are_refused(name, settings):
    with pytest.raises(FieldcraftError, match=r"at most|finite|grows|within"):
        settings_from(find_game(name).settings, settings)


@pytest.mark.parametrize("told", [1 << 31, 1 << 20])
def test_a_save_that_unpacks_to_more_than_is_allowed_or_told_is_refused(told, tmp_path):
    head, body = to_bytes({}), zlib.compress(bytes(1 << 25), 1)
    frame = saving._FRAME.pack(saving._VERSION, len(head), len(body), told)
    files.write_sealed(tmp_path / "bomb.save", (saving._MAGIC, frame, head, body))
    tracemalloc.start()
    with pytest.raises(BadSaveFile):
        saving.read(tmp_path / "bomb.save").value(())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 23
