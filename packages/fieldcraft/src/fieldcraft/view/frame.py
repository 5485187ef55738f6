"""Values as pixels: one layer by a color scale, several layers in one hue each, territory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Space
from fieldcraft.view.colors import HIDDEN, ColorScale, plain_values
from fieldcraft.view.overlays import draw_markers
from fieldcraft.view.palettes import Color, lab_of, parse_color, rgb_of, team_colors, tinted
from fieldcraft.view.placement import Placement, Subject, subject_of
from fieldcraft.view.plan import RGBA

__all__ = [
    "Team",
    "frame",
    "frame_owners",
    "frame_shares",
    "frame_teams",
    "mark_sources",
    "scale_for",
    "team_scale",
]


@dataclass(frozen=True)
class Team:
    """One layer of a picture of several: its color and its label in the legend."""

    layer: Any
    color: tuple[int, int, int]
    label: str

    @classmethod
    def all_of(cls, teams: Any) -> list[Team]:
        """Teams from a `fieldcraft.Teams`, or (layer, color, label) triples.

        A color of None is the one that the label names, or else the next free one of `TEAM_COLORS`.
        """
        names = getattr(teams, "names", None)
        if names is not None:
            triples = [(teams[name], None, name) for name in names]
        else:
            triples = checks.sequence("teams", teams)
        wrong = [team for team in triples if not isinstance(team, tuple) or len(team) != 3]
        if wrong or not triples:
            raise InvalidValue(
                "teams are (layer, color, label) triples, at least one",
                got=repr(wrong[0])[:80] if wrong else "none",
                remedy="Pass [(layer, '#3fa7f5', 'blue'), ...]",
            )
        labels = [str(label) for _, _, label in triples]
        colors = team_colors(labels, [color for _, color, _ in triples])
        return [
            cls(layer, color, label)
            for (layer, _, _), color, label in zip(triples, colors, labels, strict=True)
        ]


def frame(
    layer: Any,
    *,
    space: Space | None = None,
    colors: ColorScale | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float | None = 0.0,
    scale: float | None = None,
    size: int = 1024,
    crop: bool = False,
    heights: tuple[float, float] | None = None,
    sources: bool = True,
    ground: Color | ArrayLike | None = "terrain",
    opacity: float = 1.0,
) -> RGBA:
    """A layer as pixels: uint8 of shape (H, W, 4), row 0 at the top.

    Cells of a grid are squares of whole pixels. Graphs, meshes and hexagons are seen from above:
    polygons are filled, other vertices are discs with their edges between them.

    Parameters
    ----------
    layer : Layer, Expression or array_like
        Anything with `values` and `space`, or an array of numbers of the map's shape.
    space : Space, optional
        The map to draw on; by default the layer's own. A layer of coarser cells covers the same
        ground.
    colors : ColorScale, optional
        The scale to use, in place of `limits` and `threshold`.
    limits : (float, float), optional
        The values that get the end colors; by default 0 and the strongest value. Give them for a
        film, so that colors keep their meaning from frame to frame.
    threshold : float, optional
        The ground shows where `abs(value) <= threshold`; None draws every cell.
    scale : float, optional
        Pixels per world unit, on every kind of space; by default what fits `size`. Where a pixel
        holds several cells, it shows the value of largest magnitude.
    size : int
        Pixels along the longer side, at most, where `scale` is absent.
    crop : bool
        Leave out the edges of a grid as far as they hold nothing but walls.
    heights : (float, float), optional
        Draw only vertices of a 3D graph with z from the first up to the second: a floor. The rest
        of the plan shows as a shadow.
    sources : bool
        Mark the layer's sources.
    ground : str, color or array_like, optional
        "terrain" colors walls and terrain, a color replaces the ground, uint8 of the map's shape
        and three more gives each cell its own, and None leaves transparent what no value covers.
    opacity : float
        Of the values over the ground, 0 to 1.

    Returns
    -------
    ndarray
        uint8 of shape (H, W, 4).

    Raises
    ------
    InvalidValue
        For values that are not finite, shapes that don't fit, and arguments out of range.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> heat = fc.InfluenceMap(fc.Grid(6, 4, cell_size=2.0)).add_layer("heat", fc.Spread(0.5, 1.0))
    >>> source = heat.add_source((3.0, 3.0), 5.0)
    >>> heat.settle()
    >>> fc.view.frame(heat, scale=10).shape
    (80, 120, 4)
    """
    subject, base = subject_of(layer, space)
    place = Placement(base, scale=scale, size=size, crop=crop, heights=heights)
    shown = scale_for(subject, colors, limits, threshold)
    unknown, never = (
        None if cells is None else subject.resampled(cells, base)
        for cells in (subject.unknown, subject.never)
    )
    canvas = place.plan.scaled(subject.on(base), shown, unknown, never, ground, opacity)
    if checks.flag("sources", sources):
        mark_sources(canvas, place, [_marks_of(subject, None)])
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
    checks.instance(colors, ColorScale, "colors is a ColorScale", "Pass ColorScale(low, high)")
    if limits is not None or threshold != 0:
        raise InvalidValue(
            "A color scale brings its own limits and threshold",
            got=f"colors={colors!r} and limits={limits!r}, threshold={threshold!r}",
            remedy="Pass ColorScale(low, high, threshold) alone",
        )
    return colors


def frame_teams(
    teams: Any,
    *,
    space: Space | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float = 0.0,
    scale: float | None = None,
    size: int = 1024,
    crop: bool = False,
    sources: bool = True,
    ground: Color | ArrayLike | None = "terrain",
    opacity: float = 1.0,
) -> RGBA:
    """Several layers in one picture, each in its own hue; where they meet, the hues mix by strength
    and grow brighter.

    The ground shows where no layer is above the threshold.

    `teams` is what `imap.add_teams` returns, or a list of (layer, color, label); a color is
    "#rrggbb", a word, three whole numbers, or None for the one that the label names, or else one of
    fieldcraft's own. Values are at least 0. The other arguments are those of `frame`; one pair of
    `limits` serves all.

    Raises
    ------
    InvalidValue
        For negative values, and where `frame` does.
    """
    cast = Team.all_of(teams)
    shared = team_scale(cast, limits=limits, threshold=threshold)
    base = space if space is not None else subject_of(cast[0].layer, None)[1]
    place = Placement(base, scale=scale, size=size, crop=crop)
    subjects = [subject_of(team.layer, space)[0] for team in cast]
    layers = [place.plan.strongest(subject.on(base)) for subject in subjects]
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
    canvas = place.plan.compose(np.rint(mixed).astype(np.uint8), drawn, ground, opacity)
    if checks.flag("sources", sources):
        groups = [_marks_of(each, team.color) for each, team in zip(subjects, cast, strict=True)]
        mark_sources(canvas, place, groups)
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


def frame_owners(
    owners: ArrayLike,
    colors: Sequence[Color],
    *,
    space: Space,
    scale: float | None = None,
    size: int = 1024,
    crop: bool = False,
    ground: Color | ArrayLike | None = "terrain",
    opacity: float = 0.6,
) -> RGBA:
    """The owner of each cell, in flat colors: uint8 of shape (H, W, 4).

    `owners` are whole numbers of shape (height, width): an index into `colors`, or -1 where the
    ground shows. Where a pixel holds several cells, the one in their middle counts. The other
    arguments are those of `frame`.

    Raises
    ------
    InvalidValue
        For another shape, and for indices without a color.
    """
    place = Placement(space, scale=scale, size=size, crop=crop)
    held: NDArray[Any] = checks.array("Owners", owners)
    tones = np.array(
        [parse_color(color) for color in checks.sequence("colors", colors)], dtype=np.uint8
    ).reshape(-1, 3)
    if held.shape != tuple(space.shape) or held.dtype.kind not in "iu":
        raise InvalidValue(
            "Owners are whole numbers of the map's shape (height, width)",
            got=f"shape {held.shape}, dtype {held.dtype} on a map of {tuple(space.shape)}",
            remedy="Pass what teams.owner() returns",
        )
    if held.min(initial=0) < -1 or held.max(initial=-1) >= len(tones):
        raise InvalidValue(
            f"An owner is an index into the {len(tones)} colors, or -1",
            got=f"{held.min()} to {held.max()}",
            remedy="Pass one color per team, in their order",
        )
    shown = place.plan.middle(held)
    rgb = tones[np.maximum(shown, 0)] if len(tones) else np.zeros((*shown.shape, 3), np.uint8)
    return place.plan.compose(rgb, shown >= 0, ground, opacity)


def frame_shares(
    shares: Sequence[ArrayLike],
    colors: Sequence[Color],
    *,
    space: Space,
    scale: float | None = None,
    size: int = 1024,
    crop: bool = False,
    ground: Color | ArrayLike | None = "terrain",
    opacity: float = 0.8,
) -> RGBA:
    """How much of each cell each team holds, their colors mixed by it: uint8 of shape (H, W, 4).

    `shares` has one array of shape (height, width) per team, at least 0. The ground shows where all
    are 0. The other arguments are those of `frame`.

    Raises
    ------
    InvalidValue
        For other shapes, negative shares and a number of colors that differs.
    """
    place = Placement(space, scale=scale, size=size, crop=crop)
    colors = checks.sequence("colors", colors)
    arrays = [
        plain_values(share, "shares", dimensions=(1, 2))
        for share in checks.sequence("shares", shares)
    ]
    if len(arrays) != len(colors) or not arrays:
        raise InvalidValue(
            "A picture of shares has one color per team",
            got=f"{len(colors)} for {len(arrays)}",
            remedy="Pass as many colors as shares",
        )
    for array in arrays:
        if array.shape != tuple(space.shape) or array.min(initial=0) < 0:
            raise InvalidValue(
                "Shares are at least 0 and of the map's shape (height, width)",
                got=(
                    f"shape {array.shape}, lowest {array.min():g}, on a map of {tuple(space.shape)}"
                ),
                remedy="Pass what teams.share(name) returns",
            )
    parts = [place.plan.mean(array) for array in arrays]
    total = np.add.reduce(parts)
    some = np.where(total > 0, total, 1)
    mixed = np.add.reduce(
        [
            (part / some)[..., np.newaxis] * lab_of(parse_color(color))
            for part, color in zip(parts, colors, strict=True)
        ]
    )
    rgb = np.rint(np.clip(rgb_of(mixed), 0, 255)).astype(np.uint8)
    return place.plan.compose(rgb, total > 0, ground, opacity)


Marks = tuple[ArrayLike, ArrayLike, tuple[int, int, int] | None]
"""Positions (N, D), strengths (N,), and a color, or None for one of each sign."""


def mark_sources(canvas: RGBA, place: Placement, groups: Sequence[Marks]) -> None:
    """Mark groups of sources on a picture of that placement; sizes compare between groups, and the
    more sources there are, the smaller they are drawn.
    """
    found = []
    for positions, strengths, color in groups:
        places = np.asarray(positions, dtype=np.float64)
        if len(places):
            shown = place.plan.shows(places)
            magnitudes = np.asarray(strengths, dtype=np.float64)[shown]
            found.append((place.pixel_of(places[shown]), magnitudes, color))
    count = max(sum(len(strengths) for _, strengths, _ in found), 1)
    top = max((float(np.abs(strengths).max(initial=0)) for _, strengths, _ in found), default=0.0)
    largest = min(max(min(canvas.shape[:2]) / 55, 4.0), 24.0) * min(1.0, (25 / count) ** 0.45)
    for pixels, strengths, color in found:
        share = float(np.abs(strengths).max(initial=0)) / top if top else 0.0
        draw_markers(canvas, pixels, strengths, max(largest * share**0.5, 2.0), color)


def _marks_of(subject: Subject, color: tuple[int, int, int] | None) -> Marks:
    sources = subject.sources
    return getattr(sources, "positions", ()), getattr(sources, "strengths", ()), color
