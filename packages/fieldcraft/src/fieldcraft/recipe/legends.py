"""The legends of a recipe's pictures: the moment, a caption, the values at the ends of the
colors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fieldcraft.errors import InvalidValue
from fieldcraft.recipe.parts import OutputPart
from fieldcraft.recipe.world import World

__all__ = ["caption_of", "clock", "limits_of"]

_FADING = "Recorded strengths halve every {seconds} s until the next sample."


def clock(seconds: float, whole: float) -> str:
    """A moment as people read it: 12.4 s, or 3:05 where the whole lasts two minutes or more."""
    if whole < 120:
        return f"{seconds:.1f} s"
    rounded = math.floor(seconds + 1e-6)
    return f"{rounded // 60}:{rounded % 60:02d}"


def caption_of(worlds: Sequence[World], output: OutputPart) -> str:
    """The caption of an output, with what a viewer must know of recordings whose old positions
    fade.
    """
    half_lives = set[float]().union(*(world.fading(output.layers) for world in worlds))
    if not half_lives:
        return output.look.caption.strip()
    numbers = [f"{seconds:g}" for seconds in sorted(half_lives)]
    several = (
        " or ".join([", ".join(numbers[:-1]), numbers[-1]])
        if len(numbers) < 6
        else f"{numbers[0]} to {numbers[-1]}"
    )
    note = _FADING.format(seconds=numbers[0] if len(numbers) == 1 else several)
    return f"{output.look.caption} {note}".strip()


def limits_of(worlds: Sequence[World], output: OutputPart) -> dict[str, tuple[float, float]]:
    """The values at the ends of the colours of each map shown.

    They are the recipe's `limits`, or all that anything brings into the layers shown, 0 included;
    what follows from teams has the range of the teams' sources, on both sides where it is signed.
    Layers that fade and those of stamps have ranges of their own.
    """
    given = output.look.limits or {}
    if not isinstance(given, dict):
        return dict.fromkeys(output.layers, given)
    endless = [name for name in output.layers if name not in given and worlds[0].is_trail(name)]
    if endless:
        raise InvalidValue(
            "A picture of a trail has limits, so that its colours keep their meaning",
            got=f"{endless[0]!r} without any",
            remedy=f"Write [[outputs]] with limits = {{ {endless[0]} = [0, 1] }}, say",
        )
    shown = [name for name in output.layers if name not in given]
    alike = [name for name in shown if name in worlds[0].imap and worlds[0].has_sources(name)]
    return {
        **given,
        **{
            name: _range(
                worlds, name, alike if name in alike or name not in worlds[0].imap else [name]
            )
            for name in shown
        },
    }


def _range(worlds: Sequence[World], name: str, layers: Sequence[str]) -> tuple[float, float]:
    what = name.split(" ")[0]
    if name in worlds[0].imap:
        ranges = [world.strongest(layer) for world in worlds for layer in layers]
    elif what in ("share", "owner"):
        return (0.0, 1.0)
    else:
        ranges = [
            world.strongest(team)
            for world in worlds
            for team in (world.recipe.teams.names if world.recipe.teams else ())
        ]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    if not low < high:
        return (0.0, 1.0)
    return (-high, high) if what == "influence" and name not in worlds[0].imap else (low, high)
