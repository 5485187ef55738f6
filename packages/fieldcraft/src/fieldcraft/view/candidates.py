"""The candidates of a question, drawn over a picture with their scores."""

from __future__ import annotations

import numpy as np

from fieldcraft import checks
from fieldcraft.question import Candidates
from fieldcraft.view.overlays import draw_dots
from fieldcraft.view.palettes import tinted
from fieldcraft.view.placement import Placement
from fieldcraft.view.plan import RGBA
from fieldcraft.view.text import write

__all__ = ["draw_candidates"]

_SHADES = 8
_REMOVED = "#6d7380"
_GREEN = "#4be08a"
_DARKEST = 0.3  # of the table
_TEXT = (244, 245, 247)


def draw_candidates(
    picture: RGBA,
    place: Placement,
    candidates: Candidates,
    *,
    width: float = 7.0,
    numbers: bool = False,
) -> None:
    """Draw the candidates of a question: removed ones small and gray, the others from dark to
    bright by score, the chosen ones in a ring.

    Parameters
    ----------
    picture : ndarray
        uint8 of shape (H, W, 4) of `frame`, changed in place.
    place : Placement
        The placement with the `scale`, `size` and `crop` of the picture.
    candidates : Candidates
        Of `answer.explain()`.
    width : float, optional
        Of a dot, in pixels.
    numbers : bool, optional
        Whether to write the scores of the chosen ones beside them.

    Raises
    ------
    InvalidValue
        For a picture of another size than the placement's.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(8, 4)
    >>> answer = fc.Question({"reach": 2}).ask(grid, me=(3.5, 1.5))
    >>> picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=10)
    >>> before = picture.copy()
    >>> fc.view.draw_candidates(picture, fc.view.Placement(grid, scale=10), answer.explain())
    >>> bool((picture != before).any())
    True
    """
    remedy = "Pass answer.explain()"
    checks.instance(candidates, Candidates, "Candidates are those of an answer", remedy)
    wide = checks.positive("width", width)
    positions, left, scores = candidates.positions, candidates.left, candidates.scores
    draw_dots(picture, place, positions[~left], color=_REMOVED, width=wide / 2, shade=0.4)
    low, high = (scores[left].min(), scores[left].max()) if left.any() else (0.0, 0.0)
    share = (scores - low) / (high - low) if high > low else np.where(left, 1.0, np.nan)
    for shade, row in enumerate(np.linspace(_DARKEST, 1, _SHADES)):
        some = np.rint(share * (_SHADES - 1)) == shade
        tone = tinted(_GREEN)[int(row * 200)].tolist()
        draw_dots(picture, place, positions[some], color=tuple(tone), width=wide)
    for cell in candidates.chosen.tolist():
        at = candidates.space.position_of(cell)
        draw_dots(picture, place, at, width=wide + 8)
        draw_dots(picture, place, at, color=_GREEN, width=wide + 2, shade=0)
        if checks.flag("numbers", numbers):
            x, y = place.pixel_of(at).astype(int).tolist()
            score = scores[candidates.cells == cell][0]
            write(picture, x + int(wide), y - int(wide), f"{score:.2f}", _TEXT, bold=True)
