"""Motions as hypotheses with weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit.motion.goals import DoubleBack, Hide, Run
from fieldcraft.pursuit.motion.mover import Mover, Stage, Stand, Wander
from fieldcraft.pursuit.pursuit_checks import checked_range


def _paces(name: str, value: ArrayLike) -> tuple[float, ...]:
    """Return speeds as shares of the full speed, at least one, or raise `InvalidValue`."""
    paces = checks.numbers(name, value, checks.array(name, value).size)
    if not len(paces) or (paces <= 0).any() or (paces > 1).any():
        raise InvalidValue(
            f"{name} are above 0 and at most 1", got=str(value)[:60], remedy="Pass (0.5, 1.0), say"
        )
    return tuple(paces.tolist())


@dataclass(frozen=True)
class Motion:
    """Motion of a target out of sight: the weights of five hypotheses, of any sum.

    `fc.Belief(space, speed, motion=...)` and `fc.SearchParty` take it.

    Parameters
    ----------
    runs : float, optional
        It runs on in its direction to a far place, and from there to the next.
    hides : float, optional
        It goes to a nearby place that is seen from few cells, and stays.
    doubles_back : float, optional
        It runs on for some seconds, see `turn`, and then to places behind its pursuers.
    stands : float, optional
        It stays where it is.
    wanders : float, optional
        It goes to any place, near or far, and on.
    turn : tuple of float, optional
        Shortest and longest time in seconds until a target doubles back.
    near : tuple of float, optional
        Shortest and longest path to a hiding place, typical steps.
    far : float, optional
        Shortest path to a far place, typical steps.
    heading : float, optional
        How strongly a target keeps its direction: a path across is exp(heading) times less likely
        than one straight on. Beliefs use it; search parties have their own constant.
    paces : tuple of float, optional
        Equally likely speeds as shares of the full speed, in (0, 1]. A belief computes each
        hypothesis for each of them.
    speed : float, optional
        The full speed, world units per second, if it is known.
    changes : float, optional
        Rate per second at which targets change their hypothesis, at least 0: after `t` seconds the
        share exp(-changes * t) has not. The next one is drawn by the weights, and starts where the
        target is; after the longest `turn`, doubling back starts with the path back. For beliefs.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> motion = fc.Motion(runs=0.8, hides=0, doubles_back=0, stands=0.2, wanders=0)
    >>> belief = fc.Belief(fc.Grid(9, 9), speed=2.0, motion=motion)
    >>> belief.hypotheses()
    {'runs': 0.8, 'stands': 0.2}
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
        weights = ("runs", "hides", "doubles_back", "stands", "wanders")
        numbers = (*weights, "far", "heading", "changes")
        checks.fields(self, **dict.fromkeys(numbers, checks.not_negative))
        checks.fields(self, turn=checked_range, near=checked_range)
        checks.fields(self, speed=checks.optional(checks.positive), paces=_paces)
        if not sum(self.shares) > 0:
            raise InvalidValue(
                "The weights of a motion have a sum above 0",
                got="0 for all",
                remedy="Pass runs=1, say",
            )

    @property
    def shares(self) -> tuple[float, float, float, float, float]:
        """The weights in the order of the parameters, of any sum."""
        return self.runs, self.hides, self.doubles_back, self.stands, self.wanders

    @property
    def movers(self) -> dict[str, list[tuple[float, Mover]]]:
        """The hypotheses of a belief by name, each with the weight and the motion of each pace."""
        share = 1.0 / len(self.paces)
        paces = self.paces
        heading = self.heading
        far = self.far
        found: dict[str, tuple[float, list[Mover]]] = {
            "runs": (self.runs, [Run(pace=pace, heading=heading, far=far) for pace in paces]),
            "hides": (self.hides, [Hide(pace=pace, near=self.near) for pace in paces]),
            "doubles back": (
                self.doubles_back,
                [DoubleBack(pace=pace, heading=heading, far=far, turn=self.turn) for pace in paces],
            ),
            "wanders": (self.wanders, [Wander(pace=pace) for pace in paces]),
        }
        moving = {
            name: [(weight * share, mover) for mover in movers]
            for name, (weight, movers) in found.items()
        }
        return moving | {"stands": [(self.stands, Stand())]}


@dataclass(frozen=True)
class Hypotheses:
    """Hypotheses with `names` and `weights` (H,), which sum to 1.

    `stages` (S,) are the stages of all, and `owners` (S,) the hypothesis of each. A hypothesis has
    one or several sequences of stages: sequence k begins with stage `firsts[k]`, and has the share
    `splits[k]`. `changes` is the rate per second at which targets change their hypothesis.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    stages: Sequence[Stage]
    owners: Sequence[int]
    firsts: Sequence[int]
    splits: Sequence[float]
    changes: float = 0.0


def hypotheses_of(motion: Any, stay: float) -> Hypotheses:
    """Return the hypotheses of a motion argument of `Belief`; None wanders. Raises `InvalidValue`
    for anything else.
    """
    named = _named(motion, stay)
    total = sum(weight for sequences in named.values() for weight, _ in sequences)
    if not total > 0:
        raise InvalidValue(
            "The weights of motions have a sum above 0",
            got="0 for all",
            remedy="Pass 1 for one of them",
        )
    names = list[str]()
    weights = list[float]()
    stages = list[Stage]()
    owners = list[int]()
    firsts = list[int]()
    splits = list[float]()
    for name, sequences in named.items():
        own = sum(weight for weight, _ in sequences)
        if own == 0:
            continue
        for weight, mover in sequences:
            if weight > 0:
                firsts.append(len(stages))
                splits.append(weight / own)
                owners += [len(names)] * len(mover.stages)
                stages += mover.stages
        names.append(name)
        weights.append(own / total)
    changes = 0.0
    if isinstance(motion, Motion):
        changes = motion.changes
    return Hypotheses(tuple(names), tuple(weights), stages, owners, firsts, splits, changes)


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
        weight = 1.0
        mover = pair
        if isinstance(pair, tuple) and len(pair) == 2:
            weight, mover = pair
        if not isinstance(name, str) or not isinstance(mover, Mover):
            raise InvalidValue(
                "Several motions are a mapping of names to motions or to pairs (weight, motion)",
                got=f"{name!r}: {pair!r}"[:60],
                remedy=(
                    'Pass {"runs": (0.7, fc.pursuit.motion.Run()), "stands": (0.3,'
                    " fc.pursuit.motion.Stand())}, say"
                ),
            )
        found[name] = [(checks.not_negative("weight", weight), mover)]
    return found
