"""Things that notebooks show as pictures.

The functions that draw them are set in `fieldcraft/__init__.py`: pictures are drawn by
`fieldcraft.view`, which is above everything that can be drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

html_of: Callable[[Any], str]
png_of: Callable[[Pictured], bytes | None]


class Pictured:
    """A thing that notebooks show as a picture."""

    def _repr_png_(self) -> bytes | None:
        return png_of(self)  # noqa: F821 - annotated above
