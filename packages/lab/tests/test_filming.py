"""Films that are made while the world goes on."""

from __future__ import annotations

import base64
import io
import queue
from typing import Any

import pytest
from PIL import Image

from fieldcraft.errors import InvalidValue
from fieldcraft_lab import filming, replay
from fieldcraft_lab.filming import Studio
from fieldcraft_lab.protocol import Export
from fieldcraft_lab.session import Session
from support.sessions import small_map


def test_a_film_is_made_beside_the_world_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    session, told, gate = Session(small_map()), queue.Queue[dict[str, Any]](), queue.Queue[None]()
    session.step(9)
    record = replay.record

    def held(*given: Any, **named: Any) -> None:
        gate.get(timeout=20)
        record(*given, **named)

    monkeypatch.setattr(filming.replay, "record", held)
    studio = Studio()
    studio.film(session, Export("gif", map="threat"), told.put)
    session.step(5)
    with pytest.raises(InvalidValue, match="One film"):
        studio.film(session, Export("gif", map="threat"), told.put)
    gate.put(None)
    heard = [told.get(timeout=20)]
    while "working" in heard[-1]:
        heard.append(told.get(timeout=20))
    shares = [each["working"] for each in heard[:-1]]
    assert shares == sorted(shares)
    assert base64.b64decode(heard[-1]["export"]["data"])[:4] == b"GIF8"
    assert session.moment == 14
    studio.close()


def test_a_film_that_fails_says_why_and_a_closed_studio_stops_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, told = Session(small_map()), queue.Queue[dict[str, Any]]()
    session.step(9)

    def broken(*given: Any, **named: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(filming.replay, "record", broken)
        studio = Studio()
        studio.film(session, Export("gif", map="threat"), told.put)
        assert "the disk is full" in told.get(timeout=20)["error"]
        studio.close()
    studio = Studio()
    studio.film(session, Export("gif", map="threat"), told.put)
    studio.cancel()
    while "working" in (said := told.get(timeout=20)):
        pass
    assert said == {"error": "The film was cancelled."}
    with pytest.raises(InvalidValue, match="ends after it begins"):
        studio.film(session, Export("gif", begin=9), told.put)
    studio.film(session, Export("gif", map="threat", begin=3, end=6, size=96), told.put)
    while "working" in (said := told.get(timeout=20)):
        pass
    film = Image.open(io.BytesIO(base64.b64decode(said["export"]["data"])))
    assert max(film.size) < 300 and film.n_frames == 4
    studio.close()
