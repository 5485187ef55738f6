"""Timelines, written as text."""

from __future__ import annotations

from pathlib import Path

from fieldcraft.formats.recordings.timeline import Timeline

HEADER = "seconds,id,group,x,y,strength\n"


def read(tmp_path: Path, text: str | bytes, **options: float) -> Timeline:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Timeline.read(path, **options)


def by_id(
    timeline: Timeline, seconds: float, group: str | None = None, **options: float
) -> dict[str, tuple[float, float, float]]:
    living = timeline.at(seconds, group, **options)
    return {
        timeline.ids[k]: (*p, s)
        for k, p, s in zip(
            living.keys, living.positions.tolist(), living.strengths.tolist(), strict=True
        )
    }
