"""A live influence map in a browser or a notebook, with sliders, rewind and forks.

`fieldcraft lab demo` opens it on a recipe; `serve` opens it on an influence map of a
program.
"""

from fieldcraft_lab.lab import Lab, serve
from fieldcraft_lab.notebook import widget
from fieldcraft_lab.program import watch
from fieldcraft_lab.session import Session

__all__ = ["Lab", "Session", "serve", "watch", "widget"]
