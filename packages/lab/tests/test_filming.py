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
from fieldcraft_lab.filming import FilmMaker
from fieldcraft_lab.protocol import Export
from fieldcraft_lab.session import Session
from support.sessions import small_map


def test_a_film_is_made_beside_the_world_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    session, sent, gate = Session(small_map()), queue.Queue[dict[str, Any]](), queue.Queue[None]()
    session.step(9)
    record = replay.record

    def held(*given: Any, **named: Any) -> None:
        gate.get(timeout=20)
        record(*given, **named)

    monkeypatch.setattr(filming.replay, "record", held)
    films = FilmMaker()
    films.start(session, Export("gif", map="threat"), sent.put)
    session.step(5)
    with pytest.raises(InvalidValue, match="One film"):
        films.start(session, Export("gif", map="threat"), sent.put)
    gate.put(None)
    received = [sent.get(timeout=20)]
    while "working" in received[-1]:
        received.append(sent.get(timeout=20))
    shares = [each["working"] for each in received[:-1]]
    assert shares == sorted(shares)
    assert base64.b64decode(received[-1]["export"]["data"])[:4] == b"GIF8"
    assert session.moment == 14
    films.close()


def test_a_film_that_fails_says_why_and_a_closed_films_stops_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, sent = Session(small_map()), queue.Queue[dict[str, Any]]()
    session.step(9)

    def broken(*given: Any, **named: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(filming.replay, "record", broken)
        films = FilmMaker()
        films.start(session, Export("gif", map="threat"), sent.put)
        assert "the disk is full" in sent.get(timeout=20)["error"]
        films.close()
    films = FilmMaker()
    films.start(session, Export("gif", map="threat"), sent.put)
    films.cancel()
    while "working" in (answer := sent.get(timeout=20)):
        pass
    assert answer == {"error": "The film was cancelled."}
    with pytest.raises(InvalidValue, match="ends after it begins"):
        films.start(session, Export("gif", begin=9), sent.put)
    films.start(session, Export("gif", map="threat", begin=3, end=6, size=96), sent.put)
    while "working" in (answer := sent.get(timeout=20)):
        pass
    film = Image.open(io.BytesIO(base64.b64decode(answer["export"]["data"])))
    assert max(film.size) < 300 and film.n_frames == 4
    films.close()
