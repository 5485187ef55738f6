"""The answer to a question: the candidates, what removed them, and their scores."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.query.question.context import Context
from fieldcraft.query.question.measures import Measure
from fieldcraft.query.question.scoring import AT_ONCE, CHUNK, Budget
from fieldcraft.space import Space
from fieldcraft.space.chosen_cells import ChosenCells
from fieldcraft.space.space_ranges import squared_spacing

if TYPE_CHECKING:
    from fieldcraft.query.question.question import Question

_ROWS = 12  # A printed table has at most so many rows.


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of one question, N of them; prints as a table, the best first.

    Attributes
    ----------
    cells : ndarray of int64, (N,)
        Their cells.
    removed_by : list of str
        The requirement that removed each, "wall" for walls; "" for candidates that are left.
    parts : ndarray of float64, (N, S)
        The parts of their scores; NaN for removed candidates.
    terms : tuple of str
        The S scores as text.
    chosen : ndarray of int64
        The cells that were chosen, the best first.
    earlier : Candidates or None
        The candidates of the question before, if this one is its fallback.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> far = fc.Question({"ring": [0, 2]}, require=[{"distance": "me", "least": 1}])
    >>> found = far.ask(fc.Grid(6, 1), me=(0.5, 0.5)).explain()
    >>> found.cells, found.left
    (array([0, 1, 2]), array([False,  True,  True]))
    >>> found.removed_by
    ['distance "me", least 1', '', '']
    """

    name: str
    space: Space
    cells: Ints
    removed_by: list[str]
    parts: Floats
    terms: tuple[str, ...]
    chosen: Ints
    earlier: Candidates | None = None

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def positions(self) -> Floats:
        """The world positions of the candidates, (N, 2) or (N, 3)."""
        return self.space.position_of(self.cells)

    @property
    def scores(self) -> Floats:
        """The scores, the sums of the parts, (N,); NaN for candidates that were removed."""
        return np.asarray(self.parts.sum(axis=1) + np.where(self.left, 0.0, np.nan))

    @property
    def left(self) -> NDArray[np.bool_]:
        """Which candidates meet all requirements, (N,)."""
        return np.array([not reason for reason in self.removed_by], dtype=np.bool_)

    def __str__(self) -> str:
        lines = []
        if self.earlier is not None:
            lines.append(str(self.earlier))
        counts = Counter(self.removed_by)
        lines.append(f"{self.name}: {len(self)} candidates, {counts.pop('', 0)} left")
        lines += [f"  {count:>6}  removed by {reason}" for reason, count in counts.items()]
        scores = self.scores
        order = np.argsort(-scores, kind="stable")[: min(_ROWS, int(self.left.sum()))]
        for row in order.tolist():
            place = ", ".join(f"{x:g}" for x in self.space.position_of(int(self.cells[row])))
            parts = "  ".join(
                f"{part:+.3g} {term}"
                for part, term in zip(self.parts[row], self.terms, strict=True)
            )
            mark = "*" if self.cells[row] in self.chosen else " "
            lines.append(f" {mark}{scores[row]:>6.3g}  at ({place})  {parts}".rstrip())
        return "\n".join(lines)


