"""A map for questions."""

import numpy as np

import fieldcraft as fc

RNG = np.random.default_rng(8)
WALLS = RNG.random((18, 25)) < 0.2
WALLS[8:11, 10:14] = False
ME, ENEMIES = (11.5, 9.5), [(20.5, 4.5), (3.5, 14.5)]
WALLS[2, :3] = WALLS[:3, 2] = True  # a closed corner
WALLS[0, 0] = WALLS[9, 11] = WALLS[4, 20] = WALLS[14, 3] = False


def asked(space, generate, *, choose=None, **words):
    """The answer to a question without scores of its own."""
    given = {
        name: words.pop(name)
        for name in ("me", "enemies", "teams", "route", "rng", "look")
        if name in words
    }
    return fc.Question(generate, choose=choose, **words).ask(space, **{"me": ME, **given})


def cells_left(answer):
    found = answer.explain()
    return set(found.cells[found.left].tolist())


def away(space, cells, place):
    return np.sqrt(((space.position_of(np.asarray(cells)) - place) ** 2).sum(axis=-1))


WHOLE = {
    "generate": {"reach": 9},
    "require": [{"hidden_from": "enemies"}, {"value": "threat < 0.8"}],
    "score": [{"distance": "me", "curve": ["linear", 9, 0]}, {"value": "threat"}],
    "choose": {"count": 3, "spacing": 2},
}
