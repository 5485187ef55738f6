"""Hypotheses about how somebody moves: each has a weight and its parts, for which a belief carries
a mass each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit.motion.mixture import Motion
from fieldcraft.pursuit.motion.mover import Mover, Stage, Wander

__all__ = ["Hypotheses", "hypotheses_of"]


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
