"""The live page, measured: `python -m bench.live`. Frames a second of each layer in a headless
Chromium without a graphics card.

Needs Chromium and playwright.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright import sync_api

from bench.race import say

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
SECONDS = 3


def main() -> None:
    """Build the page, and print what it says of its speed, three times for each layer."""
    browser = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if browser is None:
        sys.exit("There is no Chromium. Install it, or google-chrome.")
    with tempfile.TemporaryDirectory() as folder, sync_api.sync_playwright() as running:
        subprocess.run([sys.executable, "docs/live/build.py", "--out", folder], check=True)
        chromium = running.chromium.launch(executable_path=browser, args=FLAGS)
        say(f"Chromium {chromium.version}")
        page = chromium.new_page(viewport={"width": 1100, "height": 800})
        page.goto((Path(folder) / "index.html").as_uri())
        for layer in ("spread", "radial", "distance"):
            page.check(f"input[value={layer}]")
            for _ in range(3):
                time.sleep(SECONDS)
                print(f"{layer:8} {page.text_content('#speed')}")
        chromium.close()


if __name__ == "__main__":
    main()
