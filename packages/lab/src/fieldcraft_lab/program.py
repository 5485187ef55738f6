"""The map of a running program on a page: its settings, sources and walls can be changed there, and
its time is controlled by the program.
"""

from __future__ import annotations

import queue
import sys
import time
import webbrowser

from fieldcraft.base import checks
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft_lab.controller import Controller
from fieldcraft_lab.live import MapWorld, shortest_interval
from fieldcraft_lab.protocol import Best, Probe, Sensitivity
from fieldcraft_lab.server import Server
from fieldcraft_lab.session import Side

ATTACHMENT = "lab"
_PERIOD = 1 / 20


class _AttachedMap(MapWorld):
    """The map of a program, not a copy."""

    def __init__(self, imap: InfluenceMap, kind: str) -> None:
        super().__init__(imap, "")
        self.kind = kind
        self.step_seconds = shortest_interval(imap)

    def step(self) -> None:
        """Take one step of all layers."""
        self.imap.step()


class Program(Controller):
    """The controller of a map that belongs to a program or a notebook, named by `kind`."""

    def __init__(self, imap: InfluenceMap, kind: str) -> None:
        self._imap = imap
        self._names = list(imap.layers)
        super().__init__({"a": Side(_AttachedMap(imap, kind))})

    def publish(self, now: float) -> None:
        """Send pages what has changed."""
        side = self.sides["a"]
        side.moment = max((layer.updates for layer in self._imap.layers.values()), default=0)
        side.furthest = side.moment
        if self._names != list(self._imap.layers):
            self._names = list(self._imap.layers)
            side.live.step_seconds = shortest_interval(self._imap)
            self.hub.send({"hello": self.hello()})
        super().publish(now)


class Watch(Program):
    """The page of a map, at `url`, until `close`. `update` is called in the program's loop.

    Without a page an update only checks for pages. With one it applies orders, answers at most one
    query, and draws what has changed, at most 20 times a second.
    """

    def __init__(self, imap: InfluenceMap, *, port: int = 0) -> None:
        super().__init__(imap, "program")
        self._playing = True
        self._published_at = 0.0
        self._server = Server(self, port=port)
        self._server.start()

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return self._server.url

    def close(self) -> None:
        """Close the port."""
        self._server.stop()
        self._imap.attachments.pop(ATTACHMENT, None)

    def update(self) -> None:
        """Answer pages and show them the map as it is now, from the thread that uses the map."""
        if self.hub.is_empty:
            return
        while True:
            try:
                item = self._inbox.get_nowait()
            except queue.Empty:
                break
            if item is not None:
                self._answer(*item)
                if isinstance(item[0].message, (Probe, Sensitivity, Best)):
                    break
        now = time.perf_counter()
        if now - self._published_at >= _PERIOD:
            self._published_at = now
            self.publish(now)


def watch(imap: InfluenceMap, *, port: int = 0, browser: bool = False) -> Watch:
    """Show the map in a browser while the program goes on; call it once a frame. See
    `fc.InfluenceMap.watch`.
    """
    rule = "The lab watches an influence map"
    checks.instance(imap, InfluenceMap, rule, "Pass fc.InfluenceMap")
    found: Watch | None = imap.attachments.get(ATTACHMENT)
    if found is None:
        checks.integer("port", port, maximum=65535)
        checks.flag("browser", browser)
        found = Watch(imap, port=port)
        imap.attachments[ATTACHMENT] = found
        print(f"The map can be seen at {found.url}", file=sys.stderr, flush=True)
        if browser:
            webbrowser.open(found.url)
    found.update()
    return found
