"""The lab's page in a browser, for tests."""

from __future__ import annotations

from typing import Any

from support.waiting import eventually

__all__ = ["TOKEN", "colors_at", "page_of", "place_of", "settled", "stepped"]

TOKEN = "a token that stays the same"


def page_of(browser: Any, lab: Any, **options: Any) -> Any:
    page = browser.new_page(viewport={"width": 1100, "height": 760}, **options)
    page.problems = []
    page.on(
        "console",
        lambda message: (
            page.problems.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.requests = []
    page.on("request", lambda request: page.requests.append(request.url))
    page.goto(lab.url)
    settled(page, "window.lab && lab.S.status && lab.S.camera.fitted")
    return page


def place_of(page: Any, x: float, y: float) -> tuple[float, float]:
    """Where a position of the world is on the screen."""
    at = page.evaluate(f"lab.toScreen(lab.panes()[0], {x}, {y})")
    box = page.locator("#over").bounding_box()
    return box["x"] + at[0], box["y"] + at[1]


def settled(page: Any, condition: str) -> None:
    eventually(
        lambda: page.evaluate(f"Boolean({condition})")
    )  # wait_for_function would be stopped by the page's policy


def stepped(page: Any, count: int) -> None:
    """Take some steps, and wait until the page shows the moment after them.

    The picture may come a frame later: compare its colors within `eventually`.
    """
    moment = page.evaluate("lab.S.status.moment") + count
    page.evaluate(f"lab.send({{ do: 'step', count: {count} }})")
    settled(page, f"lab.S.status.moment === {moment}")


def colors_at(page: Any, *places: tuple[float, float]) -> list[list[int]]:
    """The colors of the map's canvas at world positions of the first pane."""
    found: list[list[int]] = page.evaluate(
        """places => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
            const map = document.querySelector('#map'), copy = document.createElement('canvas');
            copy.width = map.width; copy.height = map.height;
            const ink = copy.getContext('2d', { willReadFrequently: true }); ink.drawImage(map, 0, 0);
            done(places.map(([x, y]) => {
                const at = lab.toScreen(lab.panes()[0], x, y).map(v => v * devicePixelRatio);
                return [...ink.getImageData(at[0], at[1], 1, 1).data].slice(0, 3);
            }));
        })))""",
        [list(place) for place in places],
    )
    return found
