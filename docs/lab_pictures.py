"""Take the pictures of the lab in Chromium: `python docs/lab_pictures.py [CHROMIUM]`.

Writes docs/images/lab.png and docs/images/lab_fork.png. `CHROMIUM` is the path of the browser.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from fieldcraft_lab import Lab

IMAGES = Path(__file__).parent / "images"
PROBE = 26.5, 15.5


def wait_for(page: Any, condition: str) -> None:
    """Wait until a condition of the page's script holds."""
    end = time.monotonic() + 60
    while not page.evaluate(f"Boolean({condition})"):
        if time.monotonic() > end:
            raise SystemExit(f"The page of the lab did not reach: {condition}")
        time.sleep(0.05)


def step(page: Any, count: int) -> None:
    """Take steps, and wait until the page shows them."""
    before = page.evaluate("lab.S.status.moment")
    page.evaluate(f"lab.send({{ do: 'step', count: {count} }})")
    wait_for(page, f"lab.S.status.moment >= {before} + {count}")
    time.sleep(0.5)


def opened(browser: Any, lab: Lab) -> Any:
    """Return the page of a lab."""
    page = browser.new_page(viewport={"width": 940, "height": 600}, color_scheme="dark")
    page.goto(lab.url)
    wait_for(page, "window.lab && lab.S.status && lab.S.camera.fitted")
    return page


def probe(browser: Any) -> None:
    """A probed cell, and what would change it."""
    with Lab("demo", playing=False) as lab:
        page = opened(browser, lab)
        step(page, 150)
        page.get_by_label("contours").check()
        x, y = page.evaluate(f"lab.toScreen(lab.panes()[0], {PROBE[0]}, {PROBE[1]})")
        box = page.locator("#over").bounding_box()
        page.mouse.click(box["x"] + x, box["y"] + y)
        page.click("#sensitivity")
        page.get_by_role("button", name="Apply").first.wait_for()
        page.locator("#panel").evaluate("panel => { panel.scrollTop = 0 }")
        time.sleep(0.5)
        page.screenshot(path=IMAGES / "lab.png")


def fork(browser: Any) -> None:
    """Two radii for one team."""
    with Lab("teams", playing=False) as lab:
        page = opened(browser, lab)
        step(page, 55)
        page.get_by_label("front lines").check()
        page.click("#do-fork")
        wait_for(page, "lab.panes().length === 2")
        page.click("button:has-text('Parameters of B')")
        page.evaluate("lab.order({ do: 'tune', layer: 'red', name: 'radius', value: 26 })")
        step(page, 13)
        page.locator("#h-fork").evaluate("head => head.scrollIntoView()")
        time.sleep(0.5)
        page.screenshot(path=IMAGES / "lab_fork.png")


with sync_playwright() as running:
    path = sys.argv[1] if len(sys.argv) > 1 else None
    flags = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    chromium = running.chromium.launch(executable_path=path, args=["--no-sandbox", *flags])
    probe(chromium)
    fork(chromium)
    chromium.close()
