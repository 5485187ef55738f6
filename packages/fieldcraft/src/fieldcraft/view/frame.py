"""Values as pixels: one layer by a color scale, several layers in one hue each, owners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Space
from fieldcraft.view.drawing.overlays import draw_markers
from fieldcraft.view.own_scales import own_scale
from fieldcraft.view.palettes import Color, parse_color, team_colors, tinted
from fieldcraft.view.pixels.color_scale import HIDDEN, ColorScale
from fieldcraft.view.pixels.pixel_plan import RGBA
from fieldcraft.view.pixels.placement import Placement, Subject, resampled, subject_of
from fieldcraft.view.pixels.themes import LIGHT, RGB, Ground, theme_of


class Drawing(TypedDict, total=False):
    """The arguments of `frame` that other functions pass on."""

    space: Space | None
    scale: float | None
    size: int
    crop: bool
    sources: bool
    ground: Ground
    opacity: float


@dataclass(frozen=True)
class Team:
    """One layer of a picture of several: its color and its label in the legend."""

    layer: Any
    color: RGB
    label: str

    @classmethod
    def all_of(cls, teams: Any) -> list[Team]:
        """Return teams from a `fieldcraft.Teams`, or (layer, color, label) triples.

        A color of None is the one that the label names, or else the next free one of `TEAM_COLORS`.
        """
        names = getattr(teams, "names", None)
        if names is not None:
            triples = [(teams[name], None, name) for name in names]
        else:
            triples = checks.sequence("teams", teams)
        wrong = [
            repr(team)[:80] for team in triples if not isinstance(team, tuple) or len(team) != 3
        ]
        if not triples:
            wrong.append("none")
        if wrong:
            raise InvalidValue(
                "teams are (layer, color, label) triples, at least one",
                got=wrong[0],
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
    ground: Ground = "dark",
    opacity: float = 1.0,
) -> RGBA:
    """Return a layer as pixels, row 0 at the top.

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
        film, so that colors keep their meaning from frame to frame. A team's share runs from the
        color of the others to its own, and equal beliefs everywhere are faint.
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
    ground : {"dark", "light"}, optional
        The colors of ground, walls and terrain; "light" is for light pages. With None cells without
        a value are transparent, for pictures on a ground of your own.
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
    shown = scale_for(layer, subject, colors, limits, threshold, ground)
    unknown = _on(base, subject.unknown, subject)
    never = _on(base, subject.never, subject)
    picture = place.plan.scaled(subject.on(base), shown, unknown, never, ground, opacity)
    if checks.flag("sources", sources):
        mark_sources(picture, place, [_marks_of(subject, None)], is_opaque=ground is not None)
    return picture


def _on(base: Space, cells: Any, subject: Subject) -> Any:
    """Return some cells of a subject on another space; None if there are none."""
    if cells is None:
        return None
    return resampled(cells, subject.space, base)


def scale_for(
    layer: Any,
    subject: Subject,
    colors: ColorScale | None,
    limits: tuple[float, float] | None,
    threshold: float | None,
    ground: Ground = "dark",
) -> ColorScale:
    """Return the caller's scale, or one from limits and threshold, not both; by default that of the
    layer, if it has one of its own.
    """
    if colors is None:
        light = theme_of(ground) is LIGHT
        if limits is None and isinstance(threshold, (int, float)) and threshold == 0:
            own = own_scale(layer, light=light)
            if own is not None:
                return own
        return ColorScale.of(subject.values, limits=limits, threshold=threshold, light=light)
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
    ground: Ground = "dark",
    opacity: float = 1.0,
) -> RGBA:
    """Return several layers in one picture, each in its own hue; where they meet, the hues mix by
    strength and grow brighter.

    Parameters
    ----------
    teams : Teams or list of (layer, color, label)
        What `imap.add_teams` returns, or triples. A color of None is the one that the label names,
        or else the next free one of `TEAM_COLORS`. Values are at least 0.
    limits : (float, float), optional
        The values that get the end colors of all teams; by default 0 and the strongest value.
    threshold : float, optional
        The ground shows where no layer is above it.
    space, scale, size, crop, sources, ground, opacity
        As for `frame`.

    Returns
    -------
    ndarray
        uint8 of shape (H, W, 4).

    Raises
    ------
    InvalidValue
        For negative values, and where `frame` does.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> teams = fc.InfluenceMap(fc.Grid(9, 5)).add_teams(["red", "blue"], fc.Radial(3.0))
    >>> source = teams["red"].add_source((2.5, 2.5))
    >>> teams["red"].settle()
    >>> fc.view.frame_teams(teams, scale=10).shape
    (50, 90, 4)
    """
    triples = Team.all_of(teams)
    shared = team_scale(triples, limits=limits, threshold=threshold)
    if space is not None:
        base = space
    else:
        _, base = subject_of(triples[0].layer, None)
    place = Placement(base, scale=scale, size=size, crop=crop)
    subjects = [subject_of(team.layer, space)[0] for team in triples]
    layers = [place.plan.strongest(subject.on(base)) for subject in subjects]
    drawn = np.logical_or.reduce([shared.index(values) != HIDDEN for values in layers])
    shares = [shared.share(values) for values in layers]
    total = np.maximum(np.add.reduce([share**2 for share in shares]), 1e-30)
    strength = 1 - np.multiply.reduce([1 - share for share in shares])
    mixed = np.zeros((*drawn.shape, 3))
    for team, share in zip(triples, shares, strict=True):
        table = tinted(team.color, light=theme_of(ground) is LIGHT)
        rows = np.rint(strength * (len(table) - 1)).astype(np.uint8)
        mixed += table[rows] * (share**2 / total)[..., np.newaxis]
    picture = place.plan.compose(np.rint(mixed).astype(np.uint8), drawn, ground, opacity)
    if checks.flag("sources", sources):
        groups = [
            _marks_of(subject, team.color) for subject, team in zip(subjects, triples, strict=True)
        ]
        mark_sources(picture, place, groups, is_opaque=ground is not None)
    return picture


