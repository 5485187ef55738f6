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
from fieldcraft.errors import FieldcraftError, InvalidValue, MissingLibrary
from fieldcraft.influence_map import InfluenceMap
from fieldcraft_lab import answers, protocol
from fieldcraft_lab.knobs import settings
from fieldcraft_lab.obeying import obey
from fieldcraft_lab.orders import ORDERS
from fieldcraft_lab.pictures import Painter
from fieldcraft_lab.planes import shape_of
from fieldcraft_lab.showing import described, knobs_of, sources_of
from fieldcraft_lab.stage import Client, Stage

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
    if not isinstance(imap, InfluenceMap):
        raise InvalidValue(
            "The widget shows an influence map", got=type(imap).__name__, remedy="Pass imap"
        )
    tall = checks.whole("height", height, minimum=100, maximum=4000)
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


class Desk:
    """Answers the page of a widget: its settings and sources go to the map itself, and time passes
    when it is told to.
    """

    def __init__(self, imap: InfluenceMap, say: Any, send: Any) -> None:
        self._imap, self._say, self._send = imap, say, send
        self._stage = Stage()
        self._client = Client(lambda: None, lambda message: say(json.dumps(message)))
        self._stage.enter(self._client)
        self._painter = Painter()
        self._shape = shape_of(imap.space)
        self._beginnings = {name: settings(layer) for name, layer in imap.layers.items()}
        self._step = min((layer.every for layer in imap.layers.values()), default=0.1)
        self._seen: Any = None
        self._playing = False
        self._sides: Any = {"a": SimpleNamespace(live=self._live(), returns=0)}

    def _live(self) -> Any:
        return SimpleNamespace(
            title="",
            kind="notebook",
            step_seconds=self._step,
            end=None,
            maps=self._imap.layers,
            imap=self._imap,
            space=self._imap.space,
        )

    def hear(self, content: Any) -> None:
        """Take a message of the page."""
        text = content.get("text") if isinstance(content, dict) else None
        if not isinstance(text, str):
            return
        if text.startswith('{"token"'):
            self._greet()
            return
        try:
            said = protocol.parse(text)
            answer = self._done(said)
        except FieldcraftError as error:
            answer, said = {"error": str(error)}, None
        if said is not None:
            self._client.done = max(self._client.done, said.number)
        if answer:
            self._say(json.dumps({**answer, "id": 0 if said is None else said.number}))
        self.show()

    def _greet(self) -> None:
        self._client.sent.clear()
        self._client.waiting.clear()
        self._client.sources = -1
        self._say(json.dumps({"hello": self._hello(), "geometry": len(self._shape.geometry)}))
        if self._shape.geometry:
            self._send(self._shape.geometry)

    def _hello(self) -> dict[str, Any]:
        live = self._live()
        session: Any = SimpleNamespace(live=live, beginnings=self._beginnings)
        return {
            **described(session, self._shape.told),
            "sides": {"a": {"knobs": knobs_of(live), "sources": sources_of(live)}},
        }

    def _done(self, said: protocol.Said) -> dict[str, Any] | None:
        message, live = said.message, self._live()
        if isinstance(message, ORDERS):
            obey(message, self._imap)
        elif isinstance(message, protocol.Ack):
            self._client.acknowledge(message.frame)
        elif isinstance(message, protocol.Look):
            self._client.look, self._client.look_number = message, said.number
        elif isinstance(message, protocol.Step):
            self._imap.step(message.count)
        elif isinstance(message, protocol.Play):
            self._play()
        elif isinstance(message, protocol.Pause):
            self._playing = False
        elif isinstance(message, protocol.Ask):
            return {"hello": self._hello()}
        elif isinstance(message, answers.QUESTIONS):
            return answers.answered(message, live, self._painter.map_of)
        else:
            raise InvalidValue(
                "A widget shows the map of the notebook as it goes on",
                got=type(message).__name__.lower(),
                remedy="Open a copy with fc.lab.serve(imap) to go back in time, fork and keep",
            )
        return None

    def _play(self) -> None:
        if not self._playing:
            self._playing = True
            asyncio.get_running_loop().call_later(_PERIOD, self._tick)

    def _tick(self) -> None:
        if self._playing:
            with contextlib.suppress(FieldcraftError):
                self._imap.advance(_PERIOD)
            self.show()
            asyncio.get_running_loop().call_later(_PERIOD, self._tick)

    def show(self) -> None:
        """Send what has changed, if the page drew what it got before."""
        live = self._sides["a"].live
        self._painter.paint(self._sides, self._client.look.views, self._shape)
        versions = [layer.version for layer in self._imap.layers.values()]
        sources = [
            getattr(getattr(layer, "sources", None), "version", 0)
            for layer in self._imap.layers.values()
        ]
        now = (versions, self._playing, sources)
        status = None
        if now != self._seen:
            moment = max((layer.updates for layer in self._imap.layers.values()), default=0)
            told = {
                "moment": moment,
                "seconds": moment * self._step,
                "furthest": moment,
                "playing": self._playing,
                "speed": 1.0,
                "orders": 0,
            }
            status = {**told, "totals": {"a": self._painter.totals(live)}}
        changed = self._seen is None or sources != self._seen[2]
        self._seen = now
        self._stage.publish(
            self._painter.pictures, status, {"a": sources_of(live)} if changed else None
        )
        frame = self._stage.frame_for(self._client)
        if frame is not None:
            self._send(frame)
