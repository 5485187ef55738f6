"""How somebody moves who was lost from sight: how likely each of several ways is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit.arguments import checked_range
from fieldcraft.pursuit.motion.mover import Mover, Stand, Wander
from fieldcraft.pursuit.motion.ready import DoubleBack, Hide, Run

__all__ = ["Motion"]


@dataclass(frozen=True)
class Motion:
    """How a fugitive out of sight moves: how likely it is that it does each of five things. They
    are weighed against each other, and add up to 1 by themselves.

    `fc.Belief(space, speed, motion=...)` and `fc.SearchParty` take it.

    Parameters
    ----------
    runs : float, optional
        On the way that it ran, to a far place, and from there to the next.
    hides : float, optional
        Goes to a place near by that few others see, and stays.
    doubles_back : float, optional
        Runs on for some seconds (`turn`, the shortest and the longest), then to a place behind
        those who chase it, and on.
    stands : float, optional
        Stays where it is.
    wanders : float, optional
        Goes to any place, near or far, and on.
    near : tuple[float, float], optional
        Typical steps to a hiding place, the fewest and the most.
    far : float, optional
        Typical steps to a far place, at least.
    heading : float, optional
        How strongly it keeps the direction in which it ran: of two ways the one across it is so
        many times e less likely than the one ahead. For a belief; search parties have one of their
        own.
    paces : tuple[float, ...], optional
        How fast it moves beside the full speed, each as likely, in (0, 1]. For a belief, which
        carries a mass for each of them and each way of moving.
    speed : float, optional
        The full speed, world units a second, if it is known.
    changes : float, optional
        How often a second somebody turns to something else of these, at least 0: after `t` seconds,
        e to the minus of `changes * t` have not. What they turn to is as likely as it was at first,
        and begins where they are; whoever turns to doubling back after the longest `turn` is on the
        way back at once. For a belief.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    """

    runs: float = 0.33
    hides: float = 0.35
    doubles_back: float = 0.17
    stands: float = 0.05
    wanders: float = 0.1
    turn: tuple[float, float] = (1.0, 6.0)
    near: tuple[float, float] = (2.0, 16.0)
    far: float = 30.0
    heading: float = 4.0
    paces: tuple[float, ...] = (1.0,)
    speed: float | None = None
    changes: float = 0.0

    def __post_init__(self) -> None:
        for name in ("runs", "hides", "doubles_back", "stands", "wanders"):
            object.__setattr__(self, name, checks.not_negative(name, getattr(self, name)))
        if not sum(self.shares) > 0:
            raise InvalidValue(
                "A fugitive does something",
                got="0 for all that it may do",
                remedy="Pass runs=1, say",
            )
        for name in ("turn", "near"):
            object.__setattr__(self, name, checked_range(name, getattr(self, name)))
        for name in ("far", "heading", "changes"):
            object.__setattr__(self, name, checks.not_negative(name, getattr(self, name)))
        paces = checks.numbers("paces", self.paces, np.size(self.paces))
        if not len(paces) or (paces <= 0).any() or (paces > 1).any():
            raise InvalidValue(
                "paces are above 0 and at most 1",
                got=str(self.paces)[:60],
                remedy="Pass (0.5, 1.0), say",
            )
        object.__setattr__(self, "paces", tuple(paces.tolist()))
        if self.speed is not None:
            object.__setattr__(self, "speed", checks.positive("speed", self.speed))

    @property
    def shares(self) -> tuple[float, float, float, float, float]:
        """How likely each is, in the order of the parameters, not yet adding up to 1."""
        return self.runs, self.hides, self.doubles_back, self.stands, self.wanders

    @property
    def movers(self) -> dict[str, list[tuple[float, Mover]]]:
        """The hypotheses of a belief by name, each with a motion of `fc.pursuit.motion` for each
        pace, and how likely that is.
        """
        share, ways, heading, far = 1.0 / len(self.paces), self.paces, self.heading, self.far
        found: dict[str, tuple[float, list[Mover]]] = {
            "runs": (self.runs, [Run(pace=pace, heading=heading, far=far) for pace in ways]),
            "hides": (self.hides, [Hide(pace=pace, near=self.near) for pace in ways]),
            "doubles back": (
                self.doubles_back,
                [DoubleBack(pace=pace, heading=heading, far=far, turn=self.turn) for pace in ways],
            ),
            "wanders": (self.wanders, [Wander(pace=pace) for pace in ways]),
        }
        moving = {
            name: [(weight * share, mover) for mover in movers]
            for name, (weight, movers) in found.items()
        }
        return moving | {"stands": [(self.stands, Stand())]}
