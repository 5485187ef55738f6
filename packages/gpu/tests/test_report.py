"""What `fieldcraft gpu` says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fieldcraft_gpu as gpu
from fieldcraft import cli
from fieldcraft.errors import NoDevice
from fieldcraft_gpu import bits
from fieldcraft_gpu import report as device_report


def test_tells_bits_and_times_of_the_card_at_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        device = gpu.device(exact=False)
    except NoDevice as error:
        pytest.skip(str(error))
    monkeypatch.setattr(device_report, "_ROUNDS", 1)
    monkeypatch.setattr(device_report, "_SMALL", 48)
    monkeypatch.setattr(bits, "_SWARM_STEPS", 15)
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
    assert ("software renderer" in said) == (device.adapter.kind == "CPU")


def test_says_what_to_install_without_a_card(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu.cards, "_found", lambda: ())
    assert cli.main(["gpu"]) == 2
    assert "mesa-vulkan-drivers" in capsys.readouterr().err
