"""Progress: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import io
from types import SimpleNamespace

from fieldcraft.base import progress
from fieldcraft.base.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_progress_bar_is_drawn_on_terminals_and_wiped(monkeypatch):
    now = iter(range(100))
    clock = SimpleNamespace(monotonic=lambda: float(next(now)))
    monkeypatch.setattr(progress, "time", clock)  # that of other threads goes on
    terminal, file = Terminal(), io.StringIO()
    with Progress(terminal, "x.toml") as bar:
        bar.show(0.5)
        bar.show(1.5)
    drawn = terminal.getvalue().split("\r")
    assert drawn[1].startswith("x.toml [###############...............]  50%")
    assert drawn[2].startswith("x.toml [##############################] 100%")
    assert drawn[3].isspace()
    assert len(drawn[3]) >= len(drawn[2].rstrip())
    for stream in (file, None):
        with Progress(stream, "x") as bar:
            bar.show(0.5)
    assert file.getvalue() == ""


def test_progress_off_a_terminal_is_a_line_now_and_then(monkeypatch):
    now = iter([0.0, 1.0, 6.0, 7.0, 12.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(now)))
    stream = io.StringIO()
    with Progress(stream, "run") as bar:
        for share in (0.1, 0.5, 0.6, 0.9):
            bar.show(share)
    assert stream.getvalue() == "run 50% 6 s left\nrun 90% 1 s left\n"
