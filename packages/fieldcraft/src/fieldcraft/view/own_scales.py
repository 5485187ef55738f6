"""The scales of maps whose values alone do not tell what they mean: shares of teams and beliefs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fieldcraft.layers.teams.share import TeamShare
from fieldcraft.pursuit import Belief
from fieldcraft.view.palettes import TEAM_COLORS, Color, Table, between, team_colors
from fieldcraft.view.pixels.color_scale import ColorScale

_OTHERS = "#c3c7d0"  # the color of several other teams together
# The brightest color of a belief is at least so many times the mean probability.
_UNIFORM = 8.0


def own_scale(layer: Any, *, light: bool) -> ColorScale | None:
    """Return the scale that a map has by default, None for a map without one of its own."""
    if isinstance(layer, TeamShare):
        return _share_scale(layer, light)
    if isinstance(layer, Belief):
        return _belief_scale(layer, light)
    return None


def share_table(names: Sequence[str], colors: Sequence[Color], team: str, *, light: bool) -> Table:
    """Return the table of a team's share: from the color of the other team over even ground to its
    own; several others are gray.
    """
    others = [color for name, color in zip(names, colors, strict=True) if name != team]
    if len(others) == 1:
        other = others[0]
    else:
        other = _OTHERS
    return between(other, colors[names.index(team)], light=light)


def _share_scale(share: TeamShare, light: bool) -> ColorScale | None:
    names = share.teams.names
    if len(names) > len(TEAM_COLORS):
        return None
    colors = team_colors(names, [None] * len(names))
    return ColorScale(0.0, 1.0, None, share_table(names, colors, share.team, light=light))


def _belief_scale(belief: Belief, light: bool) -> ColorScale:
    """Return a scale on which equal probabilities everywhere are faint."""
    open_cells = max(int(np.count_nonzero(~belief.space.walls)), 1)
    values = belief.values
    high = max(float(values.max(initial=0.0)), _UNIFORM * float(values.sum()) / open_cells)
    return ColorScale(0.0, high or 1.0, light=light)
