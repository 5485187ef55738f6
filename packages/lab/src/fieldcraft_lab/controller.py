"""The controller: it answers messages of pages about one or two worlds, and publishes pictures."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

from fieldcraft.base.errors import FieldcraftError, InvalidValue, UnknownName
from fieldcraft_lab import answers, description
from fieldcraft_lab.history import History
from fieldcraft_lab.hub import Hub
from fieldcraft_lab.pictures import WALLS, Renderer
from fieldcraft_lab.planes import shape_of
from fieldcraft_lab.protocol import Ask, Best, Hello, Probe, Request, Sensitivity, View
from fieldcraft_lab.session import Side

Reply = Callable[[dict[str, Any]], None]
Gone = threading.Event
"""It is set when the page of a request has been closed."""

_CLOCK_RATE = 8.0  # status messages per second while maps change
_STILL_RATE = 1.0  # the same while no map changes
_CHANGE_RATE = 4.0
_DRAWING_RATE = 4.0
_MARKER_RATE = 30.0
_MOST_EDITS = 30


class Controller:
    """Answers messages about the sides of a world, "a" and after a fork "b".

    `receive` may be called from any thread. Everything else runs in the thread of the worlds.
    """

    def __init__(self, sides: Mapping[str, Side]) -> None:
        self.hub = Hub()
        self._inbox: queue.SimpleQueue[tuple[Request, Reply, Gone] | None] = queue.SimpleQueue()
        self._gone = Gone()  # of the request that is handled
        self._playing = False
        self._speed = 1.0
        self._stopped: str | None = None
        self._start(sides)

    def _start(self, sides: Mapping[str, Side]) -> None:
        """Show other worlds."""
        self.sides = dict(sides)
        self._shape = shape_of(sides["a"].live.space)
        self._renderer = Renderer()
        self._histories = {name: History() for name in sides}
        self._last_state: Any = None
        self._last_moment = -1
        self._status_at = 0.0
        self._changes: dict[str, Any] = {}
        self._changes_at: Any = None
        self._markers_version: Any = None
        self._markers_at = 0.0
        self._drawn: dict[tuple[View, str], Any] = {}
        self._drawn_at = 0.0

    @property
    def geometry(self) -> bytes:
        """The triangles, dots and edges of a map that is no grid."""
        return self._shape.geometry

    @property
    def orders(self) -> tuple[type, ...]:
        """The kinds of orders that pages may send."""
        return self.sides["a"].live.orders

    # Messages

    def receive(self, request: Request, reply: Reply, gone: Gone | None = None) -> None:
        """Queue a request, from any thread; `reply` is called with the answer. Once `gone` is set
        the request is dropped, if its turn has not come, or stops after a step.
        """
        if gone is None:
            gone = Gone()
        self._inbox.put((request, reply, gone))

    def _answer(self, request: Request, reply: Reply, gone: Gone) -> None:
        """Answer a request; errors are answers too."""
        if gone.is_set():
            return
        self._gone = gone

        def send(answer: dict[str, Any]) -> None:
            reply({**answer, "id": request.number})

        try:
            answer = self._handle(request, send)
        except FieldcraftError as error:
            answer = {"error": str(error)}
        except Exception as error:  # a bug in a page's request must not stop the world
            answer = {"error": f"{type(error).__name__}: {error}"}
        self._last_state = None
        send(answer or {})

    def _handle(self, request: Request, send: Reply) -> dict[str, Any] | None:
        """Return the answer to a request; later parts of it go to `send`."""
        message = request.message
        if isinstance(message, (Probe, Sensitivity, Best, Ask)):
            live = self._addressed(message.side)[0].live
            return answers.answered(message, live, self._renderer.map_of)
        if isinstance(message, Hello):
            return {"hello": self.hello()}
        if not isinstance(message, self.orders):
            raise InvalidValue(
                f"Time is controlled by the {self.sides['a'].live.kind} that uses the map",
                got=type(message).__name__.lower(),
                remedy="Open a copy with fc.lab.serve(imap) to go back in time, fork and save",
            )
        for side in self._addressed(request.side):
            side.apply(message, joined=request.joined)
        return None

    def _addressed(self, name: str | None) -> list[Side]:
        """Return the sides that a message is for: one, or all."""
        if name is None:
            return list(self.sides.values())
        if name not in self.sides:
            raise UnknownName("side", name, self.sides)
        return [self.sides[name]]

    def hello(self) -> dict[str, Any]:
        """Return the description of the world for a page that connects."""
        side = self.sides["a"]
        return {
            **description.described(side.live, self._shape.meta, side.initial),
            "sides": {name: each.live.markers() for name, each in self.sides.items()},
            "changed": self._changed(),
            "history": {name: each.rows() for name, each in self._histories.items()},
        }

    # Publishing

    def publish(self, now: float) -> None:
        """Send pages what has changed."""
        if self.hub.is_empty:
            return
        self._send_changes(now)
        self._forget_rewritten()
        views = [view for show in self.hub.shows(ready=True) for view in show.views]
        is_new = self._renderer.render(self.sides, views, self._shape)
        rate = _STILL_RATE
        if is_new:
            rate = _CLOCK_RATE
        status = self._status(now, rate)
        markers = self._markers(now)
        if is_new or status is not None or markers is not None:
            self.hub.publish(self._renderer.pictures, status, markers)
        if now - self._drawn_at > 1 / _DRAWING_RATE:
            self._drawn_at = now
            self._send_drawings()

    def _changed(self) -> dict[str, Any]:
        """Return what is sent again whenever it changes."""
        sides = self.sides.items()
        return {
            "controls": {name: side.live.controls(side.initial) for name, side in sides},
            "edits": {
                name: [description.edit_of(*edit) for edit in side.edits[-_MOST_EDITS:]]
                for name, side in sides
            },
            "undone": {name: len(side.undone) for name, side in sides},
            "branches": {name: side.branches[-_MOST_EDITS:] for name, side in sides},
            "stopped": self._stopped,
        }

    def _send_changes(self, now: float) -> None:
        """Send changes, at once after an edit and four times a second."""
        counts = [(len(side.log), side.restores) for side in self.sides.values()]
        at = (int(now * _CHANGE_RATE), self._stopped, counts)
        if at != self._changes_at:
            self._changes_at = at
            changes = self._changed()
            if changes != self._changes:
                self._changes = changes
                self.hub.send({"changed": changes})

    def _forget_rewritten(self) -> None:
        """Drop totals that edits have changed, here and on all pages."""
        for name, side in self.sides.items():
            if side.rewritten is not None:
                self._histories[name].forget_from(side.rewritten)
                self.hub.send({"rewritten": [name, side.rewritten]})
                side.rewritten = None
                self._last_state = None

    def _status(self, now: float, rate: float) -> dict[str, Any] | None:
        """Return the status to send, at most `rate` times a second where only time passes."""
        side = self.sides["a"]
        state = (self._playing, self._speed, [len(each.log) for each in self.sides.values()])
        is_still = side.moment == self._last_moment or now - self._status_at < 1 / rate
        if state == self._last_state and is_still:
            return None
        self._last_state = state
        self._last_moment = side.moment
        self._status_at = now
        totals = {}
        for name, each in self.sides.items():
            totals[name] = self._renderer.totals(each.live)
            self._histories[name].add(each.moment, totals[name])
        return {
            "moment": side.moment,
            "seconds": side.seconds,
            "furthest": max(each.furthest for each in self.sides.values()),
            "playing": self._playing,
            "speed": self._speed,
            "totals": totals,
        }

    def _markers(self, now: float) -> dict[str, Any] | None:
        """Return the markers of all sides if they have changed; None else."""
        if now - self._markers_at < 1 / _MARKER_RATE:
            return None
        sides = self.sides.items()
        versions = [(name, each.restores, each.live.markers_version()) for name, each in sides]
        if versions == self._markers_version:
            return None
        self._markers_version = versions
        self._markers_at = now
        return {name: side.live.markers() for name, side in sides}

    def _send_drawings(self) -> None:
        """Send the drawings over maps that have changed."""
        wanted = set()
        for show in self.hub.shows():
            tops = {view.side: view for view in reversed(show.views) if view.map != WALLS}
            wanted |= {(view, what) for view in tops.values() for what in show.overlays}
        self._drawn = {key: version for key, version in self._drawn.items() if key in wanted}
        for view, what in wanted:
            picture = self._renderer.pictures.get(view)
            if picture is None or view.side not in self.sides:
                continue
            if self._drawn.get((view, what)) == picture.version:
                continue
            self._drawn[view, what] = picture.version
            live = self.sides[view.side].live
            limits = (picture.meta["low"], picture.meta["high"])
            found = answers.drawing(what, live, self._renderer.map_of(live, view.map), limits)
            self.hub.send({"drawing": found, "what": what, "map": view.map, "side": view.side})
