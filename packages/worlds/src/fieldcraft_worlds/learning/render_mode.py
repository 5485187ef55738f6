"""The `render_mode` of all environments."""

from __future__ import annotations

from fieldcraft.base.errors import InvalidValue


def checked_render_mode(render_mode: str | None) -> str | None:
    """Return a render mode, None or "rgb_array"; raise `InvalidValue` for another."""
    if render_mode not in (None, "rgb_array"):
        raise InvalidValue(
            "render_mode is None or 'rgb_array'",
            got=repr(render_mode),
            remedy="Pass one of these",
        )
    return render_mode
