"""Films of sessions, made in a thread of their own while the world goes on."""

from __future__ import annotations

import base64
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fieldcraft.errors import FieldcraftError, InvalidValue
from fieldcraft_lab import replay
from fieldcraft_lab.protocol import Export
from fieldcraft_lab.session import Session

__all__ = ["FILMS", "Studio"]

FILMS = ("gif", "mp4")
"""The kinds of films."""


class _Closed(Exception):
    """The studio is closed in the middle of a film."""


class Studio:
    """Makes one film at a time. A film runs on a copy of the session, so nobody waits for it."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def film(
        self, session: Session, wanted: Export, tell: Callable[[dict[str, Any]], None]
    ) -> None:
        """Begin a film of a session, of the moments that are wanted.

        `tell` hears how much is done (`working`, 0 to 1), then the film, or an error. Raises
        `InvalidValue` while another film is made.
        """
        if self._thread is not None and self._thread.is_alive():
            raise InvalidValue(
                "One film is made at a time",
                got="a second one",
                remedy="Wait until the first one is done",
            )
        twin = session.fork()
        end = twin.moment if wanted.end is None else min(wanted.end, twin.moment)
        if wanted.begin >= end:
            raise InvalidValue(
                "A film ends after it begins",
                got=f"steps {wanted.begin} to {end}",
                remedy="Play on, or choose an earlier beginning",
            )
        twin.seek(wanted.begin)
        self._closed.clear()
        self._thread = threading.Thread(
            target=self._make,
            args=(twin, wanted, end, tell),
            name="fieldcraft lab film",
            daemon=True,
        )
        self._thread.start()

    def cancel(self) -> None:
        """End the film that is being made, if there is one."""
        self._closed.set()

    def close(self) -> None:
        """End the film, and wait for its thread."""
        self.cancel()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _make(
        self,
        session: Session,
        wanted: Export,
        end: int,
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        told = 0.0

        def watch(share: float) -> None:
            nonlocal told
            if self._closed.is_set():
                raise _Closed
            if share >= told + 0.02:
                told = share
                tell({"working": share})

        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"session.{wanted.what}"
                layer = wanted.map if wanted.map in session.live.maps else None
                replay.record(session, path, end, layer=layer, size=wanted.size, watch=watch)
                data = path.read_bytes()
            tell(
                {
                    "export": {
                        "what": wanted.what,
                        "name": path.name,
                        "data": base64.b64encode(data).decode(),
                    }
                }
            )
        except _Closed:
            tell({"error": "The film was cancelled."})
        except FieldcraftError as error:
            tell({"error": str(error)})
        except Exception as error:  # a fault of ours is told, not lost with the thread
            tell({"error": f"{type(error).__name__}: {error}"})
