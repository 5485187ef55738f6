"""The door of the lab: page and socket on one port. The only file that imports websockets.

Nobody comes in but a browser on this machine that was given the token: it stands in the fragment of
the address, which browsers do not send, and comes in the first message. Host and Origin are checked
before, so that no page of another site gets as far.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import http
import ipaddress
import json
import re
import secrets
import socket
import threading
from collections.abc import Callable
from typing import Any, Protocol

from fieldcraft import checks
from fieldcraft.errors import FieldcraftError, InvalidValue, MissingLibrary
from fieldcraft_lab import protocol
from fieldcraft_lab.showing import page
from fieldcraft_lab.stage import Client, Stage

__all__ = ["Server", "page"]

_MOST_CLIENTS = 8
_MOST_STRANGERS = 64  # connections that have not sent the token yet; the oldest makes room
_MOST_UNANSWERED = 64  # messages of one page; the next ones are read when these are answered
_PATIENCE = 3.0  # seconds that a new client has to say its token
_ERRORS_TOLD = 200  # refused messages after which a client is sent away
_LOOPBACK = ("127.0.0.1", "localhost")


class Desk(Protocol):
    """Whoever answers messages of pages and shows on a stage."""

    stage: Stage
    kinds: dict[str, type]

    def hear(self, said: protocol.Said, reply: Callable[[dict[str, Any]], None]) -> None:
        """Take a message, from any thread; the answer comes through `reply`."""
        ...

    def greet(self, tell: Callable[[dict[str, Any]], None]) -> None:
        """Take notice of a page that comes, from any thread; its greeting comes through `tell`."""
        ...

    @property
    def geometry(self) -> bytes:
        """The triangles, dots and edges of a map that is no grid."""
        ...


def policy(text: bytes, origins: str) -> str:
    """The Content-Security-Policy of a page: its one script and its one style by their hashes, its
    socket, and nothing else.
    """
    script, style = (_hash(text, tag) for tag in (b"script", b"style"))
    return (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; connect-src"
        f" {origins}; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors"
        " 'none'"
    )


def _hash(text: bytes, tag: bytes) -> str:
    found = re.search(b"<" + tag + b">(.*?)</" + tag + b">", text, re.DOTALL)
    assert found is not None
    return base64.b64encode(hashlib.sha256(found[1]).digest()).decode()


class Server:
    """Serves a desk to pages, from a thread of its own.

    `url` is the page's address, token included. Raises `MissingLibrary` without websockets, and
    `InvalidValue` where the port is taken.

    Parameters
    ----------
    desk : Desk
        Who answers and shows.
    port : int, optional
        0 for any that is free.
    share : str, optional
        The address to listen at for other machines; None for this machine alone. The token is asked
        for all the same.
    token : str, optional
        A secret of at least 16 letters; by default a random one.
    """

    def __init__(
        self, desk: Desk, *, port: int = 0, share: str | None = None, token: str | None = None
    ) -> None:
        try:
            import websockets  # noqa: F401
        except ImportError:
            raise MissingLibrary("websockets", "lab", "The lab in a browser") from None
        if token is not None and len(checks.text("token", token)) < 16:
            raise InvalidValue(
                "A token has 16 letters or more",
                got=f"{len(token)}",
                remedy="Leave it out for a random one",
            )
        self.desk = desk
        self.token = secrets.token_urlsafe(24) if token is None else token
        self._host = "127.0.0.1" if share is None else share
        self._socket = _listening(self._host, checks.integer("port", port, maximum=65535))
        self.port = int(self._socket.getsockname()[1])
        own = socket.gethostname().lower()
        names = _LOOPBACK if share is None else (*_LOOPBACK, share.lower(), own, f"{own}.local")
        self._hosts = {f"{name}:{self.port}" for name in names}
        self._is_shared = share is not None
        self._page = page()
        self._strangers: dict[Any, None] = {}
        self._clients: set[Any] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="fieldcraft lab server", daemon=True
        )

    @property
    def url(self) -> str:
        """The address of the page, with the token in its fragment."""
        host = "127.0.0.1" if self._host == "0.0.0.0" else self._host
        return f"http://{host}:{self.port}/#token={self.token}"

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()
        self._started.wait(10)

    def stop(self) -> None:
        """Send everybody away and close the port."""
        if self._loop is not None and self._stopping is not None and self._loop.is_running():
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(timeout=10)

    def wait(self) -> None:
        """Serve until the program is interrupted."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        options: dict[str, Any] = {
            "compression": None,
            "max_size": protocol.MOST_BYTES,
            "max_queue": 64,
            "server_header": None,
            "close_timeout": 1,
        }
        async with serve(
            self._talk, sock=self._socket, process_request=self._door, ping_interval=20, **options
        ):
            self._started.set()
            await self._stopping.wait()

    # The door

    def _door(self, connection: Any, request: Any) -> Any:
        """Answer a request: the page, a handshake that may go on (None), or no."""
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        def answer(status: int, body: bytes = b"", *more: tuple[str, str]) -> Any:
            headers = Headers(
                [
                    ("Content-Length", str(len(body))),
                    ("Connection", "close"),
                    ("X-Content-Type-Options", "nosniff"),
                    *more,
                ]
            )
            return Response(status, http.HTTPStatus(status).phrase, headers, body)

        hosts = [host.lower() for host in request.headers.get_all("Host")]
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return answer(403)
        if request.path == "/live":
            if request.headers.get_all("Origin") != [f"http://{hosts[0]}"]:
                return answer(403)
            if len(self._clients) >= _MOST_CLIENTS:
                return answer(503)
            self._admit(connection)
            return None
        if request.path != "/":
            return answer(404)
        more = [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Security-Policy", policy(self._page, f"ws://{hosts[0]}")),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return answer(200, self._page, *more)

    def _is_own(self, host: str) -> bool:
        """Return whether a Host header names this server: an address, or a name that no other site
        can have. Shared, any address of this machine will do, since only names can be rebound.
        """
        name, _, port = host.rpartition(":")
        if self._is_shared and port == str(self.port):
            with contextlib.suppress(ValueError):
                return bool(ipaddress.ip_address(name.strip("[]")))
        return host in self._hosts

    def _admit(self, connection: Any) -> None:
        """Count a connection until it is closed, whether or not it becomes a socket. Strangers
        cannot keep a page out: the oldest of them is closed for the newest.
        """
        while len(self._strangers) >= _MOST_STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.transport.abort()
        self._strangers[connection] = None
        closed = asyncio.ensure_future(connection.wait_closed())
        closed.add_done_callback(lambda _: self._strangers.pop(connection, None))

    # A client

    async def _talk(self, connection: Any) -> None:
        if not await self._knows_token(connection):
            return
        self._strangers.pop(connection, None)
        if len(self._clients) >= _MOST_CLIENTS:
            await connection.close(1013, "too many pages")
            return
        self._clients.add(connection)
        try:
            await self._look(connection)
        finally:
            self._clients.discard(connection)

    async def _knows_token(self, connection: Any) -> bool:
        from websockets.exceptions import ConnectionClosed

        try:
            hello = json.loads(await asyncio.wait_for(connection.recv(), _PATIENCE))
        except (TimeoutError, ValueError, RecursionError):
            await connection.close(1008, "no token")
            return False
        except ConnectionClosed:
            return False
        said = hello.get("token") if isinstance(hello, dict) else None
        if not isinstance(said, str) or not hmac.compare_digest(
            said.encode("utf-8", "replace"), self.token.encode()
        ):
            await connection.close(1008, "token")
            return False
        return True

    async def _look(self, connection: Any) -> None:
        loop, fresh = asyncio.get_running_loop(), asyncio.Event()
        out: asyncio.Queue[str | bytes] = asyncio.Queue()

        def wake() -> None:
            with contextlib.suppress(
                RuntimeError
            ):  # the door was closed in this moment: nobody is there to be told
                loop.call_soon_threadsafe(fresh.set)

        def say(message: dict[str, Any]) -> None:
            text = json.dumps(message, separators=(",", ":"))
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(out.put_nowait, text)
            wake()

        client = Client(wake, say)
        geometry = self.desk.geometry
        greeting = await self._greeting(connection)
        if greeting is None:
            return
        say({**greeting, "geometry": len(geometry)})
        self.desk.stage.enter(client)
        ear = asyncio.ensure_future(self._listen(connection, client, fresh))
        mouth = asyncio.ensure_future(self._speak(connection, client, fresh, out, geometry))
        try:
            await asyncio.wait({ear, mouth}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.desk.stage.leave(client)
            for task in (ear, mouth):
                task.cancel()
            await asyncio.gather(ear, mouth, return_exceptions=True)
            await connection.close()

    async def _greeting(self, connection: Any) -> dict[str, Any] | None:
        """The greeting of a page, made where the world is; None where the page has gone before."""
        loop = asyncio.get_running_loop()
        greeting: asyncio.Future[dict[str, Any]] = loop.create_future()

        def tell(answer: dict[str, Any]) -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(
                    lambda: None if greeting.done() else greeting.set_result(answer)
                )

        self.desk.greet(tell)
        gone = asyncio.ensure_future(connection.wait_closed())
        try:
            await asyncio.wait({greeting, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
        return greeting.result() if greeting.done() else None

    async def _speak(
        self,
        connection: Any,
        client: Client,
        fresh: asyncio.Event,
        out: asyncio.Queue[str | bytes],
        geometry: bytes,
    ) -> None:
        first = True
        while True:
            await fresh.wait()
            fresh.clear()
            while not out.empty():
                await connection.send(out.get_nowait())
                if first and geometry:
                    await connection.send(geometry)
                first = False
            frame = self.desk.stage.frame_for(client)
            if frame is not None:
                await connection.send(frame)

    async def _listen(self, connection: Any, client: Client, fresh: asyncio.Event) -> None:
        refused = 0
        unanswered = asyncio.Semaphore(_MOST_UNANSWERED)
        async for text in connection:
            try:
                said = protocol.parse(text, self.desk.kinds)
            except FieldcraftError as error:
                refused += 1
                client.say({"error": str(error)})
                if refused > _ERRORS_TOLD:
                    await connection.close(1008, "too many mistakes")
                    return
                continue
            message = said.message
            if isinstance(message, protocol.Ack):
                client.acknowledge(message.frame)
                fresh.set()
            elif isinstance(message, protocol.Look):
                client.look, client.look_number = message, said.number
                fresh.set()
            else:
                await unanswered.acquire()
                self.desk.hear(said, _replying(client, said.number, unanswered))


def _replying(
    client: Client, number: int, unanswered: asyncio.Semaphore
) -> Callable[[dict[str, Any]], None]:
    """Return how an answer comes to a client: a bare one as the number of the last order done, in
    its next frame. The first answer lets the next message in.
    """
    loop, places = asyncio.get_running_loop(), [unanswered]

    def reply(answer: dict[str, Any]) -> None:
        client.done = max(client.done, number)
        if places:
            place = places.pop()
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(place.release)
        if len(answer) > 1:
            client.say(answer)

    return reply


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except OSError as error:
        raise InvalidValue(
            "The lab listens at a port that is free",
            got=f"{host}:{port}, {error.strerror}",
            remedy="Pass --port 0",
        ) from None
