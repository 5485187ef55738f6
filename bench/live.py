"""The live page, measured: `python -m bench.live`. Frames a second of each layer in a headless
Chromium without a graphics card.

Needs Chromium and playwright.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright import sync_api

from bench import machine
from bench.race import say

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
SECONDS = 3


def main() -> None:
    """Build the page, and print what it says of its speed, three times for each layer."""
    with tempfile.TemporaryDirectory() as folder, sync_api.sync_playwright() as running:
        subprocess.run([sys.executable, "docs/live/build.py", "--out", folder], check=True)
        chromium = running.chromium.launch(executable_path=machine.chromium(), args=FLAGS)
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
