"""The stage between a world and those who look at it: what each wants to see goes in, what there is
to see comes out.

A world never waits for anybody here. Who is slow gets the newest picture once the last ones were
drawn, and misses those between.
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
from fieldcraft_lab.protocol import Look

__all__ = ["MOST_WAITING", "Client", "Picture", "Stage"]

MOST_WAITING = 2
"""Frames that a client may have that it did not say it drew."""
_NOTHING = Look(views=())


@dataclass(frozen=True, eq=False)
class Picture:
    """One map at one moment, as bytes: `version` names its contents, `told` what the bytes mean."""

    version: Any
    plane: NDArray[np.uint8]
    told: dict[str, Any]


@dataclass
class Client:
    """Somebody who looks: what is wanted, which frames are on the way, and what was sent last."""

    wake: Callable[[], None]
    say: Callable[[dict[str, Any]], None]
    look: Look = _NOTHING
    look_number: int = 0
    frame: int = 0
    waiting: list[int] = field(default_factory=list)
    sent: dict[Any, Picture] = field(default_factory=dict)
    status: int = -1
    sources: int = -1
    done: int = 0

    @property
    def is_ready(self) -> bool:
        """Whether another frame may be sent."""
        return len(self.waiting) < MOST_WAITING

    def acknowledge(self, frame: int) -> None:
        """Take notice that a frame, and all before it, were drawn."""
        self.waiting = [number for number in self.waiting if number > frame]


class Stage:
    """The newest pictures and the newest status, and the clients that look at them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: list[Client] = []
        self._pictures: dict[Any, Picture] = {}
        self._status: dict[str, Any] = {}
        self._number = 0
        self._sources: dict[str, Any] = {}
        self._sources_number = 0

    def enter(self, client: Client) -> None:
        """Let somebody look."""
        with self._lock:
            self._clients.append(client)

    def leave(self, client: Client) -> None:
        """Let somebody go."""
        with self._lock:
            if client in self._clients:
                self._clients.remove(client)

    @property
    def is_empty(self) -> bool:
        """Whether nobody looks."""
        return not self._clients

    def wanted(self) -> list[Look]:
        """The wishes of clients who could take another frame now."""
        with self._lock:
            return [client.look for client in self._clients if client.is_ready]

    def looks(self) -> list[Look]:
        """The wishes of all clients."""
        with self._lock:
            return [client.look for client in self._clients]

    def say(self, message: dict[str, Any]) -> None:
        """Tell all clients something."""
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            client.say(message)

    def publish(
        self,
        pictures: dict[Any, Picture],
        status: dict[str, Any] | None,
        sources: dict[str, Any] | None = None,
    ) -> None:
        """Show new pictures and a new status, where they are given, and wake who looks."""
        with self._lock:
            self._pictures = pictures
            if status is not None:
                self._status = status
                self._number += 1
            if sources is not None:
                self._sources = sources
                self._sources_number += 1
            clients = list(self._clients)
        for client in clients:
            client.wake()

    def frame_for(self, client: Client) -> bytes | None:
        """The next frame for a client: what has changed of what it looks at, or None where nothing
        has, or it has too many already.

        A header as JSON behind its length (4 bytes, little-endian), padded to 4 bytes, then the
        bytes of all tiles.
        """
        with self._lock:
            pictures, status, number, look = self._pictures, self._status, self._number, client.look
            sources, sources_number = self._sources, self._sources_number
        if not client.is_ready:
            return None
        parts: list[bytes] = []
        told = []
        for view in look.views:
            picture = pictures.get(view)
            if picture is None:
                continue
            last = client.sent.get(view)
            if last is not None and last.version == picture.version:
                continue
            client.sent[view] = picture
            changed = tiles(
                picture.plane, None if last is None or last.told != picture.told else last.plane
            )
            if changed == []:
                continue
            told.append(_told(look.views.index(view), picture, changed, parts))
        if not told and client.status == number and client.sources == sources_number:
            return None
        for view in [
            view for view in client.sent if view not in look.views
        ]:  # as the page does when it sees this frame
            del client.sent[view]
        client.frame += 1
        client.waiting.append(client.frame)
        header: dict[str, Any] = {
            "frame": client.frame,
            "look": client.look_number,
            "views": told,
            "status": status,
            "done": client.done,
        }
        if (
            client.sources != sources_number and sources_number
        ):  # there is nothing to say before the first
            header["sources"] = sources
        client.status, client.sources = number, sources_number
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        return len(text).to_bytes(4, "little") + text + b"".join(parts)


def _told(
    place: int,
    picture: Picture,
    changed: list[tuple[int, int, int, int]] | None,
    parts: list[bytes],
) -> dict[str, Any]:
    """The words of a frame about one view; its bytes are added to `parts`."""
    plane = picture.plane
    height, width = plane.shape
    told = {"view": place, "width": width, "height": height, **picture.told}
    if changed is None:
        parts.append(plane.tobytes())
        return {**told, "whole": True}
    for x, y, wide, high in changed:
        parts.append(plane[y : y + high, x : x + wide].tobytes())
    return {**told, "tiles": [part for tile in changed for part in tile]}
