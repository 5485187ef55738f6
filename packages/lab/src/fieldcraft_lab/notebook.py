"""The widget: the lab's page in a notebook, on a map of the notebook. The only file that imports
anywidget.

Everything happens in the thread that runs the cells, between them: messages of the page arrive and
pictures are sent while no cell runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import time
from collections.abc import Callable
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, MissingLibrary
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft_lab import protocol
from fieldcraft_lab.controller import Reply
from fieldcraft_lab.description import page
from fieldcraft_lab.hub import Client
from fieldcraft_lab.program import Program
from fieldcraft_lab.protocol import Request

_PERIOD = 1 / 20
_MODULE = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.title = "fieldcraft map";
  frame.srcdoc = model.get("page");
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:1px solid #8888;border-radius:6px`;
  const receive = (event) => { if (event.source === frame.contentWindow && typeof event.data === "string") model.send({ text: event.data }); };
  const send = (message, buffers) => {
    const data = buffers && buffers[0];
    const bytes = data && (data.buffer ? data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) : data);
    if (frame.contentWindow) frame.contentWindow.postMessage(bytes || message.text, "*");
  };
  window.addEventListener("message", receive);
  model.on("msg:custom", send);
  el.append(frame);
  return () => { window.removeEventListener("message", receive); model.off("msg:custom", send); };
}
export default { render };
"""


def widget(imap: InfluenceMap, *, height: int = 520) -> Any:
    """Return the map as a widget for a notebook: Jupyter, VS Code, Colab, marimo.

    The page is that of the lab, `height` pixels high. It works on the map itself, shows it after
    each cell, and lets time pass while no cell runs. `refresh()` of the widget shows the map within
    a cell.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value or type.
    MissingLibrary
        Without the extra `notebook`.
    """
    checks.instance(imap, InfluenceMap, "The widget shows an influence map", "Pass imap")
    pixels = checks.integer("height", height, minimum=100, maximum=4000)
    made = _class()(height=pixels)
    controller = WidgetController(
        imap, lambda text: made.send({"text": text}), lambda data: made.send({}, buffers=[data])
    )
    made.on_msg(lambda _, content, buffers: controller.receive_content(content))
    made.refresh = controller.refresh
    _after_cells(controller)
    return made


@functools.cache
def _class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingLibrary("anywidget", "notebook", "The widget") from None
    text = page().decode()

    class MapWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        """The lab's page in a notebook; `refresh()` shows the map as it is now, within a cell."""

        _esm = _MODULE
        page = traitlets.Unicode(text).tag(sync=True)
        height = traitlets.Int(520).tag(sync=True)

    return MapWidget


def _after_cells(controller: WidgetController) -> None:
    """Refresh the widget after each cell, where IPython runs."""
    with contextlib.suppress(ImportError):
        from IPython import get_ipython  # type: ignore[import-not-found, unused-ignore]

        shell = get_ipython()
        if shell is not None:
            shell.events.register("post_run_cell", lambda *result: controller.refresh())


class WidgetController(Program):
    """The controller of a widget: it changes the map itself, and advances it on request."""

    def __init__(
        self,
        imap: InfluenceMap,
        send_text: Callable[[str], object],
        send_bytes: Callable[[bytes], object],
    ) -> None:
        super().__init__(imap, "notebook")
        self._send_text = send_text
        self._send_bytes = send_bytes
        self._client = Client(lambda: None, self._send)
        self.hub.add(self._client)

    def _send(self, message: dict[str, Any]) -> None:
        self._send_text(json.dumps(message))

    def receive_content(self, content: Any) -> None:
        """Handle a message of the page."""
        if isinstance(content, dict):
            text = content.get("text")
        else:
            text = None
        if not isinstance(text, str):
            return
        if text.startswith('{"token"'):
            self._greet()
            return
        try:
            request = protocol.parse(text, self.orders)
        except FieldcraftError as error:
            self._send({"error": str(error)})
            return
        match request.message:
            case protocol.Ack() as message:
                self._client.acknowledge(message.frame)
            case protocol.Show() as message:
                self._client.show = message
                self._client.show_number = request.number
            case _:
                self._client.done = max(self._client.done, request.number)
                self._answer(request, self._reply, self._gone)
        self.refresh()

    def _reply(self, answer: dict[str, Any]) -> None:
        if len(answer) > 1:
            self._send(answer)

    def _greet(self) -> None:
        self.hub.remove(self._client)
        self._client = Client(lambda: None, self._send)
        self.hub.add(self._client)
        self._send({"hello": self.hello(), "geometry": len(self.geometry)})
        if self.geometry:
            self._send_bytes(self.geometry)

    def _handle(self, request: Request, send: Reply) -> dict[str, Any] | None:
        match request.message:
            case protocol.Step() as message:
                self._imap.step(message.count)
            case protocol.Play():
                if not self._playing:
                    self._playing = True
                    asyncio.get_running_loop().call_later(_PERIOD, self._tick)
            case protocol.Pause():
                self._playing = False
            case _:
                return super()._handle(request, send)
        return None

    def _tick(self) -> None:
        if self._playing:
            try:
                self._imap.advance(_PERIOD)
            except FieldcraftError as error:
                self._playing = False
                self._send({"error": str(error)})
                self.refresh()
                return
            self.refresh()
            asyncio.get_running_loop().call_later(_PERIOD, self._tick)

    def refresh(self) -> None:
        """Send the page what has changed, if it has drawn the previous frame."""
        # no timer would send it later, so everything counts as sent long ago
        self._status_at = 0.0
        self._markers_at = 0.0
        self._drawn_at = 0.0
        self._changes_at = None
        self.publish(time.perf_counter())
        frame = self.hub.frame_for(self._client)
        if frame is not None:
            self._send_bytes(frame)
