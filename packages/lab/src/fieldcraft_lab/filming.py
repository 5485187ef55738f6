"""Films of sessions, rendered in a thread while the world goes on."""

from __future__ import annotations

import base64
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft_lab import replay
from fieldcraft_lab.protocol import Export
from fieldcraft_lab.session import Session

FILMS = ("gif", "mp4")
"""The formats of films."""


class _Cancelled(Exception):
    """The film was cancelled."""


class FilmMaker:
    """Renders one film at a time, from a copy of a session."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._cancelled = threading.Event()

    def start(
        self, session: Session, wanted: Export, send: Callable[[dict[str, Any]], None]
    ) -> None:
        """Start a film of a session.

        `send` is called with the progress (`working`, 0 to 1), then with the film or an error.
        Raises `InvalidValue` while another film is rendered.
        """
        if self._thread is not None and self._thread.is_alive():
            raise InvalidValue(
                "One film is rendered at a time",
                got="a second one",
                remedy="Wait until the first one is done",
            )
        twin = session.fork()
        if wanted.end is None:
            end = twin.moment
        else:
            end = min(wanted.end, twin.moment)
        if wanted.begin >= end:
            raise InvalidValue(
                "A film ends after it begins",
                got=f"steps {wanted.begin} to {end}",
                remedy="Play on, or choose an earlier beginning",
            )
        twin.seek(wanted.begin)
        self._cancelled.clear()
        self._thread = threading.Thread(
            target=self._render,
            args=(twin, wanted, end, send),
            name="fieldcraft lab film",
            daemon=True,
        )
        self._thread.start()

    def cancel(self) -> None:
        """Cancel the current film, if there is one."""
        self._cancelled.set()

    def close(self) -> None:
        """Cancel the film, and wait for its thread."""
        self.cancel()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _render(
        self,
        session: Session,
        wanted: Export,
        end: int,
        send: Callable[[dict[str, Any]], None],
    ) -> None:
        sent = 0.0

        def watch(share: float) -> None:
            nonlocal sent
            if self._cancelled.is_set():
                raise _Cancelled
            if share >= sent + 0.02:
                sent = share
                send({"working": share})

        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"session.{wanted.what}"
                if wanted.map in session.live.maps:
                    layer = wanted.map
                else:
                    layer = None
                replay.record(session, path, end, layer=layer, size=wanted.size, watch=watch)
                data = path.read_bytes()
            encoded = base64.b64encode(data).decode()
            send({"export": {"what": wanted.what, "name": path.name, "data": encoded}})
        except _Cancelled:
            send({"error": "The film was cancelled."})
        except FieldcraftError as error:
            send({"error": str(error)})
        except Exception as error:  # a bug is reported, not lost with the thread
            send({"error": f"{type(error).__name__}: {error}"})
