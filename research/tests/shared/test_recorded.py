"""What recorded ants and pedestrians say of trails, on recordings made up so that the answer is
known.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Grid
from research import __main__ as cli
from research.recordings.tracks import read_pedestrians
from research.shared.recorded import data_folder, digest_of
from research.shared.runner import run_study
from research.trails import ant_walks, pedestrian_walks, pedestrians, real_ants
from support import realdata

HALF = 240.0


def ring(tmp_path: Path, *, lost_at: float = math.inf, ants: int = 4) -> Path:
    """Ants that walk round a ring 4 wide in a nest of 12 x 10; from `lost_at` on anywhere."""
    nest = tmp_path / "nest"
    nest.mkdir()
    rng = np.random.default_rng(5)
    seconds = np.arange(0, 2 * HALF, 0.5)
    for number in range(ants):
        turn = number + 0.2 * seconds
        places = np.stack([6 + 4 * np.cos(turn), 5 + 4 * np.sin(turn)], axis=1) + rng.normal(
            0, 0.05, (len(seconds), 2)
        )
        anywhere = rng.uniform(0.01, (11.99, 9.99), places.shape)
        places[seconds >= lost_at] = anywhere[seconds >= lost_at]
        np.savetxt(nest / f"ant{number}.txt", np.column_stack([seconds, places]), fmt="%.4f")
    return nest


def found(report) -> dict[tuple[str, str, str], float]:
    return {key: interval.value for key, interval in report.summary.found.items()}


def test_ants_that_keep_to_their_road_are_foretold(tmp_path):
    study = real_ants.real_ants_study(ring(tmp_path), size=(12, 10), cell=0.5)
    report = run_study(study, tmp_path / "out", workers=1)
    value = found(report)
    for horizon in real_ants.HORIZONS:
        for source in real_ants.SOURCES:
            group = f"{horizon}, map of {source}"
            assert value[group, "uniform", "bits per point"] == pytest.approx(0, abs=1e-12)
            assert value[group, "uniform", "AUC"] == 0.5
            for model in ("trail", "density"):
                assert value[group, model, "AUC"] > 0.85
                assert 1 < value[group, model, "bits per point"] < math.log2(24 * 20)
    assert len(report.rows) == 4 * 6
    assert [file.suffix for file in report.files] == [".csv", ".json", ".png"]


def test_ants_that_walk_anywhere_are_not(tmp_path):
    report = run_study(
        real_ants.real_ants_study(ring(tmp_path, lost_at=HALF / 2), size=(12, 10)),
        tmp_path / "out",
        workers=1,
    )
    value = found(report)
    for model in ("trail", "density"):
        assert abs(value["second half, map of all ants", model, "AUC"] - 0.5) < 0.06
        assert value["second half, map of all ants", model, "bits per point"] < 0.1


def walks(when: list[float], cells: list[int], other: list[int] | None = None) -> ant_walks.Walks:
    ants = {"a": (np.array(when), np.array(cells))}
    if other is not None:
        ants["b"] = (np.array(when), np.array(other))
    return ant_walks.Walks(Grid(4, 5), ants, 300.0, 0.0)


def test_bits_and_auc_by_hand():
    maps = np.zeros((6, 20))
    maps[2, 3], maps[2, 7] = 3.0, 1.0
    asked = walks([150.0 + i for i in range(20)], [3] * 10 + [7] * 5 + [0] * 5)
    bits, auc, count = real_ants.scores(
        asked, {"a": maps}, "the ant itself", "second half", 0.2, (150, math.inf)
    )["a"]
    density = [0.8 * 0.75 + 0.01, 0.8 * 0.25 + 0.01, 0.01]
    assert count == 20
    assert bits == pytest.approx(
        sum(
            share * math.log2(part * 20)
            for share, part in zip((0.5, 0.25, 0.25), density, strict=True)
        )
    )
    assert auc == pytest.approx(0.5 * 19.5 / 20 + 0.25 * 18.5 / 20 + 0.25 * 9 / 20)


def test_the_next_minute_is_asked_of_the_map_before_it():
    maps = np.zeros((6, 20))
    maps[2, 3], maps[3, 9] = 1.0, 1.0
    late, early = (
        walks([180.0 + i for i in range(20)], [9] * 20),
        walks([120.0 + i for i in range(20)], [9] * 20),
    )
    for each, expected in ((late, 0.9 * 20 + 0.1), (early, 0.1)):
        bits, _, _ = real_ants.scores(
            each, {"a": maps}, "all ants", "next minute", 0.1, (120, math.inf)
        )["a"]
        assert bits == pytest.approx(math.log2(expected))


def test_too_short_a_recording_of_ants_is_refused(tmp_path):
    nest = ring(tmp_path, ants=1)
    with pytest.raises(InvalidValue, match="At least two ants"):
        real_ants.real_ants_study(nest, size=(12, 10))
    with pytest.raises(InvalidValue, match="cell"):
        real_ants.real_ants_study(nest, cell=0)


# Pedestrians


def streams(path: Path, *, seconds: float = 60.0) -> Path:
    """A corridor along x with people to the right below y = 2 and to the left above it, one each
    second in both.
    """
    rows = ["# framerate: 10 fps", "# id frame x/m y/m z/m"]
    rng = np.random.default_rng(3)
    for number in range(2 * int(seconds - 8)):
        right = number % 2 == 0
        y = rng.uniform(0.5, 1.5) + (0 if right else 2)
        for step in range(80):
            x = 0.1 * step if right else 8 - 0.1 * step
            rows.append(f"{number + 1} {number // 2 * 10 + step} {x:.3f} {y:.3f} 1.7")
    path.write_text("\n".join(rows) + "\n")
    return path


def test_streams_foretell_themselves(tmp_path):
    study = pedestrians.pedestrians_study([streams(tmp_path / "hall.txt")])
    report = run_study(study, tmp_path / "out", workers=1)
    value = found(report)
    for horizon in pedestrians.HORIZONS:
        group = f"hall.txt, {horizon}"
        assert value[group, "trail", "degrees off"] < 3
        assert value[group, "one direction", "degrees off"] > 80
        assert value[group, "trail", "within 30 degrees"] > 0.97
        assert value[group, "trail", "degrees saved"] > 80
    assert value["hall.txt, 2 s ahead", "their own before", "degrees off"] < 1
    assert ("hall.txt, second half", "their own before", "degrees off") not in value


def test_two_seconds_ahead_knows_nothing_of_the_last_two_seconds(tmp_path):
    """A stream that turns round at once: just then the field is wrong, however late the question
    comes.
    """
    rows = ["# framerate: 10 fps", "# id frame x/m y/m z/m"]
    for frame in range(400):
        x = 0.05 * (frame if frame <= 300 else 600 - frame)
        rows += [
            f"{number + 1} {frame} {x + number * 0.3:.3f} {number * 0.3:.3f} 1.7"
            for number in range(4)
        ]
    path = tmp_path / "turn.txt"
    path.write_text("\n".join(rows) + "\n")
    walked = pedestrians._walks(str(path), 0.2, None, None)
    just = (walked.when >= 30) & (walked.when < 31.9)
    said = pedestrians._forecast(walked, (5.0, 0.4, 1), "2 s ahead", 20.0, just)
    assert (said[:, 0] > 0).all()
    assert (walked.steps[just][:, 0] < 0).all()


def test_the_known_places_have_walls_where_nobody_walks():
    folder = realdata.folder("trajectories") / "pedestrians"
    for name, place in pedestrian_walks.PLACES.items():
        timeline = read_pedestrians(
            folder / name, frames_per_second=place.frames_per_second, unit=place.unit
        )
        grid = pedestrian_walks.ground_of(timeline, place, 0.2)
        places = timeline.positions[~np.isnan(timeline.positions[:, 0])]
        on_walls = grid.walls.reshape(-1)[grid.cell_at(places, outside="clamp")].mean()
        assert 0.05 < grid.walls.mean() < 0.6
        assert on_walls < 0.02, name


@pytest.mark.parametrize("frames", [2, 200])
def test_recordings_too_short_are_refused(tmp_path, frames):
    path = tmp_path / "one.txt"
    path.write_text(
        "# framerate: 10 fps x/m y/m\n"
        + "\n".join(f"1 {frame} {frame / 10} 1 1" for frame in range(frames))
        + "\n"
    )
    with pytest.raises(InvalidValue, match="At least two people"):
        pedestrians.pedestrians_study([path])


def test_the_folder_of_recorded_data_is_found(tmp_path, monkeypatch):
    monkeypatch.delenv("FIELDCRAFT_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidValue, match="Pass --data DIR"):
        data_folder(None)
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    assert data_folder(None) == tmp_path / "shared" / "data"
    monkeypatch.setenv("FIELDCRAFT_DATA", "/somewhere")
    assert data_folder(None) == Path("/somewhere")
    assert data_folder("given") == Path("given")
    (tmp_path / "a.txt").write_text("1 2 3\n")
    before = digest_of(tmp_path)
    (tmp_path / "a.txt").write_text("1 2 4\n")
    assert digest_of(tmp_path) != before
    with pytest.raises(InvalidValue, match="A recording can be read"):
        digest_of(tmp_path / "absent.txt")


def test_both_are_on_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("FIELDCRAFT_DATA", raising=False)
    nest = ring(tmp_path)
    out = ["--out", str(tmp_path / "out"), "--workers", "1"]
    asked = ["experiment", "real-ants", "--tracks", str(nest), "--size", "12", "10", *out]
    assert cli.main(asked) == 0
    assert (
        cli.main(
            [
                "experiment",
                "pedestrians",
                "--recording",
                str(streams(tmp_path / "hall.txt", seconds=20)),
                *out,
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert "bits ahead of density" in said
    assert "degrees saved" in said
    assert cli.main(["experiment", "real-ants", "--tracks", str(tmp_path / "absent"), *out]) == 2
    assert cli.main(["experiment", "real-ants", "--data", str(tmp_path), *out]) == 2
