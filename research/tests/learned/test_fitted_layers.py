"""The studies of learned layers: what is predicted comes later than what is known of it."""

import numpy as np

import fieldcraft as fc
from research.learned.fitted_layers import TURNS, recorded_people
from research.ppo.ppo import ENTROPY, Policy
from research.trails.pedestrian_walks import Walks


def walks() -> Walks:
    """Twelve people that walk to the right, each a little to one side."""
    grid, rng = fc.Grid(60, 30, cell_size=0.2), np.random.default_rng(3)
    who, step = np.divmod(np.arange(12 * 20), 20)
    ways = np.column_stack([np.full(240, 0.5), rng.normal(0, 0.1, 240)])
    at = np.column_stack([0.5 + 0.5 * step, 1 + 0.3 * who])
    when = 0.4 * step + who
    order = np.argsort(when, kind="stable")
    return Walks(grid, when[order], grid.cell_at(at)[order], ways[order], who[order], ways[order])


def test_the_weights_of_turns_are_those_of_habit():
    found, habit = recorded_people(walks(), 0, np.inf)
    assert habit.argmax() == len(TURNS) // 2
    np.testing.assert_allclose(found.options.sum(axis=1), 1)
    assert ((found.options > 0) | (found.happened == 0)).all()
    again, _ = recorded_people(walks(), 0, np.inf, np.ones(5))
    np.testing.assert_allclose(again.options[again.options > 0].min(), 0.2)


def test_the_slope_of_the_loss_is_that_of_central_differences():
    rng = np.random.default_rng(5)
    policy = Policy(6, rng)
    seen, ways = rng.normal(size=(40, 6)), rng.integers(0, 9, 40)
    before = policy.forward(seen)[1][np.arange(40), ways] + rng.normal(0, 0.05, 40)
    gains, returns = rng.normal(size=40), rng.normal(size=40)

    def loss() -> float:
        _, logs, worths = policy.forward(seen)
        gain = (gains - gains.mean()) / (gains.std() + 1e-8)
        ratio = np.exp(logs[np.arange(40), ways] - before)
        surrogate = np.minimum(ratio * gain, np.clip(ratio, 0.8, 1.2) * gain)
        entropy = -(np.exp(logs) * logs).sum(axis=1)
        return float((-surrogate + 0.5 * (worths - returns) ** 2 - ENTROPY * entropy).mean())

    slopes = []
    policy._adam = slopes.extend
    policy.improve(seen, ways, before, gains, returns)
    for part, slope in zip(policy.parts, slopes, strict=True):
        place, step = tuple(rng.integers(0, side) for side in part.shape), 1e-6
        values = []
        for moved in (step, -2 * step):
            part[place] += moved
            values.append(loss())
        part[place] += step
        assert abs((values[0] - values[1]) / (2 * step) - slope[place]) < 1e-6
