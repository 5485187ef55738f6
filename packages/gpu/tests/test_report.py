"""The output of `fieldcraft gpu`."""

from __future__ import annotations

import pytest

import fieldcraft_gpu as gpu
from fieldcraft.commands import command_line as cli
from fieldcraft_gpu import comparison, report, wgpu_library


def test_the_report_compares_bits_and_times_both(
    device: gpu.Device, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, small in (("_SIDE", 48), ("_AGENTS", 100), ("_STEPS", 2), ("_ROUNDS", 1)):
        monkeypatch.setattr(report, name, small)
    monkeypatch.setattr(comparison, "_SWARM_STEPS", 15)
    assert cli.main(["gpu", "--name", device.name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"device   {device.name}" in lines
    compared = [line for line in lines if line.startswith("bits")]
    assert len(compared) == len(comparison.CASES) and not any("DIFFER" in line for line in compared)
    assert sum(line.startswith("time") for line in lines) == 3
    assert ("software renderer" in lines[-1]) == (device.adapter.kind == "CPU")


def test_without_a_card_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wgpu_library, "_found", lambda: ())
    assert cli.main(["gpu"]) == 2
    assert "mesa-vulkan-drivers" in capsys.readouterr().err
