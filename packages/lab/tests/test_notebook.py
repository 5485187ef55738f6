"""The widget: in a browser, in a kernel, in marimo."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft_lab import notebook
from support.refusals import refused
from support.sessions import CHROMIUM, FLAGS, small_map

CELL = """
import fieldcraft as fc
imap = fc.InfluenceMap(fc.Grid(20, 12))
threat = imap.add_layer("threat", fc.Spread(decay=0.2, momentum=1.0))
threat.add_source((3.5, 5.5), 8.0)
shown = fc.lab.widget(imap)
"""


class Held:
    """A controller and all that it sent."""

    def __init__(self) -> None:
        self.imap = small_map().imap
        self.texts: list[dict[str, Any]] = []
        self.data: list[bytes] = []
        self.controller = notebook.WidgetController(
            self.imap, lambda text: self.texts.append(json.loads(text)), self.data.append
        )

    def hear(self, **message: Any) -> None:
        self.controller.receive_content({"text": json.dumps(message)})


def test_a_page_touches_the_map_of_the_notebook() -> None:
    held = Held()
    held.hear(token="")
    assert held.texts[0]["hello"]["kind"] == "notebook"
    held.hear(do="show", views=[{"map": "threat"}, {"map": "#walls"}], id=1)
    assert len(held.data) == 1
    held.hear(do="ack", frame=1)
    held.hear(do="tune", layer="threat", name="decay", value=0.7, id=2)
    assert held.imap["threat"].propagation.decay == 0.7
    before = len(held.data)
    held.imap.step(3)
    held.controller.refresh()
    assert len(held.data) == before + 1
    held.hear(do="probe", map="threat", position=[3.5, 5.5], id=3)
    assert held.texts[-1]["probe"]["bars"][0]["strength"] == 8
    held.hear(do="seek", moment=0, id=4)
    assert "fc.lab.serve" in held.texts[-1]["error"]
    held.controller.receive_content({"text": "[["})
    assert "JSON" in held.texts[-1]["error"]


def test_time_that_cannot_pass_stops_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held()

    def refuse(dt: float) -> None:
        raise InvalidValue("A map goes on", got="one that does not", remedy="Mend it")

    async def play() -> None:
        held.hear(do="play", id=1)
        while held.controller._playing:
            await asyncio.sleep(0.01)
        monkeypatch.undo()
        held.hear(do="play", id=2)
        while not held.imap.time:
            await asyncio.sleep(0.01)
        held.hear(do="pause", id=3)

    held.hear(token="")
    monkeypatch.setattr(held.imap, "advance", refuse)
    asyncio.run(play())
    errors = [text["error"] for text in held.texts if "error" in text]
    assert len(errors) == 1 and "A map goes on" in errors[0]
    assert held.imap.time > 0


def test_what_is_no_map_is_refused() -> None:
    with refused(InvalidValue, "influence map"):
        fc.lab.widget("imap")  # type: ignore[arg-type]


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_the_page_lives_in_a_frame() -> None:
    """The widget's module in a real browser, with a model made by hand between it and the controller."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    from fieldcraft_lab.description import page as text_of_page

    held = Held()
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 900, "height": 700})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        waiting: list[str] = []
        page.expose_function("toDesk", lambda text: waiting.append(text))
        page.set_content("<div id=here></div>")
        page.evaluate(
            """async ([text, html]) => {
                const hears = [];
                const view = (data) => (data ? [new DataView(Uint8Array.from(data).buffer)] : []);
                window.tell = (message, data) => hears.forEach((hear) => hear(message, view(data)));
                const held = { page: html, height: 600 };
                const model = { get: (name) => held[name], on: (_, hear) => hears.push(hear), off: () => 0 };
                model.send = (message) => toDesk(message.text);
                const module = await import(`data:text/javascript;base64,${btoa(unescape(encodeURIComponent(text)))}`);
                module.default.render({ model, el: document.querySelector("#here") });
            }""",
            [notebook._MODULE, text_of_page().decode()],
        )
        frame = page.frames[-1]
        for _ in range(3000):
            page.wait_for_timeout(20)
            for text in waiting[:]:
                waiting.remove(text)
                held.controller.receive_content({"text": text})
            for told in held.texts:
                page.evaluate("(message) => tell({ text: message })", json.dumps(told))
            for data in held.data:
                page.evaluate("(data) => tell({}, data)", list(data))
            held.texts.clear()
            held.data.clear()
            if frame.evaluate(
                "Boolean(window.lab && lab.S.status && lab.Wire.frames > 1 && lab.S.camera.fitted)"
            ):
                break
        assert frame.evaluate("lab.S.hello.kind") == "notebook"
        frame.locator("#control_threat_decay").fill("900")
        for _ in range(3000):
            page.wait_for_timeout(20)
            while waiting:
                held.controller.receive_content({"text": waiting.pop(0)})
            if held.imap["threat"].propagation.decay > 0.5:
                break
        assert held.imap["threat"].propagation.decay > 0.5
        assert problems == []
        browser.close()


def test_a_kernel_shows_the_widget() -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    sent = """
said = []
shown.send = lambda content, buffers=None: said.append((content, buffers))
shown._handle_custom_msg({"text": '{"token":""}'}, [])
shown._handle_custom_msg({"text": '{"do":"show","views":[{"map":"threat"}],"id":1}'}, [])
threat.tune(decay=0.5)
imap.step(5)
shown.refresh()
print(len(said), "hello" in said[0][0]["text"])
shown
"""
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(CELL), nbformat.v4.new_code_cell(sent)]
    )
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    outputs = book.cells[1].outputs
    assert outputs[0]["text"].split()[1] == "True"
    assert "application/vnd.jupyter.widget-view+json" in outputs[-1]["data"]


def test_marimo_runs_it() -> None:
    marimo = pytest.importorskip("marimo", reason="marimo is not installed")
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    app = marimo.App()

    @app.cell
    def _() -> Any:
        import marimo as mo

        import fieldcraft as fc

        imap = fc.InfluenceMap(fc.Grid(20, 12))
        imap.add_layer("threat", fc.Spread(decay=0.2, momentum=1.0)).add_source((3.5, 5.5), 8.0)
        shown = mo.ui.anywidget(fc.lab.widget(imap))
        return imap, shown

    _, names = app.run()
    assert "marimo-anywidget" in names["shown"].text
