"""A live influence map in a browser or a notebook, with sliders, rewind and forks.

`fieldcraft lab demo` opens it on a recipe; `serve` opens it on an influence map of a
program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fieldcraft.influence_map import InfluenceMap

if TYPE_CHECKING:
    from fieldcraft_lab.serving import Lab
    from fieldcraft_lab.session import Session

__all__ = ["Lab", "Session", "serve", "watch", "widget"]


def widget(imap: InfluenceMap, *, height: int = 520) -> Any:
    """The map in a notebook, to look at and to touch: Jupyter, VS Code, Colab, marimo.

    The page is that of the lab, `height` pixels high: layers, sliders, sources, formulas, the
    probe. It works on the map itself, shows it after each cell, and lets time pass while no cell
    runs; `refresh()` on what this returns shows it within a cell.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    MissingLibrary
        Without the extra `notebook`.
    """
    from fieldcraft_lab.notebook import widget as made

    return made(imap, height=height)


def watch(imap: InfluenceMap, *, port: int = 0, browser: bool = False) -> Any:
    """Show the map in a browser while the program goes on; call it once a frame. See
    `fc.InfluenceMap.watch`.
    """
    from fieldcraft_lab.watching import watch as watched

    return watched(imap, port=port, browser=browser)


_HOMES = {"Lab": "fieldcraft_lab.serving", "Session": "fieldcraft_lab.session"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def serve(
    world: Any,
    *,
    port: int = 0,
    share: str | None = None,
    browser: bool = True,
    playing: bool = True,
    step: float | None = None,
) -> Session:
    """Open the lab on a world and serve it until Ctrl-C; answers the session, which holds what was
    found.

    Parameters
    ----------
    world : object
        An influence map, of which the lab drives a copy; the path of a recipe (.toml), of a saved
        map or of a saved session; or a `Session`.
    port : int, optional
        0 for any that is free.
    share : str, optional
        An address of this machine for others to come in by. They need the token, too; traffic is
        not encrypted.
    browser : bool, optional
        Whether to open the page.
    playing : bool, optional
        Whether time passes at once.
    step : float, optional
        Seconds of a step of an influence map; by default the shortest interval of its layers.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    MissingLibrary
        Without the extra `lab`, and what reading a file raises.
    """
    from fieldcraft_lab.serving import Lab

    lab = Lab(world, port=port, share=share, playing=playing, step=step)
    lab.wait(browser=browser)
    return lab.session
