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

from fieldcraft.cli import main
from fieldcraft_worlds.play.recording import Recording
from fieldcraft_worlds.play.session import Session
from support.wandering import GAME, Beacon

TESTS = Path(__file__).resolve().parents[4] / "tests"
DIGEST = re.compile(r"digest [0-9a-f]{64}")


def play(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[str], str]:
    code = main(["play", *map(str, arguments)])
    told = capsys.readouterr()
    return code, told.out.splitlines(), told.err


def digest(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    code, out, err = play(capsys, "support.wandering:GAME", *arguments, "--headless")
    assert code == 0, err
    assert DIGEST.fullmatch(out[-1])
    return out[-1]


def test_the_last_line_is_the_digest(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(GAME, seed=7)
    for _ in range(50):
        session.step()
    assert digest(capsys, "--seed", 7, "--steps", 50) == f"digest {session.digest()}"
    code, out, err = play(
        capsys, "support.wandering:GAME", "--headless", "--seed", 7, "--steps", 50, "--quiet"
    )
    assert (code, out, err) == (0, [f"digest {session.digest()}"], "")


def test_recording_changes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plain = digest(capsys, "--steps", 20)
    for name in ("a.mp4", "a.gif", "a.webp", "pictures"):
        arguments = [
            "--steps",
            20,
            "--record",
            tmp_path / name,
            "--every",
            5,
            "--size",
            "300x120",
            "--overlay",
            "cones",
        ]
        assert digest(capsys, *arguments) == plain
    with Image.open(tmp_path / "a.gif") as film:
        assert (film.size, film.n_frames) == ((300, 120), 5)
    pictures = sorted((tmp_path / "pictures").iterdir())
    assert [path.name for path in pictures] == [f"{number:06d}.png" for number in range(5)]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.gif",
        "a.mp4",
        "a.webp",
        "pictures",
    ]


def test_a_film_runs_at_the_speed_of_the_world(tmp_path: Path) -> None:
    import av

    with Recording(tmp_path / "a.mp4", rate=20, size=(300, 120)) as recording:
        assert recording.every == 1
        session = Session(GAME)
        for _ in range(10):
            recording.add(session.world.scene(session.state, frozenset()))
    with av.open(str(tmp_path / "a.mp4")) as film:
        stream = film.streams.video[0]
        assert (stream.frames, float(stream.average_rate)) == (10, 20.0)
    assert Recording(tmp_path / "b.mp4", rate=144).every == 5


def test_the_last_state_is_in_the_film(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    digest(
        capsys,
        "--steps",
        7,
        "--record",
        tmp_path / "pictures",
        "--every",
        5,
        "--size",
        "200x100",
        "--shot",
        tmp_path / "end.png",
    )
    last = sorted((tmp_path / "pictures").iterdir())[-1]
    assert Image.open(last).tobytes() == Image.open(tmp_path / "end.png").tobytes()
    assert len(list((tmp_path / "pictures").iterdir())) == 3


def test_save_load_and_replay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    whole = digest(capsys, "--seed", 3, "--steps", 40)
    half = digest(capsys, "--seed", 3, "--steps", 15, "--save-to", tmp_path / "a.save")
    assert half != whole
    code, out, _ = play(
        capsys,
        "support.wandering:GAME",
        "--load",
        tmp_path / "a.save",
        "--headless",
        "--steps",
        25,
        "--save-to",
        tmp_path / "b.save",
    )
    assert (code, out[-1]) == (0, whole)
    code, _, err = play(capsys, "--load", tmp_path / "a.save", "--headless", "--steps", 3)
    assert code == 2
    assert "module:object" in err
    code, out, _ = play(
        capsys,
        "support.wandering:GAME",
        "--replay",
        tmp_path / "b.save",
        "--record",
        tmp_path / "b.gif",
        "--every",
        10,
    )
    assert (code, out[-1]) == (0, whole)
    assert (tmp_path / "b.gif").exists()


def test_a_match_that_ends_stops(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    session = Session(GAME, settings=GAME.settings(goal=1), seed=4)
    while session.result is None:
        session.step((Beacon(30.5, 25.5),))
    session.save(tmp_path / "a.save")
    code, out, _ = play(
        capsys, "support.wandering:GAME", "--load", tmp_path / "a.save", "--headless", "--steps", 25
    )
    assert (code, out[-1]) == (0, f"digest {session.digest()}")
    assert "came" in out[0] and "0 steps" in out[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "play names a game"),
        (("tower", "--headless", "--steps", "3"), "Did you mean 'towers'?"),
        (("support.wandering:GAME", "--headless"), "--steps"),
        (("support.wandering:GAME", "--headless", "--steps", "-3"), "--steps"),
        (("support.wandering:GAME", "--headless", "--steps", "3", "--seed", "-1"), "seed"),
        (("support.wandering:GAME", "none.map", "--headless", "--steps", "3"), "none.map"),
        (("support.wandering:GAME", "cave:3x3", "--headless", "--steps", "3"), "width"),
        (
            ("support.wandering:GAME", "--headless", "--steps", "3", "--set", "dts=3"),
            "Perhaps 'dots' is meant",
        ),
        (
            ("support.wandering:GAME", "--headless", "--steps", "3", "--set", "controls=3"),
            "controls",
        ),
        (
            (
                "support.wandering:GAME",
                "--headless",
                "--steps",
                "3",
                "--set",
                "controls.home=pad zzz",
            ),
            "pad zzz",
        ),
        (
            ("support.wandering:GAME", "--headless", "--steps", "3", "--set", "controls.hme=key x"),
            "home",
        ),
        (
            ("support.wandering:GAME", "--headless", "--steps", "3", "--set", "pad=3"),
            "pad is a table",
        ),
        (
            ("support.wandering:GAME", "--headless", "--steps", "3", "--set", "pad.dead_zone=2.0"),
            "dead zone",
        ),
        (("support.wandering:GAME", "--headless", "--steps", "3", "--record", "a.avi"), ".mp4"),
        (("support.wandering:GAME", "--headless", "--steps", "3", "--record", "a.png"), "--shot"),
        (
            ("support.wandering:GAME", "--headless", "--steps", "3", "--record", "no/a.mp4"),
            "no/a.mp4",
        ),
        (
            (
                "support.wandering:GAME",
                "--headless",
                "--steps",
                "3",
                "--record",
                "a.gif",
                "--every",
                "0",
            ),
            "every",
        ),
        (("support.wandering:GAME", "--headless", "--steps", "3", "--every", "2"), "--record"),
        (("support.wandering:GAME", "--headless", "--steps", "3", "--overlay", "cone"), "cones"),
        (("support.wandering:GAME", "--headless", "--steps", "3", "--size", "9x9"), "--size"),
        (("support.wandering:GAME", "--headless", "--steps", "3", "--size", "big"), "--size"),
        (("support.wandering:GAME", "--headless", "--steps", "3", "--shot", "a.gif"), ".png"),
        (
            ("support.wandering:GAME", "--headless", "--steps", "3", "--save-to", "no/a.save"),
            "no/a.save",
        ),
        (("--load", "none.save", "--headless", "--steps", "3"), "none.save"),
        (("support.wandering:GAME", "cave", "--load", "none.save"), "MAP"),
        (("--load", "none.save", "--seed", "3"), "--seed"),
        (("--load", "none.save", "--replay", "none.save"), "--replay"),
    ],
)
def test_what_is_refused(
    arguments: tuple[str, ...],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = play(capsys, *arguments)
    assert code == 2
    assert said in err
    assert out == []
    assert list(tmp_path.iterdir()) == []


def test_a_gif_that_would_run_too_fast(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = play(
        capsys,
        "support.wandering:GAME",
        "--headless",
        "--steps",
        3,
        "--set",
        "rate=100",
        "--record",
        tmp_path / "a.gif",
        "--every",
        1,
    )
    assert code == 2
    assert "--every 2" in err


def test_pictures_never_mix_with_others(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "mine.png").write_text("x")
    code, _, err = play(
        capsys,
        "support.wandering:GAME",
        "--headless",
        "--steps",
        3,
        "--record",
        tmp_path / "pictures",
    )
    assert code == 2
    assert "new or empty" in err
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["mine.png"]


def test_stopping_leaves_no_half_film(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(self: Session, orders: object = ()) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "step", stop)
    for name in ("a.mp4", "pictures"):
        code, _, err = play(
            capsys,
            "support.wandering:GAME",
            "--headless",
            "--steps",
            3,
            "--record",
            tmp_path / name,
        )
        assert code == 130
        assert "stopped" in err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def bare() -> dict[str, str]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    }
    return {**kept, "PYTHONPATH": str(TESTS)}


def test_without_a_display(bare: dict[str, str]) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("elsewhere there is always a display")
    command = [sys.executable, "-m", "fieldcraft", "play", "support.wandering:GAME"]
    done = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--headless" in done.stderr
    assert "Traceback" not in done.stderr


def test_headless_loads_no_pygame_and_progress_goes_to_standard_error(
    bare: dict[str, str], tmp_path: Path
) -> None:
    code = f"""
import sys
sys.modules["pygame"] = None
from fieldcraft.cli import main
code = main(["play", "support.wandering:GAME", "--headless", "--steps", "9", "--record", {str(tmp_path / "a.mp4")!r}, "--size", "300x100"])
assert "fieldcraft_worlds.play.window" not in sys.modules
sys.exit(code)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=bare, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert DIGEST.fullmatch(done.stdout.splitlines()[-1])


def test_a_window_prints_the_digest_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pygame")
    plain = digest(capsys, "--seed", 5, "--steps", 9)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    code, out, _ = play(
        capsys,
        "support.wandering:GAME",
        "--seed",
        5,
        "--steps",
        9,
        "--shot",
        tmp_path / "a.png",
        "--save-to",
        tmp_path / "a.save",
        "--record",
        tmp_path / "a.gif",
        "--every",
        3,
        "--speed",
        8,
        "--size",
        "300x200",
    )
    assert (code, out[-1]) == (0, plain)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.png", "a.save"]


def test_a_saved_match_takes_controls_and_pads_but_no_settings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(
        "fieldcraft_worlds.play.window.show", lambda player, title: seen.append(player)
    )
    file, save = tmp_path / "a.toml", tmp_path / "a.save"
    file.write_text('[controls]\nhome = ["key u", "pad y"]\n[pad]\ndead_zone = 0.3\n')
    play(capsys, "support.wandering:GAME", "--headless", "--steps", 3, "--save-to", save)
    assert play(capsys, "support.wandering:GAME", "--load", save, "--settings", file)[0] == 0
    (player,) = seen
    player.turn("pad 1 y", 1.0)
    assert [event.action for event in player._inputs.take({}).events] == ["home"]
    code, _, err = play(
        capsys, "support.wandering:GAME", "--load", save, "--settings", file, "--set", "dots=3"
    )
    assert code == 2
    assert "dots as well" in err
