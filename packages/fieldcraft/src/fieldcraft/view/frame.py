"""Values as pixels, with NumPy alone: one layer by a colour scale, or several layers in one hue
each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import HIDDEN, Color, ColorScale, team_colors, tinted
from fieldcraft.view.marks import draw_markers
from fieldcraft.view.placement import Placement, Subject, subject_of

__all__ = ["Team", "frame", "frame_teams", "mark_sources", "marker_size", "scale_for", "team_scale"]

RGBA = NDArray[np.uint8]


@dataclass(frozen=True)
class Team:
    """One layer of a picture of several: its colour and its label in the legend."""

    layer: Any
    color: tuple[int, int, int]
    label: str

    @classmethod
    def all_of(cls, teams: Any) -> list[Team]:
        """Teams from a `fieldcraft.Teams`, or (layer, color, label) triples.

        A colour of None is the one that the label says, or else the next of `TEAM_COLORS` that is
        free.
        """
        triples = []
        named = getattr(teams, "names", None)
        for team in (
            [(teams[name], None, name) for name in named]
            if named is not None
            else checks.sequence("teams", teams)
        ):
            if not isinstance(team, tuple) or len(team) != 3:
                raise InvalidValue(
                    "teams are (layer, color, label) triples",
                    got=repr(team)[:80],
                    remedy="Pass [(layer, '#3fa7f5', 'blue'), ...]",
                )
            triples.append((team[0], team[1], str(team[2])))
        if not triples:
            raise InvalidValue(
                "A picture of teams has at least one",
                got="none",
                remedy="Pass [(layer, '#3fa7f5', 'blue'), ...]",
            )
        colors = team_colors([label for _, _, label in triples], [color for _, color, _ in triples])
        return [
            cls(layer, color, label)
            for (layer, _, label), color in zip(triples, colors, strict=True)
        ]


def frame(
    layer: Any,
    *,
    space: Any = None,
    colors: ColorScale | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float | None = 0.0,
    scale: int | None = None,
    size: int = 1024,
    crop: bool = False,
    sources: bool = True,
    ground: Color | ArrayLike | None = "terrain",
    opacity: float = 1.0,
) -> RGBA:
    """A layer as pixels: uint8 of shape (H, W, 4), row 0 at the top, every cell a square of whole
    pixels.

    Parameters
    ----------
    layer:
        a layer (anything with `values` and `space`), or an array of numbers of shape (height,
        width).
    space:
        the map to draw on; the layer's own if absent. A layer of coarser cells covers the same
        ground.
    colors:
        the scale to use, instead of `limits` and `threshold`.
    limits:
        (low, high), the values that get the end colours; 0 to the strongest value if absent. Give
        them for a film, so that colours keep their meaning from frame to frame.
    threshold:
        the ground shows where `abs(value) <= threshold`; None draws every cell.
    scale:
        whole pixels per cell; if absent what fits `size`. Where a pixel holds several cells, the
        value of largest magnitude counts.
    size:
        pixels along the longer side, at most, where `scale` is absent.
    crop:
        whether to leave out the rim of the map as far as it holds nothing but walls.
    sources:
        whether to mark the layer's sources.
    ground:
        "terrain" colours walls and terrain, a colour replaces the ground, uint8 of shape (height,
        width, 3) gives each cell its own, and None leaves transparent what no value covers.
    opacity:
        of the values over the ground, 0 to 1.

    Raises `InvalidValue` for values that are not finite, shapes that don't fit, and arguments out
    of range.

    """
    subject, base = subject_of(layer, space)
    place = Placement(base, scale=scale, size=size, crop=crop)
    values = place.strongest(subject.on(base))
    shown = scale_for(subject, colors, limits, threshold)
    canvas = place.scaled(
        values, shown, subject.unknown_on(base), subject.never_on(base), ground, opacity
    )
    if checks.flag("sources", sources):
        _mark(canvas, place, [(subject, None)])
    return canvas


def scale_for(
    subject: Subject,
    colors: ColorScale | None,
    limits: tuple[float, float] | None,
    threshold: float | None,
) -> ColorScale:
    """The caller's scale, or one from limits and threshold; not both."""
    if colors is None:
        return ColorScale.of(subject.values, limits=limits, threshold=threshold)
    if not isinstance(colors, ColorScale):
        raise InvalidValue(
            "colors is a ColorScale", got=type(colors).__name__, remedy="Pass ColorScale(low, high)"
        )
    if limits is not None or threshold != 0:
        raise InvalidValue(
            "A colour scale brings its own limits and threshold",
            got=f"colors={colors!r} and limits={limits!r}, threshold={threshold!r}",
            remedy="Pass ColorScale(low, high, threshold) alone",
        )
    return colors


