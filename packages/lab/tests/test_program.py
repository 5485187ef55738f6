"""The map of a running program on a page, updated from the program's loop."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from typing import Any

import pytest

import fieldcraft as fc
from packages.lab.tests.test_server import Page, opening


def program() -> fc.InfluenceMap:
    imap = fc.InfluenceMap(fc.Grid(420, 300))
    threat = imap.add_layer("threat", fc.Spread(decay=0.02, momentum=0.5), every=0.1)
    threat.add_source((3.5, 5.5), 8.0)
    imap.add_layer("cover", fc.Radial(40.0), every=0.1).add_source((100.5, 50.5), 2.0)
    return imap


def test_a_page_shows_the_map_and_changes_it_in_the_loop() -> None:
    imap = program()
    watch = imap.watch()
    assert imap.watch() is watch

    async def loop() -> None:
        while True:
            imap.advance(1 / 30)
            imap.watch()
            await asyncio.sleep(0.005)

    async def talk() -> Any:
        running = asyncio.ensure_future(loop())
        async with opening(watch._server) as socket:
            page = await Page.open(watch._server, socket)
            assert page.hello["kind"] == "program"
            await page.send(do="show", views=[{"map": "cover", "limits": [0, 8]}], id=1)
            await page.send(do="tune", layer="cover", name="radius", value=25, id=2)
            await page.send(do="seek", moment=0, id=3)
            assert "Time is controlled by the program" in (await page.until("error"))["error"]
            await page.send(do="probe", map="cover", position=[100.5, 50.5], id=4)
            assert (await page.until("probe"))["probe"]["value"] == pytest.approx(2.0)
            moment = page.frames[-1][0]["status"]["moment"]
            while page.frames[-1][0]["status"]["moment"] < moment + 3:
                await page.take()
            imap.add_layer("more", fc.Fade())
            assert "more" in (await page.until("hello"))["hello"]["maps"]
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            return page.planes()[0]

    try:
        plane = asyncio.run(talk())
    finally:
        watch.close()
    assert imap["cover"].propagation.radius == 25
    assert plane[50, 100] < 255 and plane[250, 300] == 255


def test_a_watched_map_is_copied_and_pickled_without_its_watch() -> None:
    imap = program()
    watch = imap.watch()
    try:
        assert not imap.copy().attachments
        assert not pickle.loads(pickle.dumps(imap)).attachments
    finally:
        watch.close()
    assert not imap.attachments


def test_a_watched_map_with_teams_is_shown_as_one() -> None:
    imap = program()
    watch = imap.watch()
    try:
        assert watch.hello()["teams"] == []
        imap.add_teams(["north", "south"], fc.Radial(50))
        assert [name for name, _ in watch.hello()["teams"]] == ["north", "south"]
        imap.remove_layer("south")
        assert [name for name, _ in watch.hello()["teams"]] == ["north"]
        assert "owner" in watch.hello()["maps"] and "south" not in watch.hello()["maps"]
    finally:
        watch.close()
