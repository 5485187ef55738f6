"""A film of a match: where the losses of the next half minute were foretold, and where they
fell.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fieldcraft import view
from research.experiments.fights import WHOLE, forecast
from research.experiments.matches import ALL, WINDOW, Match

__all__ = ["film_match"]

_COLORS = ("#4fa3ff", "#ff5a4f")
_LOST = "#ffffff"
_HIGHEST = 6.0  # bits: 64 times as likely as uniform ground
_FRAMES = 4.0  # a second, ten seconds of the match each


def film_match(path: Path, matches: Sequence[Match], number: int, *, scale: int = 11) -> None:
    """Writes the film of one of the matches, with forecasts of everything that are fitted to all
    the others.

    A frame for each moment that has losses in the half minute after it. Colors say how many bits
    likelier than uniform ground a cell was called; blue and red dots are the armies as the
    recording last told of them, white ones the losses that came.
    """
    match = matches[number]
    _, told = forecast(matches, number, ALL, WHOLE)
    seen = match.seen(ALL, [moment.seconds for moment, _ in told])
    place = view.Placement(match.grid, scale=scale)
    with view.Film(path, fps=_FRAMES, quality=60) as film:
        for (moment, chances), (_, first, second) in zip(told, seen, strict=True):
            lift = np.zeros(len(match.grid), dtype=np.float32)
            lift[match.open] = np.maximum(np.log2(chances * len(chances)), 0)
            picture = view.frame(
                lift.reshape(match.grid.shape),
                space=match.grid,
                limits=(0.0, _HIGHEST),
                threshold=0.25,
                scale=scale,
            )
            for force, color in zip((first, second), _COLORS, strict=True):
                if len(force.army):
                    view.draw_dots(picture, place, force.army, color=color, width=5.0)
            came = match.losses.between(moment.seconds, moment.seconds + WINDOW)
            view.draw_dots(picture, place, came.positions, color=_LOST, width=7.0)
            film.add(
                view.sheet(
                    [picture],
                    title=_title(match, moment.seconds),
                    caption=_CAPTION,
                    caption_lines=3,
                )
            )


_CAPTION = (
    "Colors: bits likelier than uniform ground. Dots: armies as last told of. White: what is lost"
    " in the next 30 s"
)


def _title(match: Match, seconds: float) -> str:
    return f"{match.name.split('_')[0]}, {int(seconds) // 60}:{int(seconds) % 60:02d}"
