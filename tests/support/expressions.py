"""Maps with random values, and their expressions one by one."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc

WIDTH, HEIGHT = 37, 23
f32 = np.float32


def a_map(seed=0, names=("ally", "enemy", "cover"), space=None, scale=5.0):
    space = fc.Grid(WIDTH, HEIGHT) if space is None else space
    imap = fc.InfluenceMap(space)
    rng = np.random.default_rng(seed)
    for name in names:
        imap.add_layer(name, values=rng.normal(0, scale, space.shape).astype(np.float32))
    return imap


def made(verb, operands):
    x = operands[0]
    numbers = {
        "clamp": (-2, 2.5),
        "linear": (-1, 3),
        "smoothstep": (-1, 3),
        "logistic": (-1, 3),
        "step": (0.5,),
        "points": (-3, 1, 0, 0, 4, 2),
    }
    from fieldcraft.values.functions import apply

    return (
        apply(verb, *operands, *numbers[verb]) if verb in numbers else apply(verb, x, *operands[1:])
    )


def walled(**options):
    rng = np.random.default_rng(8)
    walls = rng.random((HEIGHT, WIDTH)) < 0.25
    return a_map(space=fc.Grid(WIDTH, HEIGHT, walls=walls, **options)), walls