def frame_teams(
    teams: Any,
    *,
    space: Any = None,
    limits: tuple[float, float] | None = None,
    threshold: float = 0.0,
    scale: int | None = None,
    size: int = 1024,
    crop: bool = False,
    sources: bool = True,
    ground: Color | ArrayLike | None = "terrain",
    opacity: float = 1.0,
) -> RGBA:
    """Several layers in one picture, each in its own hue; where they meet, the hues mix by strength
    and grow brighter.

    The ground shows where no layer is above the threshold.

    `teams` is what `imap.add_teams` gives, or a list of (layer, color, label); a colour is
    "#rrggbb", a word, three whole numbers, or None for the one that the label says, or else one of
    fieldcraft's own. Values are at least 0. The other arguments are those of `frame`; one pair of
    `limits` serves all.

    Raises `InvalidValue` for negative values, and where `frame` does.
    """
    cast = Team.all_of(teams)
    shared = team_scale(cast, limits=limits, threshold=threshold)
    base = space if space is not None else subject_of(cast[0].layer, None)[1]
    place = Placement(base, scale=scale, size=size, crop=crop)
    subjects = [subject_of(team.layer, space)[0] for team in cast]
    layers = [place.strongest(subject.on(base)) for subject in subjects]
    drawn = np.logical_or.reduce([shared.index(values) != HIDDEN for values in layers])
    shares = [shared.share(values) for values in layers]
    total = np.maximum(np.add.reduce([share**2 for share in shares]), 1e-30)
    together = 1 - np.multiply.reduce([1 - share for share in shares])
    mixed = np.zeros((*drawn.shape, 3))
    for team, share in zip(cast, shares, strict=True):
        table = tinted(team.color)
        mixed += (
            table[np.rint(together * (len(table) - 1)).astype(np.uint8)]
            * (share**2 / total)[..., np.newaxis]
        )
    canvas = place.compose(np.rint(mixed).astype(np.uint8), drawn, ground, opacity)
    if checks.flag("sources", sources):
        _mark(
            canvas,
            place,
            [(subject, team.color) for subject, team in zip(subjects, cast, strict=True)],
        )
    return canvas


def team_scale(
    teams: Sequence[Team], *, limits: tuple[float, float] | None = None, threshold: float = 0.0
) -> ColorScale:
    """The scale that the layers of all teams share; refuses negative values and limits."""
    arrays = [subject_of(team.layer, None)[0].values for team in teams]
    shared = ColorScale.of(
        *arrays, limits=limits, threshold=checks.not_negative("threshold", threshold)
    )
    lowest = min(float(array.min()) for array in arrays)
    if lowest < 0 or shared.low < 0:
        raise InvalidValue(
            "The layers of teams hold no negative values, nor do their limits",
            got=f"{min(lowest, shared.low):g}",
            remedy="Draw a signed layer with frame(layer)",
        )
    return shared


def mark_sources(canvas: RGBA, place: Placement, teams: Sequence[Team]) -> None:
    """Mark the sources of the layers of teams on a picture of that placement, in their colours."""
    _mark(canvas, place, [(subject_of(team.layer, None)[0], team.color) for team in teams])


def _mark(
    canvas: RGBA, place: Placement, subjects: Sequence[tuple[Subject, tuple[int, int, int] | None]]
) -> None:
    """Mark the sources of all subjects; sizes compare between them."""
    found = []
    for subject, color in subjects:
        positions = getattr(subject.sources, "positions", None)
        if positions is not None and len(positions):
            found.append(
                (
                    place.pixel_of(positions),
                    np.asarray(subject.sources.strengths, dtype=np.float64),
                    color,
                )
            )
    count = sum(len(strengths) for _, strengths, _ in found)
    top = max((float(np.abs(strengths).max()) for _, strengths, _ in found), default=0.0)
    largest = marker_size(canvas, count)
    for pixels, strengths, color in found:
        share = float(np.abs(strengths).max()) / top if top else 0.0
        draw_markers(canvas, pixels, strengths, max(largest * share**0.5, 2.0), color)


def marker_size(canvas: RGBA, count: int) -> float:
    """The radius in pixels of the largest of `count` markers on a picture: the more there are, the
    smaller.
    """
    return float(
        min(max(min(canvas.shape[:2]) / 55, 4.0), 24.0) * min(1.0, (25 / max(count, 1)) ** 0.45)
    )
