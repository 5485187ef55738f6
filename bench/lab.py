"""The lab, measured: `python -m bench.lab [256 1024]`. Server and browser are processes of their
own; a slider moves 7 times a second.

Needs Chromium and websockets. What it prints depends on the machine and on what else it does; say
so with the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import machine

SERVER = """
import sys, numpy as np, fieldcraft as fc
size = int(sys.argv[1])
rng = np.random.default_rng(0)
walls = rng.random((size, size)) < 0.08
imap = fc.InfluenceMap(fc.Grid(size, size, walls=walls))
layers = [imap.add_layer(f"threat {k}", fc.Spread(decay=0.05, momentum=0.5), every=1 / 60) for k in range(int(sys.argv[2]))]
cells = rng.choice(np.flatnonzero(~walls.reshape(-1)), 8, replace=False)
for layer in layers:
    layer.add_sources(imap.space.position_of(cells), 8.0)
with fc.lab.Lab(imap, warm=False) as lab:
    print(lab.url, flush=True)
    for line in sys.stdin:
        print(lab.busy, lab.rounds, lab.session.moment, flush=True)
"""
DRIVE = """
lab.S.views.forEach((view, i) => { view.limits = [0, 8]; view.visible = i < 10; });
window.driving = setInterval(() => lab.order({ do: "tune", layer: lab.S.layer, name: "decay", value: 0.01 + 0.2 * Math.random() }), 150);
"""
CLEAR = (
    "lab.Wire.latencies.length = 0; lab.Wire.frames = 0; lab.Wire.bytes = 0; lab.Wire.begun ="
    " performance.now(); 1"
)
READ = """JSON.stringify({ seconds: (performance.now() - lab.Wire.begun) / 1000, frames: lab.Wire.frames, bytes: lab.Wire.bytes,
  latencies: [...lab.Wire.latencies].sort((a, b) => a - b), furthest: lab.S.status.furthest })"""
SCRUB = """new Promise((done) => { const end = lab.S.status.furthest, begun = performance.now();
  lab.send({ do: "seek", moment: Math.max(end - Math.round(60 / lab.S.hello.step), 0) });
  const look = () => lab.S.status.moment < end ? done(performance.now() - begun) : setTimeout(look, 1); look(); })"""


class Browser:
    """A headless Chromium without a screencast, spoken to over its debugging socket."""

    def __init__(self, url: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        flags = [
            "--headless=new",
            "--no-sandbox",
            "--use-gl=angle",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
        ]
        flags += [
            "--remote-debugging-port=0",
            f"--user-data-dir={self.folder.name}",
            "--no-first-run",
            "--window-size=1000,800",
        ]
        flags += ["--disable-background-timer-throttling", "--disable-renderer-backgrounding"]
        command = [machine.chromium(), *flags, url]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    async def page(self) -> Any:
        from urllib.request import urlopen

        from websockets.asyncio.client import connect

        file = Path(self.folder.name) / "DevToolsActivePort"
        while not file.exists() or not file.read_text().strip():
            await asyncio.sleep(0.1)
        port = file.read_text().split()[0]
        while True:
            targets = json.loads(
                await asyncio.to_thread(lambda: urlopen(f"http://127.0.0.1:{port}/json").read())
            )
            pages = [
                target
                for target in targets
                if target["type"] == "page" and "token" in target["url"]
            ]
            if pages:
                return await connect(pages[0]["webSocketDebuggerUrl"], max_size=None)
            await asyncio.sleep(0.1)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        self.folder.cleanup()


async def evaluate(page: Any, text: str) -> Any:
    await page.send(
        json.dumps(
            {
                "id": 1,
                "method": "Runtime.evaluate",
                "params": {"expression": text, "awaitPromise": True},
            }
        )
    )
    while True:
        answer = json.loads(await page.recv())
        if answer.get("id") == 1:
            if "result" not in answer:  # the page is on its way
                return None
            return answer["result"]["result"].get("value")


async def measure(size: int, layers: int, seconds: float, pages: int = 1) -> str:
    import psutil

    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(size), str(layers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    browsers: list[Browser] = []
    try:
        url = server.stdout.readline().strip()
        browsers = [Browser(url) for _ in range(pages)]
        tabs = [await browser.page() for browser in browsers]
        for tab in tabs:
            while not await evaluate(tab, "Boolean(window.lab && lab.S.status)"):
                await asyncio.sleep(0.1)
        await evaluate(tabs[0], DRIVE)
        await asyncio.sleep(4)
        process = psutil.Process(server.pid)
        cpu = sum(process.cpu_times()[:2])
        begun = time.perf_counter()
        for tab in tabs:
            await evaluate(tab, CLEAR)
        await asyncio.sleep(seconds)
        told = json.loads(await evaluate(tabs[0], READ))
        share = (sum(process.cpu_times()[:2]) - cpu) / (time.perf_counter() - begun)
        await evaluate(tabs[0], "clearInterval(window.driving)")
        await asyncio.sleep(8)
        await evaluate(tabs[0], CLEAR)
        await asyncio.sleep(2)
        still = json.loads(await evaluate(tabs[0], READ))
        scrub = await evaluate(tabs[0], SCRUB)
    finally:
        for browser in browsers:
            browser.close()
        server.terminate()
        server.wait(10)
    lag = told["latencies"] or [float("nan")]
    parts = [
        (
            f"{size} x {size}, {layers} layers, {pages} pages:"
            f" {told['frames'] / told['seconds']:.1f} frames/s"
        ),
        f"{told['bytes'] / told['seconds'] / 1e6:.1f} MB/s",
        (
            f"slider to picture p50 {lag[len(lag) // 2]:.0f} ms, p95"
            f" {lag[int(len(lag) * 0.95)]:.0f} ms (n={len(lag)})"
        ),
        f"server {100 * share:.0f} % of a core",
        f"60 s back of {told['furthest'] / 60:.0f} s in {scrub:.0f} ms",
        f"settled {still['bytes'] / still['seconds'] / 1e3:.1f} kB/s",
        f"load {psutil.getloadavg()[0]:.1f}",
    ]
    return ", ".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m bench.lab", description="Measure the lab with a browser."
    )
    parser.add_argument(
        "sides", nargs="*", type=int, default=[256, 1024], help="of square maps, in cells"
    )
    for side in parser.parse_args().sides:
        print(asyncio.run(measure(side, 1, 8.0)), flush=True)
