"""Gamepads: what their sticks and buttons mean, whichever library reads them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["PadSettings", "Pads"]

_LEAST = 0.1  # a stick points only along one axis while it is off by no more than this share
_WAYS = {"x": ("left", "right"), "y": ("up", "down")}


@dataclass(frozen=True)
class PadSettings:
    """How gamepads are read.

    `dead_zone` is how far, of 1, a stick or trigger may be off its middle and still count as let
    go; what is left is spread over 0 to 1 again. Raises `InvalidValue` outside of 0 to 0.9.
    """

    dead_zone: float = 0.2

    def __post_init__(self) -> None:
        if not 0 <= checks.finite("dead_zone", self.dead_zone) <= 0.9:
            raise InvalidValue(
                "A dead zone is 0 to 0.9",
                got=f"dead_zone={self.dead_zone:g}",
                remedy="Pass 0.2, say",
            )


@dataclass
class _Pad:
    slot: int
    name: str
    sticks: dict[str, dict[str, float]] = field(
        default_factory=lambda: {side: {"x": 0.0, "y": 0.0} for side in ("left", "right")}
    )


class Pads:
    """The gamepads that are plugged in, numbered from 1; one that is plugged in again gets the
    lowest number that is free.

    Parameters
    ----------
    turn : Callable[[str, float], object]
        Is told an input, such as "pad 1 left stick up", and how far it is, 0 to 1.
    let_go : Callable[[str], object]
        Is told the beginning of the names of inputs that are no longer held.
    say : Callable[[str], object]
        Is told what the player should know.
    settings : PadSettings
        The dead zone.
    """

    def __init__(
        self,
        turn: Callable[[str, float], object],
        let_go: Callable[[str], object],
        say: Callable[[str], object],
        settings: PadSettings,
    ) -> None:
        self._turn, self._let_go, self._say = turn, let_go, say
        self._dead = settings.dead_zone
        self._pads: dict[int, _Pad] = {}

    @property
    def count(self) -> int:
        """How many are plugged in."""
        return len(self._pads)

    def plug(self, key: int, name: str) -> None:
        """A gamepad is there, known by a number of its own; telling twice changes nothing."""
        if key in self._pads:
            return
        taken = {pad.slot for pad in self._pads.values()}
        slot = next(number for number in range(1, len(taken) + 2) if number not in taken)
        self._pads[key] = _Pad(slot, name)
        self._say(f"gamepad {slot}: {name}")

    def unplug(self, key: int) -> None:
        """A gamepad is gone: what it held is let go."""
        pad = self._pads.pop(key, None)
        if pad is not None:
            self._let_go(f"pad {pad.slot} ")
            self._say(f"gamepad {pad.slot} was pulled out")

    def button(self, key: int, name: str, is_down: bool) -> None:
        """A button of a gamepad, such as "a" or "left shoulder", goes down or up."""
        if key in self._pads:
            self._turn(f"pad {self._pads[key].slot} {name}", 1.0 if is_down else 0.0)

    def trigger(self, key: int, side: str, amount: float) -> None:
        """A trigger, "left" or "right", is pulled so far, 0 to 1."""
        if key in self._pads:
            self._turn(f"pad {self._pads[key].slot} {side} trigger", self._beyond(amount))

    def stick(self, key: int, side: str, axis: str, amount: float) -> None:
        """One axis, "x" or "y", of a stick, "left" or "right", is so far off its middle: -1 to 1,
        right and down being more than 0.
        """
        pad = self._pads.get(key)
        if pad is None:
            return
        axes = pad.sticks[side]
        axes[axis] = amount
        far = math.hypot(axes["x"], axes["y"])
        reach = self._beyond(far)
        for which, (less, more) in _WAYS.items():
            share = axes[which] / far if far else 0.0
            along = 0.0 if abs(share) <= _LEAST else share * reach
            self._turn(f"pad {pad.slot} {side} stick {less}", max(-along, 0.0))
            self._turn(f"pad {pad.slot} {side} stick {more}", max(along, 0.0))

    def _beyond(self, amount: float) -> float:
        return max(0.0, (min(amount, 1.0) - self._dead) / (1.0 - self._dead))
