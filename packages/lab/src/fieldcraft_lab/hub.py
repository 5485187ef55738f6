"""The hub between a world and its pages: it stores the newest pictures and sends each page what has
changed.

The world never waits for a page. A slow page gets the newest picture after it has drawn the
previous ones, and skips the pictures between.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft_lab.planes import tiles
from fieldcraft_lab.protocol import Show, View

_MOST_UNACKNOWLEDGED = 2
_NOTHING = Show(views=())


@dataclass(frozen=True, eq=False)
class Picture:
    """One map at one moment. `version` identifies the contents, `meta` describes the bytes."""

    version: Any
    plane: NDArray[np.uint8]
    meta: dict[str, Any]


@dataclass(eq=False)
class Client:
    """A connected page: the maps that it shows, and what was sent to it.

    `wake` is called when there is something new for `Hub.frame_for`, `send` with every message.
    """

    wake: Callable[[], None]
    send: Callable[[dict[str, Any]], None]
    show: Show = _NOTHING
    show_number: int = 0
    done: int = 0
    frame: int = 0
    unacknowledged: list[int] = field(default_factory=list)
    sent: dict[View, Picture] = field(default_factory=dict)
    status_number: int = -1
    sources_number: int = 0

    @property
    def is_ready(self) -> bool:
        """Whether another frame may be sent."""
        return len(self.unacknowledged) < _MOST_UNACKNOWLEDGED

    def acknowledge(self, frame: int) -> None:
        """Record that the page has drawn a frame, and all before it."""
        self.unacknowledged = [number for number in self.unacknowledged if number > frame]


class Hub:
    """The newest pictures, status and sources, and the clients that get them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: list[Client] = []
        self._pictures: dict[View, Picture] = {}
        self._status: tuple[int, dict[str, Any]] = (0, {})
        self._sources: tuple[int, dict[str, Any]] = (0, {})

    def add(self, client: Client) -> None:
        """Add a client."""
        with self._lock:
            self._clients = [*self._clients, client]

    def remove(self, client: Client) -> None:
        """Remove a client."""
        with self._lock:
            self._clients = [each for each in self._clients if each is not client]

    @property
    def is_empty(self) -> bool:
        """Whether no page is connected."""
        return not self._clients

    def shows(self, *, ready: bool = False) -> list[Show]:
        """Return what each client shows; with `ready` only of clients that may get a frame now."""
        return [client.show for client in self._clients if client.is_ready or not ready]

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to all clients."""
        for client in self._clients:
            client.send(message)

    def publish(
        self,
        pictures: dict[View, Picture],
        status: dict[str, Any] | None,
        sources: dict[str, Any] | None = None,
    ) -> None:
        """Store pictures, and status and sources if given, and wake all clients."""
        with self._lock:
            self._pictures = pictures
            if status is not None:
                self._status = (self._status[0] + 1, status)
            if sources is not None:
                self._sources = (self._sources[0] + 1, sources)
        for client in self._clients:
            client.wake()

    def frame_for(self, client: Client) -> bytes | None:
        """Return the next frame for a client, None if nothing has changed or it is not ready.

        A frame is the length of its header (4 bytes, little-endian), the header as JSON, padded to
        4 bytes, and the bytes of all changed tiles.
        """
        with self._lock:
            pictures = self._pictures
            status = self._status
            sources = self._sources
            show = client.show
        if not client.is_ready:
            return None
        parts: list[bytes] = []
        views = []
        for number, view in enumerate(show.views):
            picture = pictures.get(view)
            last = client.sent.get(view)
            if picture is None or (last is not None and last.version == picture.version):
                continue
            client.sent[view] = picture
            if last is not None and last.meta == picture.meta:
                changed = tiles(picture.plane, last.plane)
            else:
                changed = tiles(picture.plane, None)
            if changed != []:
                views.append(_header_of(number, picture, changed, parts))
        if not views and client.status_number == status[0] and client.sources_number == sources[0]:
            return None
        client.sent = {view: client.sent[view] for view in client.sent if view in show.views}
        client.frame += 1
        client.unacknowledged.append(client.frame)
        header: dict[str, Any] = {
            "frame": client.frame,
            "show": client.show_number,
            "views": views,
            "status": status[1],
            "done": client.done,
        }
        if client.sources_number != sources[0]:
            header["sources"] = sources[1]
        client.status_number = status[0]
        client.sources_number = sources[0]
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        return len(text).to_bytes(4, "little") + text + b"".join(parts)


def _header_of(
    number: int,
    picture: Picture,
    changed: list[tuple[int, int, int, int]] | None,
    parts: list[bytes],
) -> dict[str, Any]:
    """Return the part of a header about one view; append its bytes to `parts`."""
    plane = picture.plane
    height, width = plane.shape
    header = {"view": number, "width": width, "height": height, **picture.meta}
    if changed is None:
        parts.append(plane.tobytes())
        return {**header, "whole": True}
    for x, y, wide, high in changed:
        parts.append(plane[y : y + high, x : x + wide].tobytes())
    return {**header, "tiles": [part for tile in changed for part in tile]}
