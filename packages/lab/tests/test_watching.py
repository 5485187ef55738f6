"""A map of a running program, looked at from its own loop."""

from __future__ import annotations

import asyncio
import json
import pickle
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue
from support.refusals import refused

websockets = pytest.importorskip("websockets", reason="websockets is not installed")
from websockets.asyncio.client import connect  # noqa: E402


def program() -> fc.InfluenceMap:
    walls = np.zeros((300, 420), dtype=bool)
    walls[3:8, 6] = True
    imap = fc.InfluenceMap(fc.Grid(420, 300, walls=walls))
    threat = imap.add_layer("threat", fc.Spread(decay=0.02, momentum=0.5), every=0.1)
    threat.add_source((3.5, 5.5), 8.0)
    imap.add_layer("cover", fc.Radial(40.0), every=0.1).add_source((100.5, 50.5), 2.0)
    return imap


def test_a_page_sees_the_map_and_its_orders_are_obeyed_in_the_loop() -> None:
    imap = program()
    imap.step(3)
    watch = imap.watch()
    assert imap.watch() is watch

    async def page() -> dict[str, Any]:
        port = watch.url.split(":")[2].split("/")[0]
        async with connect(
            f"ws://127.0.0.1:{port}/live", origin=f"http://127.0.0.1:{port}", max_size=None
        ) as socket:
            await socket.send(json.dumps({"token": watch.url.split("token=")[1]}))
            hello = json.loads(await socket.recv())["hello"]
            assert hello["kind"] == "program"
            await socket.send(
                json.dumps(
                    {
                        "do": "look",
                        "views": [{"map": "cover", "limits": [0, 8]}, {"map": "threat * 2"}],
                        "id": 1,
                    }
                )
            )
            await socket.send(
                json.dumps({"do": "tune", "layer": "cover", "name": "radius", "value": 25, "id": 2})
            )
            await socket.send(json.dumps({"do": "seek", "moment": 0, "id": 3}))
            await socket.send(
                json.dumps({"do": "probe", "map": "cover", "position": [100.5, 50.5], "id": 4})
            )
            seen: dict[str, Any] = {"hello": hello}
            plane = None
            for _ in range(600):
                imap.advance(1 / 30)
                imap.watch()
                try:
                    data = await asyncio.wait_for(socket.recv(), 0.02)
                except TimeoutError:
                    continue
                if isinstance(data, str):
                    seen.update(json.loads(data))
                    continue
                length = int.from_bytes(data[:4], "little")
                header = json.loads(data[4 : 4 + length])
                at = 4 + length
                for view in header["views"]:
                    if view["view"] == 0 and view.get("whole") and "why" not in view:
                        plane = np.frombuffer(data, np.uint8, 300 * 420, at).reshape(300, 420)
                    at += view["width"] * view["height"] if view.get("whole") else 0
                    if not view.get("whole"):
                        break
                await socket.send(json.dumps({"do": "ack", "frame": header["frame"]}))
                if (
                    plane is not None
                    and "error" in seen
                    and "probe" in seen
                    and header["status"].get("totals")
                ):
                    break
            return {**seen, "plane": plane}

    try:
        seen = asyncio.run(page())
    finally:
        watch.close()
    assert imap["cover"].propagation.radius == 25
    assert "Time belongs to the program" in seen["error"]
    assert seen["probe"]["value"] == pytest.approx(2.0)
    assert seen["plane"][50, 100] < 255
    assert seen["plane"][250, 300] == 255


def test_a_watched_map_is_copied_and_pickled_without_its_watch() -> None:
    imap = program()
    watch = imap.watch()
    try:
        assert imap.copy()._watch is None
        assert pickle.loads(pickle.dumps(imap))._watch is None
        with refused(InvalidValue, "port"):
            program().watch(port=-1)
    finally:
        watch.close()
    assert imap._watch is None
