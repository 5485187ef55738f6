"""Convert a recording to a timeline for recipes: `python -m research.recordings.convert starcraft
EVENTS.csv TIMELINE.csv`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fieldcraft.formats.recordings import Timeline
from research.recordings.starcraft import read_starcraft
from research.recordings.tracks import read_pedestrians, read_tracks
from research.shared.entry import exit_code

READERS: dict[str, Callable[[Path], Timeline]] = {
    "starcraft": partial(read_starcraft, strengths={"Larva": 0, "Egg": 0}),
    "tracks": read_tracks,
    "pedestrians": read_pedestrians,
}


def main() -> None:
    """Read the recording and write its timeline."""
    parser = argparse.ArgumentParser(
        prog="python -m research.recordings.convert", description=__doc__
    )
    parser.add_argument("kind", choices=READERS)
    parser.add_argument("recording", type=Path)
    parser.add_argument("timeline", type=Path)
    chosen = parser.parse_args()
    READERS[chosen.kind](chosen.recording).write(chosen.timeline)


if __name__ == "__main__":
    sys.exit(exit_code("research.recordings.convert", main))
