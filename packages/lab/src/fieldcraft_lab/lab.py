"""The lab: it runs a session, and the other side of a fork, and serves them to pages."""

from __future__ import annotations

import base64
import queue
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, InvalidValue, UnknownName
from fieldcraft.kernels.compiling.warm_up import warm_up
from fieldcraft_lab import protocol, recipe_export
from fieldcraft_lab.controller import Controller, Reply
from fieldcraft_lab.filming import FILMS, FilmMaker
from fieldcraft_lab.opening import game_names, opened, recipe_names
from fieldcraft_lab.protocol import Request
from fieldcraft_lab.replay import session_of
from fieldcraft_lab.server import Server
from fieldcraft_lab.session import Session

_RATE = 60.0
_MOST_BUSY = 0.05  # seconds of steps before messages are handled again


class Lab(Controller):
    """A world in the lab, served in threads of its own until `stop`; a context manager. See
    `fc.lab.serve` for the parameters.

    `url` is the address of its page, with the token; `session` is side A of the world: read it
    after `stop`. With `starts` the page opens with a list of worlds to choose from.
    """

    sides: dict[str, Session]  # type: ignore[assignment]

    def __init__(
        self,
        world: Any,
        *,
        port: int = 0,
        share: str | None = None,
        playing: bool = True,
        step: float | None = None,
        warm: bool = True,
        starts: bool = False,
        token: str | None = None,
        teams: Sequence[str] = (),
    ) -> None:
        # All arguments are checked before the port is opened: a refused one would leave it open.
        checks.integer("port", port, maximum=65535)
        if share is not None:
            checks.text("share", share)
        playing = checks.flag("playing", playing)
        warm = checks.flag("warm", warm)
        if isinstance(world, Session):
            session = world
        else:
            session = session_of(world, step, teams=teams)
        if session is not world:
            session.seek(session.furthest)
        self._starts = starts
        self._films = FilmMaker()
        self._saved = session.log
        self._was_seen = False
        self._pending_seconds = 0.0
        self.busy = 0.0
        self.rounds = 0
        super().__init__({"a": session})
        self._playing = playing
        self._stopping = threading.Event()
        self.server = Server(self, port=port, share=share, token=token)
        if warm and session.live.imap is not None:
            warm_up(background=True)
        self._thread = threading.Thread(target=self._run, name="fieldcraft lab", daemon=True)
        self._thread.start()
        self.server.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Lab at {self.url}>"

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return self.server.url

    @property
    def session(self) -> Session:
        """The session of side A."""
        return self.sides["a"]

    def wait(self, *, browser: bool = True, url: str | None = None) -> None:
        """Print the address, open the page, and serve until Ctrl-C. `url` is another address of the
        page, with a view in it.
        """
        address = url or self.url
        print(f"The lab is open at {address}\nCtrl-C closes it.", flush=True)
        try:
            if browser:
                webbrowser.open(address)
            self.server.wait()
        except KeyboardInterrupt:
            print("The lab is closed.", file=sys.stderr)
        finally:
            self.stop()

    def stop(self) -> None:
        """Close the port, and end the thread after its current round."""
        self.server.stop()
        self._stopping.set()
        self._inbox.put(None)
        self._thread.join(timeout=10)
        self._films.close()

    # The thread

    def _run(self) -> None:
        """Handle messages, take steps and publish pictures, until the lab stops."""
        last = time.perf_counter()
        due = last
        while not self._stopping.is_set():
            self._handle_until(due)
            begun = time.thread_time()
            now = time.perf_counter()
            self._advance(now - last)
            last = now
            try:
                self.publish(now)
            except Exception as error:  # a bug in a picture must not stop the world
                self.hub.send({"error": f"A picture failed: {type(error).__name__}: {error}"})
            due = max(due + 1 / _RATE, now - 1 / _RATE)
            self.busy += time.thread_time() - begun
            self.rounds += 1

    def _handle_until(self, due: float) -> None:
        """Handle messages until the next round is due."""
        while True:
            rest = due - time.perf_counter()
            try:
                if rest > 0:
                    item = self._inbox.get(timeout=rest)
                else:
                    item = self._inbox.get_nowait()
            except queue.Empty:
                return
            if item is None:
                return
            begun = time.thread_time()
            self._answer(*item)
            self.busy += time.thread_time() - begun

    def _advance(self, seconds: float) -> None:
        """Take the steps that are due after some seconds of wall time."""
        self._was_seen = self._was_seen or not self.hub.is_empty
        if not self._playing or not self._was_seen:  # the first page sees the beginning
            self._pending_seconds = 0.0
            return
        step = self.session.live.step_seconds
        most = max(step, 0.25 * self._speed)
        self._pending_seconds = min(self._pending_seconds + seconds * self._speed, most)
        begun = time.perf_counter()
        try:
            while self._pending_seconds >= step - 1e-9:
                self._pending_seconds -= step
                for session in self.sides.values():
                    session.step()
                if time.perf_counter() - begun >= _MOST_BUSY:
                    return
        except FieldcraftError as error:
            self._playing = False
            self._stopped = str(error)

    # Messages

    def _handle(self, request: Request, send: Reply) -> dict[str, Any] | None:
        message = request.message
        match message:
            case protocol.Play():
                self._playing = True
            case protocol.Pause():
                self._playing = False
            case protocol.Speed():
                self._speed = message.factor
            case protocol.Step():
                self._playing = False
                self._step(message.count)
            case protocol.Seek():
                self._seek(message.moment)
            case protocol.Undo() | protocol.Redo():
                self._undo_or_redo(message, self._session(request.side or "a"))
            case protocol.Fork():
                self._fork()
            case protocol.Keep():
                self._replace_sides({"a": self._session(message.side)})
            case protocol.Export() if message.what in FILMS:
                self._films.start(self._session(message.side), message, send)
            case protocol.Export():
                return {"export": self._export(message)}
            case protocol.Restore():
                recipe_export.restore_recipe(self._session(message.side))
                self._saved = ()
            case protocol.Cancel():
                self._films.cancel()
            case protocol.Open():
                self._open(message.world)
            case _:
                answer = super()._handle(request, send)
                if isinstance(message, self.orders):
                    self._stopped = None
                return answer
        return None

    def _step(self, count: int) -> None:
        """Take some steps, as long as the page that asked for them is open."""
        for _ in range(count):
            if self._gone.is_set():
                return
            for session in self.sides.values():
                session.step()

    def _session(self, name: str) -> Session:
        if name not in self.sides:
            raise UnknownName("side", name, self.sides)
        return self.sides[name]

    def _seek(self, moment: int) -> None:
        """Go to a known moment, paused."""
        furthest = max(session.furthest for session in self.sides.values())
        if moment > furthest:
            raise InvalidValue(
                "Time goes back to known moments",
                got=f"step {moment} of {furthest}",
                remedy="Play on",
            )
        self._playing = False
        self._stopped = None
        for session in self.sides.values():
            session.seek(moment)

    def _undo_or_redo(self, message: protocol.Undo | protocol.Redo, chosen: Session) -> None:
        """Undo or redo the last edit of a side, and of the other side if it is the same edit."""

        def last(session: Session) -> list[int]:
            is_undo = isinstance(message, protocol.Undo)
            if is_undo:
                edits = [edit for _, edit in session.edits]
            else:
                edits = session.undone
            if edits:
                return [id(order) for order in edits[-1]]
            return []

        same = [side for side in self.sides.values() if last(side) == last(chosen)]
        for session in same:
            if isinstance(message, protocol.Undo):
                session.undo()
            else:
                session.redo()
        self._stopped = None
        furthest = max(session.moment for session in self.sides.values())
        for session in self.sides.values():
            session.seek(furthest)

    def _fork(self) -> None:
        if "b" in self.sides:
            raise InvalidValue(
                "A world has at most two sides",
                got="a fork of a fork",
                remedy="Keep one side first",
            )
        self._replace_sides({**self.sides, "b": self.session.fork()})

    def _replace_sides(self, sides: dict[str, Session]) -> None:
        """Show other sides, with the totals of those that stay."""
        logs = {id(each): self._histories[name] for name, each in self.sides.items()}
        first = self._histories["a"]
        self._histories = {
            name: logs.get(id(each)) or first.until(each.moment) for name, each in sides.items()
        }
        self.sides = sides
        self._renderer.forget()
        self.hub.send({"hello": self.hello()})

    def _open(self, world: str) -> None:
        """Open another world; all pages load it."""
        if world not in (*recipe_names(), *game_names()):
            raise UnknownName("world", world, (*recipe_names(), *game_names()))
        session = Session(opened(world))
        self._starts = False
        self._stopped = None
        self._saved = session.log
        self._playing = True
        self._start({"a": session})
        self.hub.send({"reload": True})

    def hello(self) -> dict[str, Any]:
        """Return the description of the world, and of the worlds that can be opened."""
        worlds = {"recipes": recipe_names(), "games": game_names(), "start": self._starts}
        return {**super().hello(), **worlds}

    def _changed(self) -> dict[str, Any]:
        live = self.session.live
        return {
            **super()._changed(),
            "unsaved": any(session.log != self._saved for session in self.sides.values()),
            "written": recipe_export.writings(live),
        }

    def _export(self, message: protocol.Export) -> dict[str, Any]:
        """Return the recipe or the session of a side as a file."""
        session = self._session(message.side)
        if message.what == "recipe":
            found = recipe_export.recipe_of(session, write=message.write)
            if not found["left_out"]:
                self._saved = session.log
            return found
        self._saved = session.log
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "session.lab"
            session.save(path)
            data = base64.b64encode(path.read_bytes()).decode()
        digest = session.digest()
        return {"what": message.what, "name": path.name, "data": data, "digest": digest}


def serve(
    world: Any,
    *,
    port: int = 0,
    share: str | None = None,
    browser: bool = True,
    playing: bool = True,
    step: float | None = None,
    teams: Sequence[str] = (),
) -> Session:
    """Open the lab on a world, serve it until Ctrl-C, and return its session.

    Parameters
    ----------
    world : object
        An influence map, of which the lab runs a copy; the path of a recipe (.toml), of a saved
        map or of a saved session; or a `Session`.
    port : int, optional
        0 for any free port.
    share : str, optional
        An address of this machine at which other machines may connect. They need the token, too;
        traffic is not encrypted.
    browser : bool, optional
        Whether to open the page.
    playing : bool, optional
        Whether time passes at once.
    step : float, optional
        Seconds of a step of an influence map; by default the shortest interval of its layers.
    teams : sequence of str, optional
        The names of layers of an influence map that are those of teams, in place of the first of
        `imap.teams`. The page opens as a map of teams, with their colors mixed, front lines and
        owners.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value or type.
    MissingLibrary
        Without the extra `lab`. Also the errors of reading a file.
    """
    lab = Lab(world, port=port, share=share, playing=playing, step=step, teams=teams)
    lab.wait(browser=browser)
    return lab.session
