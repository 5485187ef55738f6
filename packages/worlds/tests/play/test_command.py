"""`fieldcraft play` on the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from fieldcraft.commands.command_line import main
from fieldcraft_worlds.play.overlays import Overlays
from fieldcraft_worlds.play.recording import Recording
from fieldcraft_worlds.play.session import Session
from support.wandering import GAME, Beacon

TESTS = Path(__file__).resolve().parents[4] / "tests"
DIGEST = re.compile(r"digest [0-9a-f]{64}")
NAME = "support.wandering:GAME"


def play(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[str], str]:
    code = main(["play", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out.splitlines(), printed.err


def digest(capsys: pytest.CaptureFixture[str], options: str, *more: object) -> str:
    code, out, err = play(capsys, NAME, *options.split(), *more)
    assert code == 0, err
    assert DIGEST.fullmatch(out[-1])
    return out[-1]


def test_the_last_line_is_the_digest(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(GAME, seed=7)
    for _ in range(50):
        session.step()
    options = "--headless --seed 7 --steps 50"
    assert digest(capsys, options) == f"digest {session.digest()}"
    quiet = play(capsys, NAME, *options.split(), "--quiet")
    assert quiet == (0, [f"digest {session.digest()}"], "")


def test_recording_changes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plain = digest(capsys, "--headless --steps 21")
    names = ["a.gif", "a.mp4", "a.webp"]
    for name in names:
        options = "--headless --steps 21 --every 5 --size 300x120 --overlay cones --record"
        assert digest(capsys, options, tmp_path / name) == plain
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    with Image.open(tmp_path / "a.gif") as film:
        assert (film.size, film.n_frames) == ((300, 120), 6)  # steps 0, 5, 10, 15, 20 and the last


def test_a_film_runs_at_the_speed_of_the_world(tmp_path: Path) -> None:
    import av

    session = Session(GAME)
    with Recording(tmp_path / "a.mp4", rate=20, size=(300, 120)) as recording:
        assert recording.every == 1
        for _ in range(10):
            recording.add(session, Overlays(GAME, []))
            session.step()
    with av.open(str(tmp_path / "a.mp4")) as film:
        stream = film.streams.video[0]
        assert (stream.frames, float(stream.average_rate)) == (10, 20.0)
    assert Recording(tmp_path / "b.mp4", rate=144).every == 5


def test_save_load_and_replay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one, two = tmp_path / "a.save", tmp_path / "b.save"
    whole = digest(capsys, "--headless --seed 3 --steps 40")
    assert digest(capsys, "--headless --seed 3 --steps 15 --save-to", one) != whole
    assert digest(capsys, "--headless --steps 25 --load", one, "--save-to", two) == whole
    code, _, err = play(capsys, "--load", one, "--headless", "--steps", 3)
    assert code == 2
    assert "module:object" in err
    film = tmp_path / "b.gif"
    assert digest(capsys, "--every 10 --replay", two, "--record", film) == whole
    assert film.exists()


def test_a_match_that_ends_stops(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    session = Session(GAME, settings=GAME.settings(goal=1), seed=4)
    while session.result is None:
        session.step((Beacon(30.5, 25.5),))
    session.save(tmp_path / "a.save")
    code, out, _ = play(capsys, NAME, "--load", tmp_path / "a.save", "--headless", "--steps", 25)
    assert (code, out[-1]) == (0, f"digest {session.digest()}")
    assert "came" in out[0] and "0 steps" in out[0]


RUN = f"{NAME} --headless --steps 3"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "needs the name of a game"),
        ("tower --headless --steps 3", "Did you mean 'towers'?"),
        (f"{NAME} --headless", "--steps"),
        (f"{NAME} --headless --steps -3", "--steps"),
        (f"{RUN} --seed -1", "seed"),
        (f"{NAME} none.map --headless --steps 3", "none.map"),
        (f"{NAME} cave:3x3 --headless --steps 3", "width"),
        (f"{RUN} --set dts=3", "'dots'"),
        (f"{RUN} --set controls=3", "controls"),
        (f"{RUN} --set controls.home=zzz", "zzz"),
        (f"{RUN} --set controls.hme=key", "home"),
        (f"{RUN} --record a.avi", ".mp4"),
        (f"{RUN} --record a.png", "--shot"),
        (f"{RUN} --record no/a.mp4", "no/a.mp4"),
        (f"{RUN} --record a.gif --every 0", "every"),
        (f"{RUN} --set rate=100 --record a.gif --every 1", "--every 2"),
        (f"{RUN} --every 2", "--record"),
        (f"{RUN} --overlay cone", "cones"),
        (f"{RUN} --size 9x9", "--size"),
        (f"{RUN} --size big", "--size"),
        (f"{RUN} --shot a.gif", ".png"),
        (f"{RUN} --save-to no/a.save", "no/a.save"),
        ("--load none.save --headless --steps 3", "none.save"),
        (f"{NAME} cave --load none.save", "MAP"),
        ("--load none.save --seed 3", "--seed"),
        ("--load none.save --replay none.save", "--replay"),
    ],
)
def test_errors(
    arguments: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = play(capsys, *arguments.split())
    assert code == 2
    assert message in err
    assert out == []
    assert list(tmp_path.iterdir()) == []


def test_stopping_leaves_no_half_film(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(self: Session, orders: object = ()) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "step", stop)
    code, _, err = play(capsys, *RUN.split(), "--record", tmp_path / "a.mp4")
    assert code == 130
    assert "stopped" in err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def bare() -> dict[str, str]:
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    others = {key: value for key, value in os.environ.items() if key not in displays}
    return {**others, "PYTHONPATH": str(TESTS)}


def python(bare: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=bare, capture_output=True, text=True, check=False)


def test_without_a_display(bare: dict[str, str]) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("elsewhere there is always a display")
    done = python(bare, "-m", "fieldcraft", "play", NAME)
    assert done.returncode == 2
    assert "--headless" in done.stderr
    assert "Traceback" not in done.stderr


def test_headless_loads_no_pygame(bare: dict[str, str], tmp_path: Path) -> None:
    arguments = ["play", *RUN.split(), "--record", str(tmp_path / "a.mp4"), "--size", "300x100"]
    code = f"""
