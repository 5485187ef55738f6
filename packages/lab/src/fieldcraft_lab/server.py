"""The server of the lab: page and socket on one port. The only file that imports websockets.

A page is let in with the token. The token is in the fragment of the address, which browsers do not
send, and comes in the first message. Host and Origin are checked before, so that pages of other
sites do not get that far.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import errno
import hashlib
import hmac
import http
import ipaddress
import json
import re
import secrets
import socket
import threading
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, InvalidValue, MissingLibrary
from fieldcraft_lab import protocol
from fieldcraft_lab.controller import Controller, Gone, Reply
from fieldcraft_lab.description import page
from fieldcraft_lab.hub import Client
from fieldcraft_lab.protocol import Hello, Request

_MOST_PAGES = 8
_MOST_STRANGERS = 64  # connections that have not sent the token; the oldest is closed for a new one
_MOST_UNANSWERED = 64  # messages of one page; the next ones are read after an answer
_TOKEN_TIMEOUT = 3.0
_MOST_ERRORS = 200  # wrong messages before a page is disconnected
_LOOPBACK = ("127.0.0.1", "localhost")


class Server:
    """Connects a controller with pages, in a thread. `url` is the address with the token.

    Parameters
    ----------
    controller : Controller
        The controller that answers.
    port : int, optional
        0 for any free port.
    share : str, optional
        The address at which other machines may connect; None for this machine only. They need the
        token, too.
    token : str, optional
        A secret of at least 16 letters; by default a random one.

    Raises
    ------
    MissingLibrary
        Without websockets.
    InvalidValue
        If the port is taken.
    """

    def __init__(
        self,
        controller: Controller,
        *,
        port: int = 0,
        share: str | None = None,
        token: str | None = None,
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
        self.controller = controller
        if token is None:
            self.token = secrets.token_urlsafe(24)
        else:
            self.token = token
        self._host = share or "127.0.0.1"
        self._socket = _listening(self._host, checks.integer("port", port, maximum=65535))
        self.port = int(self._socket.getsockname()[1])
        names = list(_LOOPBACK)
        if share is not None:
            own = socket.gethostname().lower()
            names += [share.lower(), own, f"{own}.local"]
        self._hosts = {f"{name}:{self.port}" for name in names}
        self._is_shared = share is not None
        self._strangers: dict[Any, None] = {}
        self._pages: set[Any] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="fieldcraft lab server", daemon=True
        )

    @property
    def url(self) -> str:
        """The address of the page, with the token in its fragment."""
        host = self._host
        if host == "0.0.0.0":
            host = "127.0.0.1"
        return f"http://{host}:{self.port}/#token={self.token}"

    def start(self) -> None:
        """Start to serve."""
        self._thread.start()
        self._started.wait(10)

    def stop(self) -> None:
        """Disconnect all pages and close the port."""
        if self._loop is not None and self._stopping is not None and self._loop.is_running():
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(timeout=10)

    def wait(self) -> None:
        """Serve until the program is interrupted."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        options: dict[str, Any] = {
            "compression": None,
            "max_size": protocol.MOST_BYTES,
            "max_queue": 64,
            "server_header": None,
            "close_timeout": 1,
            "ping_interval": 20,
        }
        async with serve(self._talk, sock=self._socket, process_request=self._respond, **options):
            self._started.set()
            await self._stopping.wait()

    # Requests

    def _respond(self, connection: Any, request: Any) -> Any:
        """Return the response to a request; None for a handshake that may go on."""
        hosts = [host.lower() for host in request.headers.get_all("Host")]
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return _response(403)
        if request.path == "/live":
            if request.headers.get_all("Origin") != [f"http://{hosts[0]}"]:
                return _response(403)
            if len(self._pages) >= _MOST_PAGES:
                return _response(503)
            self._admit(connection)
            return None
        if request.path != "/":
            return _response(404)
        text = page()
        return _response(
            200,
            text,
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Security-Policy", _policy(text, f"ws://{hosts[0]}")),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        )

    def _is_own(self, host: str) -> bool:
        """Return whether a Host header names this server. A shared server accepts any IP address,
        since only names can be rebound by other sites.
        """
        name, _, port = host.rpartition(":")
        if self._is_shared and port == str(self.port):
            with contextlib.suppress(ValueError):
                return bool(ipaddress.ip_address(name.strip("[]")))
        return host in self._hosts

    def _admit(self, connection: Any) -> None:
        """Count a connection until it is closed or sends the token. Strangers cannot keep a page
        out: the oldest of them is closed for a new one.
        """
        while len(self._strangers) >= _MOST_STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.transport.abort()
        self._strangers[connection] = None
        closed = asyncio.ensure_future(connection.wait_closed())
        closed.add_done_callback(lambda _: self._strangers.pop(connection, None))

    # Pages

    async def _talk(self, connection: Any) -> None:
        if not await self._has_token(connection):
            return
        self._strangers.pop(connection, None)
        if len(self._pages) >= _MOST_PAGES:
            await connection.close(1013, "too many pages")
            return
        self._pages.add(connection)
        try:
            await _Page(self.controller, connection).talk()
        finally:
            self._pages.discard(connection)

    async def _has_token(self, connection: Any) -> bool:
        from websockets.exceptions import ConnectionClosed

        try:
            first = json.loads(await asyncio.wait_for(connection.recv(), _TOKEN_TIMEOUT))
        except (TimeoutError, ValueError, RecursionError):
            await connection.close(1008, "no token")
            return False
        except ConnectionClosed:
            return False
        if isinstance(first, dict):
            token = first.get("token")
        else:
            token = None
        if not isinstance(token, str) or not hmac.compare_digest(
            token.encode("utf-8", "replace"), self.token.encode()
        ):
            await connection.close(1008, "token")
            return False
        return True


class _Page:
    """The connection to one page; all methods with `async` run in the server's thread."""

    def __init__(self, controller: Controller, connection: Any) -> None:
        self._controller = controller
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._messages: asyncio.Queue[str] = asyncio.Queue()
        self._unanswered = asyncio.Semaphore(_MOST_UNANSWERED)
        self._client = Client(self._wake, self._send)
        self._gone = Gone()

    def _call(self, function: Any, *arguments: Any) -> None:
        """Call a function in the server's thread, from any thread."""
        with contextlib.suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(function, *arguments)

    def _wake(self) -> None:
        self._call(self._news.set)

    def _send(self, message: dict[str, Any]) -> None:
        self._call(self._messages.put_nowait, json.dumps(message, separators=(",", ":")))
        self._wake()

    async def talk(self) -> None:
        """Send and receive until the page is gone."""
        self._controller.hub.add(self._client)
        tasks = [asyncio.ensure_future(each) for each in (self._receive_all(), self._send_all())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._gone.set()
            self._controller.hub.remove(self._client)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._connection.close()

    async def _send_all(self) -> None:
        hello: asyncio.Future[dict[str, Any]] = self._loop.create_future()

        def finish(answer: dict[str, Any]) -> None:
            if not hello.done():
                hello.set_result(answer)

        self._controller.receive(
            Request(0, None, Hello()), lambda answer: self._call(finish, answer), self._gone
        )
        answer = await hello
        geometry = self._controller.geometry
        await self._connection.send(json.dumps({**answer, "geometry": len(geometry)}))
        if geometry:
            await self._connection.send(geometry)
        while True:
            while not self._messages.empty():
                await self._connection.send(self._messages.get_nowait())
            frame = self._controller.hub.frame_for(self._client)
            if frame is not None:
                await self._connection.send(frame)
            await self._news.wait()
            self._news.clear()

    async def _receive_all(self) -> None:
        errors = 0
        async for text in self._connection:
            try:
                request = protocol.parse(text, self._controller.orders)
            except FieldcraftError as error:
                errors += 1
                self._send({"error": str(error)})
                if errors > _MOST_ERRORS:
                    await self._connection.close(1008, "too many errors")
                    return
                continue
            message = request.message
            if isinstance(message, protocol.Ack):
                self._client.acknowledge(message.frame)
                self._news.set()
            elif isinstance(message, protocol.Show):
                self._client.show = message
                self._client.show_number = request.number
                self._news.set()
            else:
                await self._unanswered.acquire()
                self._controller.receive(request, self._reply_to(request), self._gone)

    def _reply_to(self, request: Request) -> Reply:
        """Return the function that sends answers. An empty answer is only counted in the next
        frame; the first answer lets the next message in.
        """
        places = [self._unanswered]

        def reply(answer: dict[str, Any]) -> None:
            self._client.done = max(self._client.done, request.number)
            if places:
                self._call(places.pop().release)
            if len(answer) > 1:
                self._send(answer)

        return reply


def _response(status: int, body: bytes = b"", *more: tuple[str, str]) -> Any:
    """Return a response of HTTP."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    headers = Headers(
        [
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
            ("X-Content-Type-Options", "nosniff"),
            *more,
        ]
    )
    return Response(status, http.HTTPStatus(status).phrase, headers, body)


def _policy(text: bytes, origins: str) -> str:
    """Return the Content-Security-Policy of the page: its script and its style by their hashes, its
    socket, and nothing else.
    """
    script = _hash(text, b"script")
    style = _hash(text, b"style")
    return (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; connect-src"
        f" {origins}; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors"
        " 'none'"
    )


def _hash(text: bytes, tag: bytes) -> str:
    """Return the hash of the content of an element of a page, as the policy names it."""
    found = re.search(b"<" + tag + b">(.*?)</" + tag + b">", text, re.DOTALL)
    assert found is not None
    return base64.b64encode(hashlib.sha256(found[1]).digest()).decode()


def _can_be_a_host(host: str) -> bool:
    """Return whether the system can be asked for a name; a socket for another would stay open."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return "\0" not in host


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at a port."""
    try:
        if not _can_be_a_host(host):
            raise OSError(errno.EINVAL, "which can be no name of a host")
        return socket.create_server((host, port))
    except OSError as error:
        raise InvalidValue(
            "The lab listens at a free port",
            got=f"{host[:80]}:{port}, {error.strerror}",
            remedy="Pass --port 0",
        ) from None
