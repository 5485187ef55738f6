"""Motions as hypotheses: how likely each of several ways of moving is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit.arguments import checked_range
from fieldcraft.pursuit.motion.mover import Mover, Stage, Stand, Wander
from fieldcraft.pursuit.motion.ready import DoubleBack, Hide, Run

__all__ = ["Hypotheses", "Motion", "hypotheses_of"]


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
        numbers = "runs", "hides", "doubles_back", "stands", "wanders", "far", "heading", "changes"
        checks.fields(self, **dict.fromkeys(numbers, checks.not_negative))
        checks.fields(self, turn=checked_range, near=checked_range)
        checks.fields(self, speed=checks.optional(checks.positive))
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
        given = checks.array("paces", self.paces)
        paces = checks.numbers("paces", given, given.size)
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


@dataclass(frozen=True)
class Hypotheses:
    """Hypotheses side by side.

    `names` and `weights` (H,) are theirs, the weights add up to 1; `stages` (S,) are all their
    parts, and `owners` (S,) whose each is. A
    hypothesis has one or several strands of parts that follow one another: strand k begins with
    `firsts[k]`, and has the share `splits[k]`. `changes` is the chance per second that the target
    goes over from one to another.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    stages: tuple[Stage, ...]
    owners: tuple[int, ...]
    firsts: tuple[int, ...]
    splits: tuple[float, ...]
    changes: float = 0.0


def hypotheses_of(motion: Any, stay: float) -> Hypotheses:
    """The hypotheses about how the targets of a belief move; None for such that wander. Raises
    `InvalidValue` for anything else.
    """
    named = _named(motion, stay)
    total = sum(weight for strands in named.values() for weight, _ in strands)
    if not total > 0:
        raise InvalidValue(
            "A target moves in some way",
            got="weights of 0 for all",
            remedy="Pass 1 for one of them",
        )
    names, weights, stages, owners, firsts, splits = (
        list[str](),
        list[float](),
        list[Stage](),
        list[int](),
        list[int](),
        list[float](),
    )
    for name, strands in named.items():
        own = sum(weight for weight, _ in strands)
        if own == 0:
            continue
        for weight, mover in strands:
            if weight > 0:
                firsts.append(len(stages))
                splits.append(weight / own)
                owners += [len(names)] * len(mover.stages)
                stages += mover.stages
        names.append(name)
        weights.append(own / total)
    changes = motion.changes if isinstance(motion, Motion) else 0.0
    return Hypotheses(
        tuple(names),
        tuple(weights),
        tuple(stages),
        tuple(owners),
        tuple(firsts),
        tuple(splits),
        changes,
    )


def _named(motion: Any, stay: float) -> Mapping[str, Sequence[tuple[float, Mover]]]:
    if motion is None:
        return {"wanders": [(1.0, Wander(stay))]}
    if isinstance(motion, Motion):
        return motion.movers
    if isinstance(motion, Mover):
        return {type(motion).__name__.lower(): [(1.0, motion)]}
    if not isinstance(motion, Mapping):
        raise InvalidValue(
            "motion is an fc.Motion, a motion of fc.pursuit.motion, or several by name",
            got=repr(motion)[:60],
            remedy=(
                'Pass fc.Motion(), fc.pursuit.motion.Run() or {"runs": (0.7,'
                ' fc.pursuit.motion.Run()), "stands": (0.3, fc.pursuit.motion.Stand())}, say'
            ),
        )
    found: dict[str, list[tuple[float, Mover]]] = {}
    for name, pair in motion.items():
        weight, mover = pair if isinstance(pair, tuple) and len(pair) == 2 else (1.0, pair)
        if not isinstance(name, str) or not isinstance(mover, Mover):
            raise InvalidValue(
                "Several motions are a name, and a motion or a pair of weight and motion, for each",
                got=f"{name!r}: {pair!r}"[:60],
                remedy=(
                    'Pass {"runs": (0.7, fc.pursuit.motion.Run()), "stands": (0.3,'
                    " fc.pursuit.motion.Stand())}, say"
                ),
            )
        found[name] = [(checks.not_negative("weight", weight), mover)]
    return found
