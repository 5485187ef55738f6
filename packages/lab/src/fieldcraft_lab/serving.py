"""The lab of a program: a session, its host and its door."""

from __future__ import annotations

import os
import sys
import webbrowser
from types import TracebackType
from typing import Any, Self

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft_lab.host import Host
from fieldcraft_lab.live import LiveMap
from fieldcraft_lab.replay import session_of
from fieldcraft_lab.server import Server
from fieldcraft_lab.session import Session

__all__ = ["Lab"]


class Lab:
    """A world in the lab, served in threads of its own until `stop`; a context manager. Arguments
    as in `fc.lab.serve`. With `starts` the page begins with a list of worlds to choose from.

    `url` is the address of its page. `session` is its session: read it once the lab was stopped.
    """

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
    ) -> None:
        checks.integer("port", port, maximum=65535)
        if share is not None:
            checks.text("share", share)
        checks.flag("playing", playing)
        checks.flag("warm", warm)
        self._host = Host(_session_of(world, step), starts=starts)
        self._server = Server(self._host, port=port, share=share, token=token)
        self._host.start(playing=playing, warm=warm)
        self._server.start()

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
        """The address of the page, with the token that lets in."""
        return self._server.url

    @property
    def session(self) -> Session:
        """The session of side A."""
        return self._host.sides["a"]

    @property
    def desk(self) -> Host:
        """The host that runs it."""
        return self._host

    def wait(self, *, browser: bool = True, url: str | None = None) -> None:
        """Print the address, open the page, and serve until Ctrl-C. `url` is another address of the
        page, with a view in it.
        """
        address = self.url if url is None else url
        print(f"The lab is open at {address}\nCtrl-C closes it.", flush=True)
        try:
            if browser:
                webbrowser.open(address)
            self._server.wait()
        except KeyboardInterrupt:
            print("The lab is closed.", file=sys.stderr)
        finally:
            self.stop()

    def stop(self) -> None:
        """Close the door and stop the world."""
        self._server.stop()
        self._host.stop()


def _session_of(world: Any, step: float | None) -> Session:
    if isinstance(world, Session):
        return world
    if isinstance(world, InfluenceMap):
        return Session(LiveMap(world, step))
    if isinstance(world, (str, os.PathLike)):
        named = os.fspath(checks.path("world", world))
        try:
            session = session_of(named)
        except OSError as error:
            raise InvalidValue(
                "The lab opens a file that can be read",
                got=f"{named[:80]}: {error.strerror}",
                remedy="Check it",
            ) from error
        session.seek(session.furthest)
        return session
    raise InvalidValue(
        "The lab opens on an influence map, the path of a recipe or of a session, or a Session",
        got=f"a {type(world).__name__}",
        remedy="Pass imap, say",
    )
