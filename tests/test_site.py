"""The site as a reader sees it, in a browser: search, navigation, blocks of code. `make docs` builds
it before the tests run in CI; without it these tests skip.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.sessions import CHROMIUM, FLAGS

SITE = Path(os.environ.get("FIELDCRAFT_SITE", Path(__file__).parents[1] / "out" / "site"))


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: make docs")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Any]:
    """A page of a browser, as wide as most screens."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser.new_page(viewport={"width": 1440, "height": 900})
        browser.close()


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("Spread", ["What a step does", "fieldcraft.Spread"]),
        ("contested", ["Who controls the ground"]),
        ("install", ["fieldcraft"]),
        ("distance map", ["Paths, distance maps and flow fields"]),
    ],
)
def test_the_search_lists_guides_and_classes_first(
    page: Any, address: str, words: str, first: list[str]
) -> None:
    page.goto(f"{address}/search.html?q={words}")
    page.wait_for_function("document.querySelectorAll('ul.search li > a').length > 3")
    found = [link.inner_text() for link in page.query_selector_all("ul.search li > a")]
    assert found[: len(first)] == first


def test_the_navigation_names_the_api(page: Any, address: str) -> None:
    page.goto(f"{address}/index.html")
    titles = [title.inner_text() for title in page.query_selector_all(".sidebar-tree .caption")]
    assert [title.lower() for title in titles] == [
        "tutorials",
        "how-to guides",
        "api",
        "reference",
        "explanation",
    ]


def test_no_block_of_code_is_cut(page: Any, address: str) -> None:
    cut = {}
    pages = sorted(path.name for path in SITE.glob("*.html"))
    assert len(pages) > 25
    for name in pages:
        page.goto(f"{address}/{name}")
        cut[name] = page.evaluate(
            "[...document.querySelectorAll('div.highlight pre')]"
            ".filter(block => block.scrollWidth > block.clientWidth + 1).length"
        )
    assert {name: count for name, count in cut.items() if count} == {}
