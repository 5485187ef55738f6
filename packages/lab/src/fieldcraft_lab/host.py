"""The host: a thread in which sessions go on, orders are obeyed and pictures made, whoever
looks.
"""

from __future__ import annotations

import base64
import queue
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fieldcraft.errors import FieldcraftError, InvalidValue, UnknownName
from fieldcraft.readiness import warm_up
from fieldcraft_lab import answers, keeping, protocol, showing
from fieldcraft_lab.filming import FILMS, Studio
from fieldcraft_lab.live import games, opened, recipes
from fieldcraft_lab.pictures import WALLS, Painter
from fieldcraft_lab.planes import shape_of
from fieldcraft_lab.session import Session
from fieldcraft_lab.stage import Stage

__all__ = ["Host", "Reply"]

Reply = Callable[[dict[str, Any]], None]

_RATE = 60.0
_CLOCK_RATE = 8.0  # how often a clock is told where nothing but maps has changed
_STILL_RATE = 1.0  # how often where nothing has changed at all
_DRAWING_RATE = 4.0
_MOST_EDITS = 30
_MARK_RATE = 30.0
_MOST_BUSY = 0.05  # seconds of steps in one round, so that orders are heard


class Host:
    """Runs a session, and the other side of a fork, for the pages that look at its stage.

    Messages come from any thread through `hear`; everything else happens in the host's own.
    """

    def __init__(self, session: Session, *, starts: bool = False) -> None:
        self.starts = starts
        self.stage = Stage()
        self.sides: dict[str, Session] = {"a": session}
        self.kinds = {kind.__name__.lower(): kind for kind in session.live.orders}
        self._inbox: queue.SimpleQueue[tuple[protocol.Said, Reply] | None] = queue.SimpleQueue()
        self._painter = Painter()
        self._studio = Studio()
        self._playing = False
        self._was_seen = False
        self._speed = 1.0
        self._owed = 0.0
        self._told: Any = None
        self._last_moment = -1
        self._told_at = 0.0
        self._drawn: dict[Any, Any] = {}
        self._drawn_at = 0.0
        self._stopped: str | None = None
        self._kept = session.log
        self._changes: dict[str, Any] = {}
        self._changes_at: Any = None
        self._sources: Any = None
        self._sources_at = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fieldcraft lab", daemon=True)
        self.shape = shape_of(session.live.space)
        self.description = showing.described(session, self.shape.told)
        self.busy = 0.0
        self.rounds = 0

    def start(self, *, playing: bool = True, warm: bool = True) -> None:
        """Begin to run, with all that can be asked made ready behind the scenes, so that no
        question stalls the world.
        """
        self._playing = playing
        live = self.sides["a"].live
        if warm and hasattr(live, "imap"):
            warm_up(background=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread, once its round is over."""
        self._stopping.set()
        self._inbox.put(None)
        self._thread.join(timeout=10)
        self._studio.close()

    @property
    def geometry(self) -> bytes:
        """The triangles, dots and edges of a map that is no grid."""
        return self.shape.geometry

    def hear(self, said: protocol.Said, reply: Reply) -> None:
        """Take a message, from any thread; the answer, if there is one, comes through `reply` from
        the host's.
        """
        self._inbox.put((said, reply))

    def greet(self, tell: Reply) -> None:
        """Greet a page that comes, from any thread; the greeting is made in the host's, where
        nobody else is inside of the map.
        """
        self.hear(protocol.Said(0, None, protocol.Ask()), tell)

    def _run(self) -> None:
        last = due = time.perf_counter()
        while not self._stopping.is_set():
            self._listen(due)
            begun = time.thread_time()
            now = time.perf_counter()
            self._pass_time(now - last)
            last = now
            try:
                self._show(now)
            except Exception as error:  # a fault in a picture must not stop the world
                self.stage.say(
                    {"error": f"A picture could not be made: {type(error).__name__}: {error}"}
                )
            due = max(due + 1 / _RATE, now - 1 / _RATE)
            self.busy += time.thread_time() - begun
            self.rounds += 1

    def _listen(self, due: float) -> None:
        """Obey what has come, and wait for more until the next round is due."""
        while True:
            rest = due - time.perf_counter()
            try:
                item = self._inbox.get(timeout=rest) if rest > 0 else self._inbox.get_nowait()
            except queue.Empty:
                return
            if item is None:
                return
            begun = time.thread_time()
            self._answer(*item)
            self.busy += time.thread_time() - begun

    def _answer(self, said: protocol.Said, reply: Reply) -> None:
        def tell(answer: dict[str, Any]) -> None:
            reply({**answer, "id": said.number})

        message = said.message
        try:
            if isinstance(message, protocol.Export) and message.what in FILMS:
                self._studio.film(self._meant(message.side)[0], message, tell)
                return
            answer = self._done(said)
        except FieldcraftError as error:
            answer = {"error": str(error)}
        except Exception as error:  # a fault of ours must not stop the world
            answer = {"error": f"{type(error).__name__}: {error}"}
        self._told = None
        tell(answer or {})

    def _done(self, said: protocol.Said) -> dict[str, Any] | None:
        match said.message:
            case protocol.Play():
                self._playing = True
            case protocol.Pause():
                self._playing = False
            case protocol.Speed() as message:
                self._speed = message.factor
            case protocol.Step() as message:
                self._playing = False
                for session in self.sides.values():
                    session.step(message.count)
            case protocol.Seek() as message:
                self._seek(message.moment)
            case protocol.Undo() | protocol.Redo() as message:
                self._undo_or_redo(message, self._meant(said.side)[0])
            case protocol.Fork():
                self._fork()
            case protocol.Keep() as message:
                self._have({"a": self._meant(message.side)[0]})
            case protocol.Probe() | protocol.Levers() | protocol.Best() as message:
                live = self._meant(message.side)[0].live
                return answers.answered(message, live, self._painter.map_of)
            case protocol.Export() as message:
                return {"export": self._export(message)}
            case protocol.Cancel():
                self._studio.cancel()
            case protocol.Open() as message:
                self._open(message.world)
            case protocol.Ask():
                return {"hello": self.hello()}
            case order:
                for session in self._meant(said.side):
                    session.obey(order, joined=said.joined)
                self._stopped = None
        return None

    def _meant(self, side: str | None) -> list[Session]:
        if side is None:
            return list(self.sides.values())
        if side not in self.sides:
            raise UnknownName("side", side, self.sides)
        return [self.sides[side]]

    # Time

    def _pass_time(self, seconds: float) -> None:
        self._was_seen = self._was_seen or not self.stage.is_empty
        if not self._playing or not self._was_seen:  # the first page sees the beginning
            self._owed = 0.0
            return
        step = self.sides["a"].live.step_seconds
        self._owed = min(self._owed + seconds * self._speed, max(step, 0.25 * self._speed))
        begun = time.perf_counter()
        try:
            while self._owed >= step - 1e-9 and time.perf_counter() - begun < _MOST_BUSY:
                self._owed -= step
                for session in self.sides.values():
                    session.step()
        except FieldcraftError as error:
            self._playing, self._stopped = False, str(error)

    def _seek(self, moment: int) -> None:
        furthest = max(session.furthest for session in self.sides.values())
        if moment > furthest:
            raise InvalidValue(
                "Time goes back to moments that were",
                got=f"step {moment} of {furthest}",
                remedy="Let it play on",
            )
        self._playing, self._stopped = False, None
        for session in self.sides.values():
            session.seek(moment)

    def _undo_or_redo(self, message: protocol.Undo | protocol.Redo, chosen: Session) -> None:
        """Undo or redo the last edit of a side, on the other side as well where it is the same."""

        def last(session: Session) -> list[int]:
            is_undo = isinstance(message, protocol.Undo)
            edits = [edit for _, edit in session.edits] if is_undo else session.undone
            return [id(order) for order in edits[-1]] if edits else []

        same = [side for side in self.sides.values() if last(side) == last(chosen)]
        for session in same:
            session.undo() if isinstance(message, protocol.Undo) else session.redo()
        self._stopped = None
        furthest = max(session.moment for session in self.sides.values())
        for session in self.sides.values():
            session.seek(furthest)

    # Forks

    def _fork(self) -> None:
        if "b" in self.sides:
            raise InvalidValue(
                "A world has two sides at most",
                got="a fork of a fork",
                remedy="Keep one side first",
            )
        self._have({**self.sides, "b": self.sides["a"].fork()})

    def _have(self, sides: dict[str, Session]) -> None:
        self.sides = sides
        self._painter.forget()
        self.description = showing.described(sides["a"], self.shape.told)
        self.stage.say({"hello": self.hello()})

    def _open(self, world: str) -> None:
        """Open another world, and let all pages load it."""
        if world not in (*recipes(), *games()):
            raise UnknownName("world", world, (*recipes(), *games()))
        session, self.starts = Session(opened(world)), False
        self.kinds = {kind.__name__.lower(): kind for kind in session.live.orders}
        self.shape = shape_of(session.live.space)
        self._painter, self._kept, self._stopped = Painter(), session.log, None
        self._playing = True
        self.sides = {"a": session}
        self.description = showing.described(session, self.shape.told)
        self.stage.say({"reload": True})

    # Questions

    def hello(self) -> dict[str, Any]:
        """The greeting of a page: the world, its map, its maps and knobs, and the tables of
        colors.
        """
        sides = {name: showing.state_of(session) for name, session in self.sides.items()}
        told = {"recipes": recipes(), "games": games(), "start": self.starts}
        return {**self.description, **told, "sides": sides, "changed": self._changed()}

    def _changed(self) -> dict[str, Any]:
        """What pages are told when it changes: knobs, edits, and whether they are saved."""
        sides = self.sides.items()
        return {
            "knobs": {name: showing.knobs_of(session) for name, session in sides},
            "edits": {
                name: [showing.told_edit(*edit) for edit in session.edits[-_MOST_EDITS:]]
                for name, session in sides
            },
            "undone": {name: len(session.undone) for name, session in sides},
            "unsaved": any(session.log != self._kept for _, session in sides),
            "stopped": self._stopped,
        }

    def _tell_changes(self, now: float) -> None:
        """Tell pages what has changed, at once after an edit and four times a second."""
        given = [(len(side.log), side.returns) for side in self.sides.values()]
        at = (int(now * _DRAWING_RATE), self._stopped, given)
        if at != self._changes_at:
            self._changes_at, changes = at, self._changed()
            if changes != self._changes:
                self._changes = changes
                self.stage.say({"changed": changes})

    def _export(self, message: protocol.Export) -> dict[str, Any]:
        session = self._meant(message.side)[0]
        if message.what == "recipe":
            told = keeping.recipe_of(session, write=message.write)
            self._kept = self._kept if told["left_out"] else session.log
            return told
        self._kept = session.log
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "session.lab"
            session.save(path)
            data = base64.b64encode(path.read_bytes()).decode()
        digest = session.digest()
        return {"what": message.what, "name": path.name, "data": data, "digest": digest}

    # Pictures

    def _show(self, now: float) -> None:
        if self.stage.is_empty:
            return
        self._tell_changes(now)
        looks = self.stage.wanted()
        pictures = self._painter.paint(
            self.sides, [view for look in looks for view in look.views], self.shape
        )
        status = self._status(now, _STILL_RATE if pictures is None else _CLOCK_RATE)
        sources = self._new_sources(now)
        if pictures is not None or status is not None or sources is not None:
            self.stage.publish(self._painter.pictures, status, sources)
        if now - self._drawn_at > 1 / _DRAWING_RATE:
            self._drawn_at = now
            self._draw()

    def _status(self, now: float, rate: float) -> dict[str, Any] | None:
        session = self.sides["a"]
        orders = [len(side.log) for side in self.sides.values()]
        fixed = (self._playing, self._speed, tuple(self.sides), *orders)
        if self._told == fixed and (
            session.moment == self._last_moment or now - self._told_at < 1 / rate
        ):
            return None
        self._told, self._told_at, self._last_moment = fixed, now, session.moment
        return {
            "moment": session.moment,
            "seconds": session.seconds,
            "furthest": max(each.furthest for each in self.sides.values()),
            "playing": self._playing,
            "speed": self._speed,
            "orders": len(session.log),
            "totals": {name: self._painter.totals(each.live) for name, each in self.sides.items()},
        }

    def _new_sources(self, now: float) -> dict[str, Any] | None:
        if now - self._sources_at < 1 / _MARK_RATE:
            return None
        versions = tuple(
            (name, session.returns, showing.sources_version(session))
            for name, session in self.sides.items()
        )
        if versions == self._sources:
            return None
        self._sources, self._sources_at = versions, now
        return {name: showing.sources_of(session.live) for name, session in self.sides.items()}

    def _draw(self) -> None:
        """Make the drawings over maps anew where the maps have changed."""
        tops = [
            ({view.side: view for view in reversed(look.views) if view.map != WALLS}, look)
            for look in self.stage.looks()
        ]
        wanted = {
            (view, what)
            for views, look in tops
            for view in views.values()
            for what in look.overlays
        }
        self._drawn = {key: version for key, version in self._drawn.items() if key in wanted}
        for view, what in wanted:
            picture = self._painter.pictures.get(view)
            known = self._drawn.get((view, what))
            if picture is None or view.side not in self.sides or known == picture.version:
                continue
            self._drawn[view, what] = picture.version
            live = self.sides[view.side].live
            limits = (picture.told["low"], picture.told["high"])
            found = answers.drawing(what, live, self._painter.map_of(live, view.map), limits)
            self.stage.say({"drawing": found, "what": what, "map": view.map, "side": view.side})
