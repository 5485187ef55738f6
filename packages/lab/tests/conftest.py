"""A browser, and a lab on a recipe, for the tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldcraft_lab import Lab
from support.pages import TOKEN
from support.sessions import CHROMIUM, FLAGS, RECIPE


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A paused lab on the recipe of a patrol."""
    (tmp_path / "patrol.toml").write_text(RECIPE)
    with Lab(tmp_path / "patrol.toml", playing=False, warm=False, token=TOKEN) as opened:
        yield opened
