"""The server of the lab, with hand-written clients: access, wrong messages, and slow pages."""

from __future__ import annotations

import asyncio
import gc
import http.client
import json
import socket
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import ColorScale
from fieldcraft_lab.lab import Lab
from fieldcraft_lab.server import Server
from fieldcraft_lab.session import Session
from support.refusals import refused
from support.sessions import small_map
from support.waiting import eventually

websockets = pytest.importorskip("websockets", reason="websockets is not installed")
from websockets.asyncio.client import connect  # noqa: E402
from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402

VIEW = {"map": "threat"}
PATIENCE = 60.0
"""Seconds for an answer, many more than one takes on a machine where much else is done."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Lab(Session(small_map()), playing=True, warm=False) as lab:
        yield lab.server


def get(server: Server, path: str = "/", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in {"Host": f"127.0.0.1:{server.port}", **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


def opening(server: Server, **options: Any) -> Any:
    return connect(
        f"ws://127.0.0.1:{server.port}/live",
        **{
            "origin": f"http://127.0.0.1:{server.port}",
            "max_size": None,
            "open_timeout": PATIENCE,
            **options,
        },
    )


class Page:
    """A hand-written page."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.hello: dict[str, Any] = {}
        self.messages: list[dict[str, Any]] = []
        self.frames: list[tuple[dict[str, Any], bytes]] = []

    @classmethod
    async def open(cls, server: Server, socket: Any) -> Page:
        page = cls(socket)
        await socket.send(json.dumps({"token": server.token}))
        page.hello = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))["hello"]
        return page

    async def send(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def take(self, ack: bool = True) -> dict[str, Any]:
        data = await asyncio.wait_for(self.socket.recv(), PATIENCE)
        if isinstance(data, str):
            self.messages.append(json.loads(data))
            return self.messages[-1]
        length = int.from_bytes(data[:4], "little")
        header = json.loads(data[4 : 4 + length])
        self.frames.append((header, data[4 + length :]))
        if ack:
            await self.send(do="ack", frame=header["frame"])
        return header

    def planes(self) -> dict[int, Any]:
        """The planes of all views, put together from the whole planes and tiles of all frames."""
        found: dict[int, Any] = {}
        for header, data in self.frames:
            at = 0
            for view in header["views"]:
                shape = view["height"], view["width"]
                parts = [0, 0, *shape[::-1]] if view.get("whole") else view["tiles"]
                plane = found.setdefault(view["view"], np.zeros(shape, np.uint8))
                for x, y, wide, high in zip(*[iter(parts)] * 4, strict=True):
                    tile = np.frombuffer(data, np.uint8, wide * high, at).reshape(high, wide)
                    plane[y : y + high, x : x + wide] = tile
                    at += wide * high
        return found

    async def until(self, key: str) -> dict[str, Any]:
        while True:
            told = await self.take()
            if told.get(key):
                return told


def run(server: Server, act: Any) -> Any:
    async def all_of_it() -> Any:
        async with opening(server) as socket:
            return await act(await Page.open(server, socket))

    return asyncio.run(all_of_it())


def test_a_page_that_comes_while_the_world_runs_is_greeted_where_the_world_is(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another thread the map would refuse: two would be inside of it at once."""
    made, hello = [], Lab.hello

    def noted(self: Lab) -> dict[str, Any]:
        made.append(threading.current_thread().name)
        return hello(self)

    monkeypatch.setattr(Lab, "hello", noted)

    async def act(page: Page) -> str:
        return str(page.hello["kind"])

    assert run(server, act) == "map"
    assert made == ["fieldcraft lab"]


def test_the_page_comes_with_a_strict_policy(server: Server) -> None:
    status, headers, body = get(server)
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    assert "unsafe" not in policy
    assert server.token not in body.decode()


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {"Host": "evil.example"}, 403),
        ("/", {"Host": "evil.example:80"}, 403),
        ("/../../etc/passwd", {}, 404),
        ("/page.html", {}, 404),
        ("/live", {"Origin": "http://evil.example"}, 403),
        ("/live", {}, 403),
    ],
)
def test_strangers_are_refused(
    server: Server, path: str, headers: dict[str, str], status: int
) -> None:
    assert get(server, path, **headers)[0] == status


@pytest.mark.parametrize(
    "first", ['{"token":"x"}', "[[[", "[]", '{"token":7}', "null", "9" * 5000, "[" * 9000]
)
def test_without_the_token_there_is_nothing(server: Server, first: str) -> None:
    async def attempt() -> None:
        async with opening(server) as socket:
            await socket.send(first)
            with pytest.raises(ConnectionClosed) as closed:
                await asyncio.wait_for(socket.recv(), PATIENCE)
            assert closed.value.rcvd.code == 1008

    asyncio.run(attempt())


def test_long_messages_close_the_socket(server: Server) -> None:
    async def act(page: Page) -> int:
        await page.socket.send("x" * 20_000)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                await page.take()
        return closed.value.rcvd.code

    assert run(server, act) == 1009


def test_pages_are_counted_and_strangers_cannot_keep_them_out(server: Server) -> None:
    address = f"127.0.0.1:{server.port}"
    plain = f"GET /live HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\r\n"
    for _ in range(12):
        with socket.create_connection(("127.0.0.1", server.port)) as stranger:
            stranger.sendall(plain.encode())
            assert stranger.recv(99).startswith(b"HTTP/1.1 426")

    async def crowd() -> int:
        silent = [await opening(server) for _ in range(80)]
        pages = [await Page.open(server, await opening(server)) for _ in range(8)]
        with pytest.raises(InvalidStatus) as refused:
            await opening(server)
        for each in (*silent, *(page.socket for page in pages)):
            await each.close()
        return int(refused.value.response.status_code)

    assert asyncio.run(crowd()) == 503
    eventually(lambda: not server._pages and not server._strangers)


def test_a_flood_of_questions_waits_in_the_socket(server: Server) -> None:
    async def act(page: Page) -> int:
        for _ in range(500):
            await page.socket.send(
                json.dumps({"do": "sensitivity", "x": 5.5, "y": 5.5, "map": "threat"})
            )
        return server.controller._inbox.qsize()  # type: ignore[attr-defined]

    assert run(server, act) <= 64


def test_orders_of_a_closed_page_are_dropped(server: Server) -> None:
    controller: Any = server.controller
    steps = 10_000

    async def leave(page: Page) -> None:
        for number in range(40):
            await page.socket.send(json.dumps({"do": "step", "count": steps, "id": number + 1}))
        await page.socket.close()

    run(server, leave)
    eventually(lambda: controller._inbox.qsize() == 0)
    assert controller.session.moment < 20 * steps


@pytest.mark.parametrize("shared", [True, False])
def test_a_shared_lab_answers_by_any_address_of_the_machine(shared: bool) -> None:
    with Lab(small_map().imap, warm=False, share="0.0.0.0" if shared else None) as lab:
        served = lab.server
        name = f"192.0.2.2:{served.port}"
        status, headers, _ = get(served, Host=name)
        assert status == (200 if shared else 403)
        assert not shared or f"ws://{name};" in headers["Content-Security-Policy"]
        for foreign in (
            f"evil.example:{served.port}",
            "192.0.2.2:1",
            f"1.2.3.4.evil:{served.port}",
        ):
            assert get(served, Host=foreign)[0] == 403


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "tune", "layer": "threat", "name": "decay", "value": -1}, "decay is at least 0"),
        (
            {"do": "tune", "layer": "threat", "name": "__class__", "value": 1},
            "There is no parameter",
        ),
        ({"do": "tune", "layer": "nothing", "name": "decay", "value": 1}, "There is no layer"),
        ({"do": "tune", "layer": "threat", "name": "decay"}, "'tune' has layer, name, value"),
        ({"do": "tune", "layer": "threat", "name": "decay", "value": {}}, "value is a number"),
        ({"do": "tune", "layer": "threat", "name": "decay", "value": [1]}, "value is (x, y)"),
        (
            {"do": "place", "layer": "threat", "position": [1, 2, 3], "strength": 1},
            "Positions on this map have 2 numbers",
        ),
        ({"do": "place", "layer": "threat", "position": "x", "strength": 1}, "position is (x, y)"),
        ({"do": "place", "layer": "threat", "position": [1, 2], "strength": 1e39}, "at most 1e+30"),
        ({"do": "move", "layer": "threat", "source": 1.5, "position": [1, 2]}, "whole number"),
        ({"do": "paint", "stroke": [[0, 0]] * 300}, "1 to 256 positions"),
        ({"do": "show", "views": [VIEW] * 50}, "at most 48 maps"),
        ({"do": "show", "views": [{"map": "threat", "limits": [1, 0]}]}, "limits are low and high"),
        ({"do": "show", "views": [{"map": "threat", "color": 1}]}, "There is no field"),
        ({"do": "seek", "moment": 10**9}, "Time goes back to known moments"),
        ({"do": "export", "what": "/etc/passwd"}, "what is one of"),
        ({"do": "export", "what": "recipe"}, "Only the world of a recipe"),
        ({"do": "restore"}, "Only the world of a recipe"),
        ({"do": "probe", "position": [1, 1], "map": "threat +"}, "formula"),
        ({"do": "keep", "side": "b"}, "There is no side"),
        ({"do": "explode"}, "There is no message"),
        ({"go": 1}, "A message has a field"),
        ([], "A message has a field"),
        ('{"do":"seek","moment":NaN}', "NaN is no number"),
        ('{"do":"speed","factor":1e999}', "factor"),
        ("{", "A message is JSON"),
        ('{"do":' + "[" * 5000, "A message is JSON"),
        ('"pause"', "A message has a field"),
    ],
)
def test_wrong_messages_get_our_own_words_and_the_world_goes_on(
    server: Server, message: Any, words: str
) -> None:
    async def act(page: Page) -> str:
        await page.socket.send(message if isinstance(message, str) else json.dumps(message))
        error = (await page.until("error"))["error"]
        await page.send(do="show", views=[VIEW])
        first = await page.until("views")
        later = await page.until("status")
        assert later["status"]["moment"] >= first["status"]["moment"]
        return error

    error = run(server, act)
    assert words in error
    assert "Traceback" not in error


def test_a_client_that_does_not_acknowledge_gets_two_frames_and_then_none(server: Server) -> None:
    session = server.controller.sides["a"]  # type: ignore[attr-defined]

    async def act(page: Page) -> int:
        await page.send(do="show", views=[VIEW])
        await page.send(do="speed", factor=5)
        while len(page.frames) < 2:
            await page.take(ack=False)
        # The world goes on meanwhile, and an answer comes after all frames that were sent before.
        moment = session.moment
        while session.moment < moment + 20:
            await asyncio.sleep(0.01)
        await page.send(do="probe", map="threat", position=[5.5, 5.5], id=3)
        while "probe" not in await page.take(ack=False):
            pass
        count = len(page.frames)
        await page.send(do="ack", frame=page.frames[-1][0]["frame"])
        assert "frame" in await page.until("frame")
        return count

    assert run(server, act) == 2


def test_frames_put_together_are_the_values(server: Server) -> None:
    """Whole planes and tiles, taken one after the other, are what the colors of the last values
    say.
    """

    async def act(page: Page) -> None:
        await page.send(do="show", views=[{"map": "threat", "limits": [-8, 8]}, {"map": "#walls"}])
        await page.send(do="place", layer="threat", position=[14.5, 8.5], strength=-6)
        await page.send(do="paint", stroke=[[9.5, 9.5]], radius=1.0)
        for _ in range(20):
            await page.take()
        await page.send(do="pause", id=7)
        while page.frames[-1][0]["done"] < 7:
            await page.take()
        live = server.controller.sides["a"].live  # type: ignore[attr-defined]
        expected = ColorScale(-8, 8).index(live.maps["threat"].values)
        while True:
            planes = page.planes()
            if (planes[0] == expected).all() and (planes[1] == live.space.walls).all():
                break
            await page.take()  # the last picture may come later, but it comes
        assert planes[1].sum() > 6

    run(server, act)


def test_questions_are_answered(server: Server) -> None:
    async def act(page: Page) -> None:
        await page.send(do="step", count=60)
        await page.send(do="probe", position=[5.5, 5.5], map="threat", id=3)
        probe = (await page.until("probe"))["probe"]
        assert probe["value"] == pytest.approx(probe["values"]["threat"])
        assert probe["bars"][0]["strength"] == 8
        assert sum(bar["amount"] for bar in probe["bars"]) + probe["remainder"] == pytest.approx(
            probe["value"]
        )
        await page.send(do="best", position=[5.5, 5.5], map="threat - cover", radius=5)
        best = (await page.until("best"))["best"]
        assert best["values"] == sorted(best["values"], reverse=True)
        text = """
            [place]
            generate = { reach = 4 }
            require = [{ distance = "threat", least = 2 }]
            score = [{ value = "threat" }]
            choose = { count = 2 }
        """
        await page.send(do="ask", position=[5.5, 5.5], text=text)
        asked = (await page.until("question"))["question"]
        scores = [each for each in asked["scores"] if each is not None]
        assert len(asked["places"]) == len(asked["scores"]) > len(scores) > 0
        assert asked["values"] == pytest.approx(sorted(scores, reverse=True)[:2], abs=1e-3)
        assert "removed by distance" in asked["text"]
        await page.send(do="ask", position=[5.5, 5.5], text=text.replace("reach", "raech"))
        assert "Perhaps 'reach' is meant" in (await page.until("error"))["error"]
        await page.send(
            do="show", views=[VIEW], overlays=["contours", "flow", "peaks", "regions", "fronts"]
        )
        seen: dict[str, Any] = {}
        while len(seen) < 5:
            told = await page.take()
            if "drawing" in told:
                seen[told["what"]] = told["drawing"]
        assert seen["contours"]["lines"]
        assert seen["flow"]["arrows"]
        assert seen["peaks"]["points"]
        assert seen["regions"]["regions"]
        assert "[teams]" in seen["fronts"]["why"]

    run(server, act)


@pytest.mark.parametrize("host", ["\u00fc" * 70, "a\0b"], ids=["long", "zero byte"])
def test_an_address_that_is_none_is_refused(host: str) -> None:
    with refused(InvalidValue, "listens at a free port"):
        Server(Session(small_map()), share=host)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"playing": 2}, {"warm": "no"}, {"token": "short"}])
def test_a_refused_lab_leaves_no_port_open(wrong: dict[str, Any]) -> None:
    gc.collect()  # what other tests have left
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(InvalidValue):
            Lab(Session(small_map()), **wrong)
        gc.collect()
    assert [str(each.message) for each in warned if each.category is ResourceWarning] == []
