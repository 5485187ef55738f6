"""A window whose pictures are drawn on a graphics device and never leave it: the only file that
imports rendercanvas.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft_gpu.picture import DevicePicture

__all__ = ["show_picture"]


def show_picture(
    picture: DevicePicture,
    update: Callable[[], object],
    *,
    title: str = "fieldcraft",
    fps: float = 60.0,
    canvas: Any = None,
) -> Any:
    """Open a window that calls `update` before each frame, which may run a swarm and paint, and
    shows the picture; returns when it closes.

    Parameters
    ----------
    picture : DevicePicture
        What is shown, as large as the window.
    update : Callable[[], object]
        Called before each frame.
    title : str, optional
        Of the window.
    fps : float, optional
        The most frames a second.
    canvas : object, optional
        One of `rendercanvas` of your own, in a notebook or Qt, say, to be shown in; then this
        returns it at once.

    Raises
    ------
    MissingLibrary
        Without rendercanvas.
    InvalidValue
        For other arguments.
    """
    if not isinstance(picture, DevicePicture) or not callable(update):
        raise InvalidValue(
            "A window shows a DevicePicture and calls update()",
            got=repr(picture)[:60],
            remedy="Pass both",
        )
    rate = checks.positive("fps", fps)
    own = canvas is None
    if own:
        try:
            auto = importlib.import_module("rendercanvas.auto")
        except (ImportError, RuntimeError) as error:
            raise MissingLibrary("rendercanvas", "gpu", "A window on a device") from error
        canvas = auto.RenderCanvas(
            size=(picture.width, picture.height),
            title=title,
            max_fps=rate,
            update_mode="continuous",
        )
    context = canvas.get_context("wgpu")
    texture_format = context.get_preferred_format(picture.device.adapter.handle)
    context.configure(device=picture.device.handle, format=texture_format)

    def draw() -> None:
        update()
        if not canvas.get_closed():  # update() may have closed it
            picture.shown_on(context.get_current_texture().create_view(), texture_format)

    canvas.request_draw(draw)
    if own:
        auto.loop.run()
    return canvas
