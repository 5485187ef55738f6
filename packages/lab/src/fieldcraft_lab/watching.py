"""An influence map that a program or a notebook goes on using, as pages see it: copies go out,
orders come in, time is the program's.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import FieldcraftError, InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import Layer, SourceLayer
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Space
from fieldcraft_lab import answers, protocol
from fieldcraft_lab.knobs import settings
from fieldcraft_lab.live import shortest_interval
from fieldcraft_lab.obeying import obey
from fieldcraft_lab.orders import ORDERS
from fieldcraft_lab.pictures import Painter
from fieldcraft_lab.planes import shape_of
from fieldcraft_lab.server import Server
from fieldcraft_lab.showing import described, knobs_of, listed, state_of
from fieldcraft_lab.stage import Stage

__all__ = ["Program", "Watch", "watch"]

Reply = Callable[[dict[str, Any]], None]

_PERIOD = 1 / 60
_CLOCK_PERIOD = 1 / 8
_QUESTION_PERIOD = 0.1
_AT_ONCE = 1 << 16  # values copied in one call: 256 KB


def watch(imap: InfluenceMap, *, port: int = 0, browser: bool = False) -> Watch:
    """The watch of a map, which is opened by the first call and looked after by each."""
    rule = "The lab watches an influence map"
    checks.instance(imap, InfluenceMap, rule, "Pass fc.InfluenceMap")
    found: Watch | None = imap._watch
    if found is None:
        checks.integer("port", port, maximum=65535)
        checks.flag("browser", browser)
        found = imap._watch = Watch(imap, port=port)
        print(f"The map can be seen at {found.url}", file=sys.stderr, flush=True)
        if browser:
            webbrowser.open(found.url)
    found.look()
    return found


class Program:
    """Answers pages about a map, whose settings, walls and sources they may change."""

    kind: ClassVar[str]

    def __init__(self, imap: InfluenceMap) -> None:
        self.stage = Stage()
        self._imap = imap
        self._painter = Painter()
        self._shape = shape_of(imap.space)
        self._beginnings = {name: settings(layer) for name, layer in imap.layers.items()}

    def _live(self, maps: Mapping[str, Operand] | None = None) -> Any:
        """The map as a live world; `maps` stand for its layers."""
        imap = self._imap
        return SimpleNamespace(
            title="",
            kind=self.kind,
            step_seconds=shortest_interval(imap),
            end=None,
            maps=imap.layers if maps is None else maps,
            imap=imap,
            space=imap.space,
        )

    def _session(self) -> Any:
        return SimpleNamespace(live=self._live(), beginnings=self._beginnings)

    def hello(self) -> dict[str, Any]:
        """The greeting of a page."""
        session = self._session()
        return {**described(session, self._shape.told), "sides": {"a": state_of(session)}}

    def _done(self, message: Any) -> dict[str, Any] | None:
        if isinstance(message, answers.QUESTIONS):
            return answers.answered(message, self._live(), self._painter.map_of)
        if isinstance(message, protocol.Ask):
            return {"hello": self.hello()}
        if not isinstance(message, ORDERS):
            raise InvalidValue(
                f"Time belongs to the {self.kind} that uses the map",
                got=type(message).__name__.lower(),
                remedy="Open a copy with fc.lab.serve(imap) to go back in time, fork and keep",
            )
        obey(message, self._imap)
        self.stage.say({"changed": {"knobs": {"a": knobs_of(self._session())}}})
        return None

    def _status(self, live: Any, seconds: float, *, playing: bool) -> dict[str, Any]:
        moment = round(seconds / live.step_seconds)
        return {
            "moment": moment,
            "seconds": seconds,
            "furthest": moment,
            "playing": playing,
            "speed": 1.0,
            "orders": 0,
            "totals": {"a": self._painter.totals(live)},
        }


class _Copy(Operand):
    """The values of a layer as they were at its last copy."""

    def __init__(self, layer: Layer) -> None:
        self.name = layer.name
        self.space: Space = layer.space
        self._held: tuple[NDArray[np.float32], int] = (layer.read(), layer.version)
        self._next: NDArray[np.float32] | None = None
        self._filled = 0

    @property
    def values(self) -> NDArray[np.float32]:
        """The copy."""
        return self._held[0]

    @property
    def version(self) -> int:
        """The version of the layer that was copied."""
        return self._held[1]

    def take(self, layer: Layer, most: int) -> int:
        """Copy up to so many values, and show them once all are there; answers how many were
        copied.
        """
        if self._next is None:
            if layer.version == self._held[1]:
                return 0
            self._next, self._filled = np.empty(layer.space.shape, dtype=np.float32), 0
        flat, values = self._next.reshape(-1), layer.values.reshape(-1)
        end = min(self._filled + most, len(flat))
        flat[self._filled : end] = values[self._filled : end]
        copied, self._filled = end - self._filled, end
        if end == len(flat):
            self._held, self._next = (self._next, layer.version), None
        return copied


class Watch(Program):
    """The door to an influence map that a program goes on using; `look` is called from the
    program's loop.

    While nobody looks, a call looks at one list and returns. Else it obeys orders that came,
    answers a question every tenth of a second, and copies up to 65,536 values; a larger layer is
    copied over several calls, so that its picture may show rows of different updates.
    """

    kind = "program"

    def __init__(self, imap: InfluenceMap, *, port: int = 0) -> None:
        super().__init__(imap)
        self.kinds = {kind.__name__.lower(): kind for kind in ORDERS}
        self._copies = {name: _Copy(layer) for name, layer in imap.layers.items()}
        self._inbox: queue.SimpleQueue[tuple[protocol.Said, Reply]] = queue.SimpleQueue()
        self._waiting: list[tuple[protocol.Said, Reply]] = []
        self._sources: dict[str, Any] = {}
        self._versions: dict[str, int] = {}
        self._last = self._asked = self._clock = self._seconds = 0.0
        self._fresh = threading.Event()
        self._closing = threading.Event()
        self._walls = imap.space.walls_version
        self._hello = self.hello()
        self._server = Server(self, port=port)
        self._server.start()
        threading.Thread(target=self._paint, name="fieldcraft watch", daemon=True).start()

    @property
    def url(self) -> str:
        """The address of the page, with the token that lets in."""
        return self._server.url

    @property
    def geometry(self) -> bytes:
        """The triangles, dots and edges of a map that is no grid."""
        return self._shape.geometry

    def greet(self, tell: Reply) -> None:
        """Greet a page that comes with what the program's loop last saw, from any thread."""
        tell({"hello": self._hello})

    def hear(self, said: protocol.Said, reply: Reply) -> None:
        """Take a message, from any thread, until the program's loop looks."""
        self._inbox.put((said, reply))

    def close(self) -> None:
        """Send everybody away."""
        self._closing.set()
        self._fresh.set()
        self._server.stop()
        self._imap._watch = None

    def look(self) -> None:
        """Let pages see the map as it is now, and let their orders come in; from the thread that
        uses the map.
        """
        if self.stage.is_empty:
            return
        now = time.perf_counter()
        self._answer(now)
        if now - self._last < _PERIOD:
            return
        self._last = now
        self._copy()

    def _answer(self, now: float) -> None:
        while not self._inbox.empty():
            said, reply = self._inbox.get()
            if isinstance(said.message, answers.QUESTIONS):
                self._waiting = [*self._waiting[-3:], (said, reply)]
            else:
                self._reply(said, reply)
        if self._waiting and now - self._asked > _QUESTION_PERIOD:
            self._asked = now
            self._reply(*self._waiting.pop(0))

    def _reply(self, said: protocol.Said, reply: Reply) -> None:
        try:
            answer = self._done(said.message)
        except FieldcraftError as error:
            answer = {"error": str(error)}
        reply({**(answer or {}), "id": said.number})

    def _done(self, message: Any) -> dict[str, Any] | None:
        answer = super()._done(message)
        if isinstance(message, ORDERS):
            self._hello = self.hello()
        return answer

    def _copy(self) -> None:
        """Copy what is looked at and has changed."""
        for name in self._imap.layers:
            if name not in self._copies:
                self._copies[name] = _Copy(self._imap[name])
                self._hello = self.hello()
                self.stage.say({"hello": self._hello})
        wanted = {view.map for look in self.stage.wanted() for view in look.views}
        has_formula = any(text not in self._copies and text != "#walls" for text in wanted)
        left, changed = _AT_ONCE, False
        for name, layer in self._imap.layers.items():
            if left > 0 and (has_formula or name in wanted):
                copied = self._copies[name].take(layer, left)
                left -= copied
                changed = changed or copied > 0
            if isinstance(layer, SourceLayer) and layer.sources.version != self._versions.get(name):
                self._versions[name] = layer.sources.version
                self._sources = {
                    **self._sources,
                    name: (layer.sources.ids, layer.sources.positions, layer.sources.strengths),
                }
                changed = True
        if self._imap.space.walls_version != self._walls:
            self._walls, changed = self._imap.space.walls_version, True
        if changed or self._last - self._clock > _CLOCK_PERIOD:
            self._seconds = self._imap.time
            self._fresh.set()

    # In a thread of its own

    def _paint(self) -> None:
        told: Any = None
        while not self._closing.is_set():
            self._fresh.wait()
            self._fresh.clear()
            live = self._live(self._copies)
            sides: Any = {"a": SimpleNamespace(live=live, returns=0)}
            views = [view for look in self.stage.wanted() for view in look.views]
            self._painter.paint(sides, views, self._shape)
            now, sources, status = time.perf_counter(), self._sources, None
            if now - self._clock > _CLOCK_PERIOD:
                status, self._clock = self._status(live, self._seconds, playing=True), now
            marks = None
            if sources is not told:
                marks = {"a": {name: listed(*columns) for name, columns in sources.items()}}
            self.stage.publish(self._painter.pictures, status, marks)
            told = sources
