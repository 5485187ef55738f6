"""Films that are rendered while the world goes on."""

from __future__ import annotations

import base64
import io
import queue
import threading
from typing import Any

import pytest
from PIL import Image

from fieldcraft.base.errors import InvalidValue
from fieldcraft_lab import filming
from fieldcraft_lab.filming import FilmMaker
from fieldcraft_lab.protocol import Export
from fieldcraft_lab.session import Session
from support.sessions import small_map


def test_one_film_is_rendered_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    session, films, gate = Session(small_map()), FilmMaker(), threading.Event()
    session.step(9)
    monkeypatch.setattr(filming.replay, "record", lambda *given, **named: gate.wait(60))
    films.start(session, Export("gif"), print)
    with pytest.raises(InvalidValue, match="One film"):
        films.start(session, Export("gif"), print)
    gate.set()
    films.close()


def test_films_fail_with_a_reason_can_be_cancelled_and_have_a_range(
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
        assert "the disk is full" in sent.get(timeout=60)["error"]
        films.close()
    films = FilmMaker()
    films.start(session, Export("gif", map="threat"), sent.put)
    films.cancel()
    while "working" in (answer := sent.get(timeout=60)):
        pass
    assert answer == {"error": "The film was cancelled."}
    with pytest.raises(InvalidValue, match="ends after it begins"):
        films.start(session, Export("gif", begin=9), sent.put)
    films.start(session, Export("gif", map="threat", begin=3, end=6, size=96), sent.put)
    while "working" in (answer := sent.get(timeout=60)):
        pass
    film = Image.open(io.BytesIO(base64.b64decode(answer["export"]["data"])))
    assert max(film.size) < 300 and film.n_frames == 4
    films.close()


@pytest.mark.parametrize("end", ["", False, [], 1.5])
def test_the_end_of_a_film_is_a_moment(end: object) -> None:
    with pytest.raises(InvalidValue, match="end"):
        Export("gif", end=end)  # type: ignore[arg-type]


def test_a_map_that_no_film_can_show_is_refused_and_not_cut() -> None:
    assert Export("gif", map="").map == ""
    with pytest.raises(InvalidValue, match="map has 1 to 2000 letters"):
        Export("gif", map="a" * 2001)
