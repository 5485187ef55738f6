"""What `fieldcraft gpu` says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fieldcraft_gpu as gpu
from fieldcraft import cli
from fieldcraft.errors import NoDevice
from fieldcraft_gpu import report as device_report


def test_tells_bits_and_times_of_the_card_at_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        device = gpu.device(exact=False)
    except NoDevice as error:
        pytest.skip(str(error))
    monkeypatch.setattr(device_report, "_ROUNDS", 1)
    assert cli.main(["gpu", "--quick", "--json", str(tmp_path / "card.json")]) == 0
    said = capsys.readouterr().out
    told = json.loads((tmp_path / "card.json").read_text())
    assert told["device"] == device.name
    assert told["exact"] is True
    assert set(told["bits"].values()) == {0}
    assert len(told["bits"]) == 13
    assert "DIFFER" not in said
    assert told["most_agents"] > 8_000_000
    assert {"case", "device_ms", "wall_ms", "cpu_ms", "bytes"} == set(told["times"][0])
    assert any(row["case"].startswith("10,000 ants") for row in told["times"])
    assert set(told["goals"]) == set(device_report.GOALS)
    assert said.count("\ngoal ") == 3
    assert ("software renderer" in said) == (device.adapter.kind == "CPU")


def test_goals_stand_beside_what_was_measured() -> None:
    case = "Trail 1024 x 1024, a step"
    rows = [
        {"case": case, "device_ms": 0.04, "wall_ms": 9.0},
        {"case": "1,000,000 ants, 64 steps at once", "device_ms": 0.0, "wall_ms": 0.3},
    ]
    lines = [line for line, _ in device_report.goals(rows, software=False)]
    assert lines[0].endswith("0.05 ms on a data-center card; 0.040 ms here, met")
    assert lines[1].endswith("0.300 ms here, not met")
    assert "not measured" in lines[2]
    assert not any("met" in line.split() for line, _ in device_report.goals(rows, software=True))


def test_says_what_to_install_without_a_card(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu.cards, "_found", lambda: ())
    assert cli.main(["gpu"]) == 2
    assert "mesa-vulkan-drivers" in capsys.readouterr().err
