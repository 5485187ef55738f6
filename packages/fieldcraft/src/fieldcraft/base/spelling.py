"""Names that are spelled almost like another, for the remedies of errors."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["most_similar"]


def most_similar(name: str, known: Sequence[str], cutoff: float = 0.6) -> str:
    """Return the known name that is most like `name`, or "" if none is.

    Names are as similar as the cutoff if that part of their letters agrees, in [0, 1].
    """
    import difflib  # only errors need it, and `import fieldcraft` is quicker without

    near = difflib.get_close_matches(name, known, n=1, cutoff=cutoff)
    if near:
        return near[0]
    return ""
