from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.errors import InvalidValue
from research.experiments import turnovers

RATE = 25


def game(path: Path, seconds: int, *, future: int | None = None, after: float = 0.0) -> Path:
    """A ball that wanders, with two players a side; it is lost every 4 seconds. From `after` on
    another `future` may come.
    """
    columns = "frame,ball_x,ball_y,ball_status,team_possession,home_1_x,home_1_y,home_2_x,home_2_y,away_1_x,away_1_y,away_2_x,away_2_y"
    rng, rows, ball = np.random.default_rng(3), [columns], np.zeros(2)
    turned = False
    for frame in range(seconds * RATE):
        if future is not None and frame / RATE > after and not turned:
            rng, turned = np.random.default_rng(future), True
        ball = np.clip(ball + rng.normal(0, 0.6, 2), (-50, -30), (50, 30))
        team = "home" if frame // (4 * RATE) % 2 else "away"
        players = [
            *(ball + rng.normal(0, 4, 2)),
            -20.0,
            10.0,
            *(ball + rng.normal(0, 4, 2)),
            20.0,
            -10.0,
        ]
        cells = [
            frame + 1,
            *(f"{each:.2f}" for each in ball),
            "alive",
            team,
            *(f"{each:.2f}" for each in players),
        ]
        rows.append(",".join(str(cell) for cell in cells))
    path.write_text("\n".join(rows) + "\n")
    return path


def test_shuffled_futures_give_the_same_features(tmp_path):
    known = {}
    for future in (1, 2):
        asked, _ = turnovers.asked_of(
            game(tmp_path / f"{future}.csv", 20, future=future, after=10.0)
        )
        known[future] = next(each for each in asked if each.seconds == 10.0)
    assert known[1].lost.tolist() != known[2].lost.tolist()
    for name, values in known[1].features.items():
        np.testing.assert_array_equal(values, known[2].features[name], err_msg=name)


def test_a_ball_that_is_lost_where_it_is_is_foretold(tmp_path):
    study = turnovers.turnovers_study(game(tmp_path / "game.csv", 90))
    summary = turnovers.summarise([{**job, **turnovers.foretell(job)} for job in study.jobs])
    found = {key: interval.value for key, interval in summary.found.items()}
    assert len(study.jobs) == 3
    assert found["uniform", "all players", "bits per turnover"] == pytest.approx(0, abs=1e-9)
    assert found["the ball", "all players", "bits per turnover"] > 1


def test_too_short_a_recording_is_refused(tmp_path):
    with pytest.raises(InvalidValue, match="half minutes"):
        turnovers.turnovers_study(game(tmp_path / "game.csv", 20))