import sys
sys.modules["pygame"] = None
from fieldcraft.commands.command_line import main
code = main({arguments!r})
assert "fieldcraft_worlds.play.window" not in sys.modules
sys.exit(code)
"""
    done = python(bare, "-c", code)
    assert done.returncode == 0, done.stderr
    assert DIGEST.fullmatch(done.stdout.splitlines()[-1])


def test_a_window_prints_the_digest_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pygame")
    plain = digest(capsys, "--headless --seed 5 --steps 9")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)
    files = "--shot a.png --save-to a.save --record a.gif --every 3"
    assert digest(capsys, f"--seed 5 --steps 9 --speed 8 --size 300x200 {files}") == plain
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.png", "a.save"]


def test_a_saved_match_takes_controls_but_no_settings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players: list[Any] = []
    monkeypatch.setattr(
        "fieldcraft_worlds.play.window.show", lambda player, title: players.append(player)
    )
    file, save = tmp_path / "a.toml", tmp_path / "a.save"
    file.write_text('[controls]\nhome = ["key u", "key y"]\n')
    digest(capsys, "--headless --steps 3 --save-to", save)
    assert play(capsys, NAME, "--load", save, "--settings", file)[0] == 0
    (player,) = players
    player.press("key y")
    assert [event.action for event in player._inputs.frame({}).events] == ["home"]
    code, _, err = play(capsys, NAME, "--load", save, "--settings", file, "--set", "dots=3")
    assert code == 2
    assert "dots as well" in err
