"""After warming up, no step compiles anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.kernels import compiled
from fieldcraft.paths import FlowFields
from fieldcraft.steering.readiness import compile_all

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels import context, flow, moving, neighbors


def variants() -> dict[str, int]:
    """How many types of arguments each kernel has been compiled for."""
    return {
        f"{module.__name__}.{name}": len(kernel.signatures)
        for module in (context, flow, moving, neighbors)
        for name, kernel in vars(module).items()
        if hasattr(kernel, "signatures") and not name.startswith("_")
    }


def test_every_kernel_is_compiled_once() -> None:
    compile_all()
    before = variants()
    assert all(before[f"fieldcraft.kernels.{name}"] >= 1 for name in ("flow.sample", "moving.drive", "neighbors.closest", "context.choose"))

    class Layer:
        space: Any = fc.Grid(30, 20, walls=np.arange(600).reshape(20, 30) % 17 == 3, neighbors=8, cell_size=2.0, y_up=True, wrap=True)
        values = np.ones((20, 30), dtype=np.float32)

    space = Layer.space
    at = space.position_of(np.flatnonzero(~space.walls.reshape(-1))[:90])
    moving_ = np.ones_like(at)
    field = FlowFields(space).to(at[40])
    space.set_walls(space.cell_at(at[60]))
    steering.move(space, at, (1, 1))
    steering.move(space, at.astype(np.float32), moving_[::-1], radius=1)
    steering.avoid_walls(space, at, moving_, 3)
    near = steering.Neighbors(at, 5, space=space)
    near.nearest(groups=np.arange(90) % 2)
    near.nearest(at[:3], groups=np.arange(90) % 2, own=1)
    steering.cohesion(near, moving_, 1)
    steering.separation(at[::2], 3)
    steering.context(at, moving_, Layer(), Layer(), max_speed=1, reach=4)
    steering.context(at, moving_, np.ones((90, 16)), max_speed=1)
    steering.Crowd(space).step(at, moving_, field, 0.1, max_speed=1)
    steering.Crowd(space).step(at, moving_, moving_, 0.1, max_speed=1)
    assert variants() == before