def team_scale(
    teams: Sequence[Team], *, limits: tuple[float, float] | None = None, threshold: float = 0.0
) -> ColorScale:
    """Return the scale that the layers of all teams share; negative values and limits are
    refused.
    """
    arrays = [subject_of(team.layer, None)[0].values for team in teams]
    shared = ColorScale.of(
        *arrays, limits=limits, threshold=checks.not_negative("threshold", threshold)
    )
    lowest = min(float(array.min(initial=0.0)) for array in arrays)
    if lowest < 0 or shared.low < 0:
        raise InvalidValue(
            "The layers of teams hold no negative values, nor do their limits",
            got=f"{min(lowest, shared.low):g}",
            remedy="Draw a signed layer with frame(layer)",
        )
    return shared


def frame_owners(owners: ArrayLike, colors: Sequence[Color], **drawing: Unpack[Drawing]) -> RGBA:
    """Return the owner of each cell in flat colors.

    Parameters
    ----------
    owners : array_like of int
        An index into `colors` for each cell, or -1 for the ground, such as `teams.owner()`.
    colors : sequence of str or (int, int, int)
        One per team, in their order, at most 254.
    **drawing
        `space`, `scale`, `size`, `crop`, `ground` and `opacity` as for `frame`; `opacity` is 0.6
        by default.

    Returns
    -------
    ndarray
        uint8 of shape (H, W, 4).

    Raises
    ------
    InvalidValue
        For another shape, and for indices without a color.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> owners = [[0, 0, -1, 1]]
    >>> fc.view.frame_owners(owners, ["red", "blue"], scale=5, opacity=1.0)[2, 2]
    array([224,  96,  94, 255], dtype=uint8)
    """
    given = checks.array("Owners", owners)
    tones = [parse_color(color) for color in checks.sequence("colors", colors)]
    if given.dtype.kind not in "iu":
        raise InvalidValue(
            "Owners are whole numbers",
            got=f"dtype {given.dtype}",
            remedy="Pass what teams.owner() returns",
        )
    if given.min(initial=0) < -1 or given.max(initial=-1) >= len(tones):
        raise InvalidValue(
            f"An owner is an index into the {len(tones)} colors, or -1",
            got=f"{given.min()} to {given.max()}",
            remedy="Pass one color per team, in their order",
        )
    table = np.array([(0, 0, 0), *tones, (0, 0, 0)], dtype=np.uint8)
    scale = ColorScale(0, len(tones) + 1, 0.5, table)
    drawing["opacity"] = drawing.get("opacity", 0.6)
    return frame(given + 1, colors=scale, **drawing)


Marks = tuple[ArrayLike, ArrayLike, RGB | None]
"""Positions (N, D), strengths (N,), and a color, or None for one of each sign."""


def mark_sources(
    picture: RGBA, place: Placement, groups: Sequence[Marks], *, is_opaque: bool
) -> None:
    """Mark groups of sources on a picture of that placement; sizes compare between groups, and the
    more sources there are, the smaller they are drawn. `is_opaque` says whether all pixels of the
    picture are.
    """
    found = []
    count = 0
    for positions, strengths, color in groups:
        places = np.asarray(positions, dtype=np.float64)
        if not len(places):
            continue
        amounts = np.asarray(strengths, dtype=np.float64)
        shown = place.plan.shows(places)
        if shown is not None:
            places = places[shown]
            amounts = amounts[shown]
        pixels = place.plan.pixels(places[:, :2])
        found.append((pixels, amounts, float(np.abs(amounts).max(initial=0.0)), color))
        count += len(amounts)
    if not count:
        return
    top = max(strongest for _, _, strongest, _ in found)
    largest = min(max(min(picture.shape[:2]) / 55, 4.0), 24.0) * min(1.0, (25 / count) ** 0.45)
    for pixels, amounts, strongest, color in found:
        if top:
            size = largest * (strongest / top) ** 0.5
        else:
            size = 0.0
        draw_markers(picture, pixels, amounts, max(size, 2.0), color, is_opaque=is_opaque)


def _marks_of(subject: Subject, color: RGB | None) -> Marks:
    """Return the sources of a subject; values without sources have none."""
    sources = subject.sources
    return getattr(sources, "positions", ()), getattr(sources, "strengths", ()), color
