"""The widget: the lab's page inside of a notebook, on a map of the notebook. The only file that
imports anywidget.

Everything happens in the thread that runs the cells, between them: messages of the page come in and
pictures go out while no cell runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
from types import SimpleNamespace
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import FieldcraftError, MissingLibrary
from fieldcraft.influence_map import InfluenceMap
from fieldcraft_lab import protocol
from fieldcraft_lab.showing import sources_of
from fieldcraft_lab.stage import Client
from fieldcraft_lab.watching import Program

__all__ = ["Desk", "widget"]

_PERIOD = 1 / 20
_MODULE = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.title = "fieldcraft map";
  frame.srcdoc = model.get("page");
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:1px solid #8888;border-radius:6px`;
  const hear = (event) => { if (event.source === frame.contentWindow && typeof event.data === "string") model.send({ text: event.data }); };
  const tell = (message, buffers) => {
    const data = buffers && buffers[0];
    const bytes = data && (data.buffer ? data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) : data);
    if (frame.contentWindow) frame.contentWindow.postMessage(bytes || message.text, "*");
  };
  window.addEventListener("message", hear);
  model.on("msg:custom", tell);
  el.append(frame);
  return () => { window.removeEventListener("message", hear); model.off("msg:custom", tell); };
}
export default { render };
"""


def widget(imap: InfluenceMap, *, height: int = 520) -> Any:
    """The widget of a map: see `fc.lab.widget`."""
    checks.instance(imap, InfluenceMap, "The widget shows an influence map", "Pass imap")
    tall = checks.integer("height", height, minimum=100, maximum=4000)
    made = _class()(height=tall)
    desk = Desk(
        imap, lambda text: made.send({"text": text}), lambda data: made.send({}, buffers=[data])
    )
    made.on_msg(lambda _, content, buffers: desk.hear(content))
    made.refresh = desk.show
    _after_cells(desk)
    return made


@functools.cache
def _class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingLibrary("anywidget", "notebook", "The widget") from None
    from fieldcraft_lab.server import page

    text = page().decode()

    class MapWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        """The lab's page in a notebook; `refresh()` shows the map as it is now, within a cell."""

        _esm = _MODULE
        page = traitlets.Unicode(text).tag(sync=True)
        height = traitlets.Int(520).tag(sync=True)

    return MapWidget


def _after_cells(desk: Desk) -> None:
    """Let the widget follow the map after each cell, where IPython runs."""
    with contextlib.suppress(ImportError):
        from IPython import get_ipython  # type: ignore[import-not-found, unused-ignore]

        shell = get_ipython()
        if shell is not None:
            shell.events.register("post_run_cell", lambda *result: desk.show())


class Desk(Program):
    """Answers the page of a widget: its settings and sources go to the map itself, and time passes
    when it is told to.
    """

    kind = "notebook"

    def __init__(self, imap: InfluenceMap, say: Any, send: Any) -> None:
        super().__init__(imap)
        self._say, self._send = say, send
        self._client = Client(lambda: None, lambda message: say(json.dumps(message)))
        self.stage.enter(self._client)
        self._seen: Any = None
        self._playing = False

    def hear(self, content: Any) -> None:
        """Take a message of the page."""
        text = content.get("text") if isinstance(content, dict) else None
        if not isinstance(text, str):
            return
        if text.startswith('{"token"'):
            self._greet()
            return
        number, answer = 0, None
        try:
            said = protocol.parse(text)
            answer = self._done(said.message)
            number = said.number
            if isinstance(said.message, protocol.Look):
                self._client.look_number = number
        except FieldcraftError as error:
            answer = {"error": str(error)}
        self._client.done = max(self._client.done, number)
        if answer:
            self._say(json.dumps({**answer, "id": number}))
        self.show()

    def _greet(self) -> None:
        self._client.sent.clear()
        self._client.waiting.clear()
        self._client.sources = -1
        self._say(json.dumps({"hello": self.hello(), "geometry": len(self._shape.geometry)}))
        if self._shape.geometry:
            self._send(self._shape.geometry)

    def _done(self, message: Any) -> dict[str, Any] | None:
        match message:
            case protocol.Ack():
                self._client.acknowledge(message.frame)
            case protocol.Look():
                self._client.look = message
            case protocol.Step():
                self._imap.step(message.count)
            case protocol.Play():
                if not self._playing:
                    self._playing = True
                    asyncio.get_running_loop().call_later(_PERIOD, self._tick)
            case protocol.Pause():
                self._playing = False
            case _:
                return super()._done(message)
        return None

    def _tick(self) -> None:
        if self._playing:
            with contextlib.suppress(FieldcraftError):
                self._imap.advance(_PERIOD)
            self.show()
            asyncio.get_running_loop().call_later(_PERIOD, self._tick)

    def show(self) -> None:
        """Send what has changed, if the page drew what it got before."""
        live, layers = self._live(), self._imap.layers.values()
        sides: Any = {"a": SimpleNamespace(live=live, returns=0)}
        self._painter.paint(sides, self._client.look.views, self._shape)
        sources = [getattr(getattr(layer, "sources", None), "version", 0) for layer in layers]
        now = ([layer.version for layer in layers], self._playing, sources)
        status, marks = None, None
        if now != self._seen:
            moment = max((layer.updates for layer in layers), default=0)
            status = self._status(live, moment * live.step_seconds, playing=self._playing)
            if self._seen is None or sources != self._seen[2]:
                marks = {"a": sources_of(live)}
            self._seen = now
        self.stage.publish(self._painter.pictures, status, marks)
        frame = self.stage.frame_for(self._client)
        if frame is not None:
            self._send(frame)
