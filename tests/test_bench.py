"""The opponents of the benchmark compute what fieldcraft computes: a race against a wrong loop
would say nothing.
"""

from __future__ import annotations

import re
import shutil
import sys
from ctypes import CDLL
from math import exp
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
if not (ROOT / "bench").is_dir():
    pytest.skip("the bench folder is not part of this installation", allow_module_level=True)
sys.path.insert(0, str(ROOT))

import fieldcraft as fc  # noqa: E402
from bench import __main__, opponents, race  # noqa: E402
from bench.table import Report, Table, at_most  # noqa: E402

SHAPE = (23, 37)
DECAY, MOMENTUM, STRENGTH, STEPS = 0.26, 0.3, 5.0, 9


def test_suites_that_the_pages_name_exist() -> None:
    pages = [ROOT / "README.md", *ROOT.glob("*/README.md"), *ROOT.glob("docs/*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    named = set(re.findall(r"`python -m bench ([a-z]\w*)", text))
    assert len(named) > 10
    assert named <= set(__main__.SUITES)


@pytest.mark.parametrize(("quick", "code"), [(False, 1), (True, 0)])
def test_a_missed_target_fails_the_run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    quick: bool,
    code: int,
) -> None:
    slow = ModuleType("slow")
    table = Table("Speed", ["what", "time", "verdict"])
    table.add("a step", "2 ms", at_most(2, 1))
    table.add("a look", "1 ms", at_most(1, 1))
    monkeypatch.setattr(slow, "run", lambda quick: Report(tables=[table]), raising=False)
    monkeypatch.setitem(sys.modules, "slow", slow)
    monkeypatch.setitem(__main__.SUITES, "slow", "slow")
    flags = ["--quick"] if quick else []
    monkeypatch.setattr(sys, "argv", ["bench", "slow", "--out", str(tmp_path), *flags])
    assert __main__.main() == code
    said = capsys.readouterr().err
    assert ("MISSED: slow: Speed, a step, 2 ms, missed" in said) == (not quick)
    assert "a look" not in said


def test_the_frame_of_a_bot_is_the_first_table() -> None:
    assert next(iter(__main__.SUITES)) == "bot"


def plain(
    values: NDArray[np.float32], cells: NDArray[np.int64], walls: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    """The tutorial's update, one cell at a time in float64."""
    height, width = values.shape
    now = values.astype(float)
    for _ in range(STEPS):
        now.flat[cells] = STRENGTH
        new = np.zeros_like(now)
        for y in range(height):
            for x in range(width):
                if walls is not None and walls[y, x]:
                    continue
                near = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
                best = max(
                    [
                        now[r, c] * exp(-DECAY)
                        for r, c in near
                        if 0 <= r < height and 0 <= c < width
                    ],
                    default=0.0,
                )
                new[y, x] = now[y, x] + MOMENTUM * (max(best, 0.0) - now[y, x])
        now = new
    return now


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> CDLL:
    if shutil.which("g++") is None:
        pytest.skip("g++ not found: the C++ opponents can't be built")
    return opponents.compiled(tmp_path_factory.mktemp("opponents"))


@pytest.mark.parametrize("walled", [False, True])
def test_opponents_agree_with_the_plain_loop(walled: bool, built: CDLL) -> None:
    rng = np.random.default_rng(11)
    walls = rng.random(SHAPE) < 0.2 if walled else None
    field = (rng.random(SHAPE) * 5).astype(np.float32)
    if walls is not None:
        field[walls] = 0
    free = np.arange(field.size) if walls is None else np.flatnonzero(~walls)
    cells = rng.choice(free, 3, replace=False).astype(np.int64)
    expected = plain(field, cells, walls)

    raced = opponents.peers(SHAPE, DECAY, MOMENTUM, walls, built)
    assert len(raced) >= 4
    for contender in raced:
        contender.write(field)
        contender.place(opponents.Sites.at(cells, SHAPE[1]), STRENGTH)
        contender.step(STEPS)
        np.testing.assert_allclose(
            contender.read(), expected, rtol=0, atol=5e-6, err_msg=contender.name
        )


def test_processor_time_leaves_out_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {"wall": 0.0, "processor": 0.0}
    clocks = SimpleNamespace(
        perf_counter=lambda: seconds["wall"],
        process_time=lambda: seconds["processor"],
        sleep=lambda _: None,
    )
    monkeypatch.setattr(race, "time", clocks)
    monkeypatch.setattr(race, "_clock", clocks.perf_counter)

    def wait_and_work() -> None:
        seconds["wall"] += 0.05
        seconds["processor"] += 0.01

    both = {"both": (race.nothing, wait_and_work)}
    before = fc.set_threads(3)
    try:
        assert race.race(both, 1, {"both": 1})["both"].best == pytest.approx(0.05)
        race.count_processor_time()
        assert race.race(both, 1, {"both": 1})["both"].best == pytest.approx(0.01)
        assert race.most_threads() == 1
        assert fc.set_threads(1) == 1
    finally:
        fc.set_threads(before)
