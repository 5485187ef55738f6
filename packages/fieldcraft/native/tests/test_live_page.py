"""The live page of the site, opened as a file in a browser: digests, painting, dragging, and values."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fieldcraft.kernels.compiling import tier
from support.native_example import said_by_python
from support.sessions import CHROMIUM, FLAGS

pytest.importorskip("ziglang", reason="ziglang builds the page's module")
ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    if not tier.library():
        pytest.skip("the native library is not built: make setup")
    folder = tmp_path_factory.mktemp("live")
    command = [sys.executable, ROOT / "docs" / "live" / "build.py", "--out", folder]
    subprocess.run(command, check=True, capture_output=True)
    page = folder / "index.html"
    assert list(folder.iterdir()) == [page]
    assert page.stat().st_size < 1_000_000
    return page.as_uri()


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_the_live_page_computes_paints_and_drags(address):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        page.wait_for_function("document.querySelector('#speed').textContent.includes('frames')")
        found = page.evaluate("fieldcraft.digests()")
        assert "".join(f"{name:8} {value}\n" for name, value in found.items()) == said_by_python()

        colors = (
            "new Set(new Uint32Array(document.querySelector('#field').getContext('2d')"
            ".getImageData(0, 0, 256, 256).data.buffer)).size"
        )
        assert page.evaluate(colors) > 50

        disabled = "[...document.querySelectorAll('input:disabled')].map((input) => input.id)"
        for layer, idle in (
            ("distance", ["decay", "momentum", "radius"]),
            ("radial", ["decay", "momentum"]),
            ("spread", ["radius"]),
        ):
            page.check(f"input[value={layer}]")
            page.wait_for_function(
                f"JSON.stringify({disabled}) === {json.dumps(json.dumps(idle, separators=(',', ':')))}"
            )

        def wait_for(column: int, row: int, text: str, *, is_shown: bool = True) -> None:
            page.mouse.move(*place(column, row))
            shown = f"document.querySelector('#value').textContent.endsWith({text!r})"
            page.wait_for_function(shown if is_shown else f"!{shown}")

        box = page.locator("#field").bounding_box()

        def place(column: int, row: int) -> tuple[float, float]:
            return (
                box["x"] + (column + 0.5) / 256 * box["width"],
                box["y"] + (row + 0.5) / 256 * box["height"],
            )

        wait_for(40, 50, "0.0 cells to the nearest source")
        page.mouse.move(*place(40, 50))
        page.mouse.down()
        page.mouse.move(*place(50, 56), steps=4)
        page.mouse.up()
        wait_for(50, 56, "0.0 cells to the nearest source")
        wait_for(40, 56, "10.0 cells to the nearest source")
        page.check("input[value=wall]")
        page.mouse.move(*place(45, 40))
        page.mouse.down()
        page.mouse.move(*place(45, 62), steps=4)
        page.mouse.up()
        wait_for(45, 50, "a wall")
        page.check("input[value=distance]")
        wait_for(40, 56, "10.0 cells to the nearest source", is_shown=False)
        page.click("#reset")
        wait_for(40, 50, "0.0 cells to the nearest source")
        assert problems == []
        assert page.text_content("#error") == ""
        browser.close()


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_sliders_and_the_choice_of_layer_change_the_values(address):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        page.goto(address)
        box = page.locator("#field").bounding_box()
        step = box["width"] / 256

        def wait(condition: str, column: int = 44, row: int = 58) -> None:
            """Wait until a condition on the value of a cell. There is a source at (40, 50)."""
            page.mouse.move(box["x"] + (column + 0.5) * step, box["y"] + (row + 0.5) * step)
            read = "Number(document.querySelector('#value').textContent.split(/[:,]/)[2])"
            page.wait_for_function(f"{read}{condition}", timeout=120_000)

        settled = math.exp(-0.03 * (4 * math.sqrt(2) + 4))
        wait(f" > {settled - 0.005}")
        page.locator("#momentum").fill("0.05")
        page.locator("#reset").press("Enter")
        wait(" < 0.05", 6, 10)
        page.locator("#momentum").fill("1")
        wait(f" > {math.exp(-0.03 * (34 * math.sqrt(2) + 6)) - 0.005}", 6, 10)
        page.locator("#decay").fill("0.2")
        wait(f" < {settled - 0.05}")
        assert page.text_content("#decay-value") == "0.2"
        page.check("input[value=radial]")
        wait(f".toFixed(4) === '{1 - math.hypot(4, 8) / 40:.4f}'")
        speed = page.text_content("#speed")
        found = re.fullmatch(r"(\d+) frames a second; the layers take (\d+\.\d\d) ms", speed)
        assert found and int(found[1]) > 0 and float(found[2]) > 0
        browser.close()