class Answer(Suggesting):
    """The answer to a question, complete once it is `done`; made by `Question.ask` and `start`.

    Attributes
    ----------
    done : bool
        Whether it is complete.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> near = fc.Question({"ring": [0, 3]}, score=[{"distance": "me", "curve": ["linear", 3, 0]}])
    >>> answer = near.start(fc.Grid(6, 1), me=(2.5, 0.5))
    >>> while not answer.advance(candidates=4):
    ...     pass  # the rest of a frame
    >>> answer.position
    array([2.5, 0.5])
    """

    def __init__(
        self, question: Question, context: Context, rng: np.random.Generator | None
    ) -> None:
        self.question = question
        self.done = False
        self._context = context
        self._rng = rng
        self._budget = question.budget
        self._most = CHUNK
        self._earlier: Candidates | None = None
        self._begin(question)
        self._work = self._slices()

    def _begin(self, question: Question) -> None:
        """Start with a question, the first one or one to fall back to."""
        self.question = question
        self._cells: Ints = np.zeros(0, dtype=np.int64)
        self._chosen: Ints = self._cells  # rows of candidates, the best first
        # By row the requirement that removed a candidate, their number for walls, -1 for none.
        self._removed = np.zeros(0, dtype=np.int64)
        self._parts = np.zeros((0, len(question.score)))

    def __repr__(self) -> str:
        if self.done:
            state = f"{len(self._chosen)} chosen"
        else:
            state = "under way"
        return f"<Answer to {self.question.name!r}: {len(self._cells)} candidates, {state}>"

    def __bool__(self) -> bool:
        return self.found

    # The work

    def advance(self, *, candidates: int | None = None, microseconds: float | None = None) -> bool:
        """Compute one slice, and return whether the answer is complete.

        Without arguments the slice has the budget of the question; without one it is all the work.

        Parameters
        ----------
        candidates : int, optional
            The number of candidates of this slice, counted once for each requirement or score.
        microseconds : float, optional
            The time of this slice. A piece of work is a measure of 128 candidates, 256 cells of
            `reach`, or the generation of all candidates of another kind. A slice does at least one
            piece, and stops if the longest piece so far would take more than the time left.
        """
        budget = self._budget
        if candidates is not None or microseconds is not None:
            budget = Budget(candidates, microseconds)
        if budget is None:
            self.finish()
            return True
        if budget.candidates is not None:
            left = budget.candidates
            while left > 0 and not self.done:
                self._most = min(CHUNK, left)
                left -= self._next()
        elif budget.microseconds is not None:
            self._most = CHUNK
            longest = 0.0
            begun = time.perf_counter()
            now = begun
            while not self.done and now - begun + longest <= budget.microseconds * 1e-6:
                self._next()
                before = now
                now = time.perf_counter()
                longest = max(longest, now - before)
        return self.done

    def finish(self) -> None:
        """Compute the complete answer."""
        self._most = AT_ONCE
        while not self.done:
            self._next()

    def _next(self) -> int:
        """Do one piece of work; return its number of candidates."""
        done = next(self._work, None)
        self.done = self.done or done is None
        return done or 0

    def _slices(self) -> Iterator[int]:
        """Compute the answer; yield the number of candidates of each piece of work."""
        while True:
            yield from self._evaluate(self.question)
            if len(self._chosen) or self.question.fall_back is None:
                return
            self._earlier = self.explain()
            self._begin(self.question.fall_back)

    def _evaluate(self, question: Question) -> Iterator[int]:
        context = self._context
        parts = []
        for part in question.generate.cells(context):
            parts.append(part)
            yield len(part)
        cells = _once(np.concatenate(parts))
        self._cells = cells
        walls = context.space.walls.reshape(-1)[cells]
        self._removed = np.where(walls, len(question.require), -1)
        self._parts = np.full((len(cells), len(question.score)), np.nan)
        yield 0
        for index, requirement in enumerate(question.require):
            for some in self._pieces(requirement.measure):
                is_met = requirement.is_met(context, cells[some])
                self._removed[some[~is_met]] = index
                yield max(len(some), 1)
        for index, score in enumerate(question.score):
            for some in self._pieces(score.measure):
                self._parts[some, index] = score.values(context, cells[some])
                yield max(len(some), 1)
        left = np.flatnonzero(self._removed < 0)
        self._chosen = left[self._choose(cells[left], self._parts[left].sum(axis=1))]

    def _pieces(self, measure: Measure) -> Iterator[Ints]:
        """Yield rows of the candidates that are left, limited by the slice; first none while the
        measure is prepared, which takes more time in all than one call without a budget.
        """
        left = np.flatnonzero(self._removed < 0)
        if self._most <= CHUNK:
            for _ in measure.prepare(self._context, self._cells[left]):
                yield left[:0]
        at = 0
        while at < len(left):
            some = left[at : at + self._most]
            yield some
            at += len(some)

    def _choose(self, cells: Ints, scores: Floats) -> Ints:
        """Return the rows of the chosen candidates, best first."""
        choose = self.question.choose
        space = self._context.space
        order = np.argsort(-scores, kind="stable")
        if choose.random is not None:
            if self._rng is None:
                raise InvalidValue(
                    "A question that chooses at random needs a generator",
                    got=f"{self.question.name!r} without one",
                    remedy="Pass rng=np.random.default_rng(1), say",
                )
            best = order[: max(int(np.ceil(len(order) * choose.random / 100)), 1)]
            order = self._rng.permutation(best)
        if not choose.spacing:
            return order[: choose.count]
        found: list[int] = []
        places = space.position_of(cells[order]).reshape(-1, space.dimensions)
        free = np.ones(len(order), dtype=np.bool_)
        least = squared_spacing(space, choose.spacing)
        while free.any() and len(found) < choose.count:
            best_left = int(free.argmax())
            found.append(int(order[best_left]))
            away = space.shortest_vectors(places - places[best_left])
            free &= (away**2).sum(axis=1) >= least
        return np.array(found, dtype=np.int64)

    # The result

    @property
    def chosen(self) -> ChosenCells:
        """The chosen cells with their positions and scores, the best first; none if nothing was
        found.
        """
        if not self.done:
            raise InvalidValue(
                "An answer is read once it is complete",
                got="one that is under way",
                remedy="Call advance() until done, or finish()",
            )
        cells = self._cells[self._chosen]
        values = self._parts[self._chosen].sum(axis=1).astype(np.float32)
        space = self._context.space
        positions = space.position_of(cells).reshape(-1, space.dimensions)
        found = np.ones(len(cells), dtype=np.bool_)
        return ChosenCells(positions, values, cells, found, cells, ranked=True)

    @property
    def found(self) -> bool:
        """Whether at least one cell was chosen."""
        return len(self.chosen.cells) > 0

    @property
    def position(self) -> Floats:
        """The world position of the best chosen cell, (2,) or (3,); NaN if nothing was found."""
        positions = self.chosen.positions
        if not len(positions):
            return np.full(self._context.space.dimensions, np.nan)
        return np.asarray(positions[0])

    @property
    def positions(self) -> Floats:
        """The world positions of all chosen cells, (K, 2) or (K, 3), the best first."""
        return self.chosen.positions

    def explain(self) -> Candidates:
        """Return each candidate, the requirement that removed it, and each part of its score.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> near = fc.Question({"ring": [0, 3]}, require=[{"distance": "foe", "least": 3}],
        ...                    score=[{"distance": "me", "curve": ["linear", 3, 0]}], name="near")
        >>> print(near.ask(fc.Grid(6, 1), me=(2.5, 0.5), foe=(4.5, 0.5)).explain())
        near: 6 candidates, 2 left
               4  removed by distance "foe", least 3
         * 0.667  at (1.5, 0.5)  +0.667 distance "me"
           0.333  at (0.5, 0.5)  +0.333 distance "me"
        """
        question = self.question
        reasons = [_text(each.measure, each.least, each.most) for each in question.require]
        reasons += ["wall", ""]
        return Candidates(
            question.name,
            self._context.space,
            self._cells,
            [reasons[index] for index in self._removed.tolist()],
            self._parts,
            tuple(_text(each.measure) for each in question.score),
            self._cells[self._chosen],
            self._earlier,
        )


def _once(cells: Ints) -> Ints:
    """Return cells in their order, each where it comes first."""
    ascending = np.sort(cells)
    if not (ascending[1:] == ascending[:-1]).any():
        return cells
    _, first = np.unique(cells, return_index=True)
    return cells[np.sort(first)]


def _text(measure: Any, least: float | None = None, most: float | None = None) -> str:
    """Return a measure with its bounds as text, such as 'distance "foe", least 3'."""
    word, *_ = fields(measure)
    value = getattr(measure, word.name)
    if isinstance(value, str):
        shown = f'"{value}"'
    else:
        shown = getattr(value, "name", None) or f"{value}"
    text = f"{word.name} {shown:.40}"
    if least is not None:
        text += f", least {least:g}"
    if most is not None:
        text += f", most {most:g}"
    return text
