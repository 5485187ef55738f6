"""Operations on the space, and on the whole influence map."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.space import Space
from support.any_order.drawing import SECONDS, Scene, operation, peek


@operation(Space, "set_walls", weight=3.0)
def set_walls(scene: Scene, name: str) -> str:
    cells = scene.cells()
    if scene.chance(0.6):
        cells = scene.dice.choice(
            len(scene.space), min(len(cells), len(scene.space)), False
        ).tolist()
    return f"{name}.set_walls({cells}, {scene.chance(0.5)})"


@operation(Space, "set_walls", weight=1.5)
def open_the_dearest_closed_cell(scene: Scene, name: str) -> str | None:
    closed = np.flatnonzero(scene.space.walls)
    if not len(closed):
        return None
    cost = scene.get("cost")
    dearest = int(scene.one_of(closed))
    if isinstance(cost, np.ndarray):
        finite = np.where(np.isfinite(cost.reshape(-1)[closed]), cost.reshape(-1)[closed], -1.0)
        dearest = int(closed[np.argmax(finite)])
    return f"{name}.set_walls({dearest}, False)"


@operation(Space, "set_walls", weight=0.3)
def close_everything(scene: Scene, name: str) -> str:
    return f"{name}.set_walls(np.ones({scene.space.shape}, bool), {scene.chance(0.3)})"


@operation(Space, "set_opaque")
def set_opaque(scene: Scene, name: str) -> str:
    return f"{name}.set_opaque({scene.cells()}, {scene.one_of([True, False, None])})"


@operation(fc.Graph, "set_edges", weight=2.0)
def set_edges(scene: Scene, name: str) -> str | None:
    edges = scene.space.edges
    if not len(edges):
        return None
    some = edges[scene.dice.integers(0, len(edges), 2)].tolist()
    return f"{name}.set_edges({some}, {scene.chance(0.6)})"


@peek(Space, "walls", "opaque", "adjacency", "parts", "visible")
def look(scene: Scene, name: str) -> str:
    place = scene.place()
    words = [
        f"{name}.adjacency.ends",
        f"{name}.adjacency_from_walls.ends",
        f"{name}.parts()",
        f"fc.visible({name}, {place}, 3.0)",
        f"{name}.nearest_open({scene.cell()}, occupied={scene.cells()})",
        f"{name}.open_near({place}, occupied={scene.places()})",
        f"fc.shortest_path({name}, {place}, {scene.place()}, on_wall='nearest')",
        f"fc.shortest_path({name}, {place}, {scene.place()}, unreachable='nearest')",
        f"fc.reach({name}, {place}, 2.0, on_wall='nearest')",
        f"fc.query.damage_next_turn({name}, {[place]}, 2.0, moves=2.0, ranges=1.0,"
        " on_wall='nearest').total.values",
        f"fc.query.damage_next_turn({name}, {[place]}, 2.0, moves=1.0, ranges=2.0,"
        f" on_wall='nearest'{scene.over_heights('sight=True')}).total.values",
        f"fc.visible({name}, {place}, 3.0{scene.over_heights()})",
        f"fc.query.choke_points({name}, smallest=2.0).areas",
        f"fc.would_block({name}, {scene.cell()}, {place}, {scene.place()})",
    ]
    return str(scene.one_of(words))


@operation(fc.InfluenceMap, "advance", weight=6.0)
def advance(scene: Scene, name: str) -> str:
    return f"{name}.advance({scene.one_of(SECONDS)}, max_steps={scene.one_of([3, 8, 20])})"


@operation(fc.InfluenceMap, "step", weight=4.0)
def step(scene: Scene, name: str) -> str:
    return f"{name}.step({int(scene.dice.integers(1, 4))})"


@operation(fc.InfluenceMap, "remove_layer", "add_layer", weight=0.2)
def remove_layer(scene: Scene, name: str) -> str | None:
    if scene.bound or len(scene.named(fc.Layer)) < 3 or scene.named(fc.Teams):
        return None
    gone = scene.one_of(list(scene.get(name)))
    held = set(scene.world.live.values()) | set(scene.world.new.values())
    if any(gone in code for code in held):
        return None
    return f"del {gone}; {name}.remove_layer({gone!r})"


@operation(fc.InfluenceMap, "state", "restore", weight=0.3)
def restore(scene: Scene, name: str) -> str:
    return f"{name}.restore({name}.state())"


@peek(fc.InfluenceMap, "time", "layers")
def describe(scene: Scene, name: str) -> str:
    return f"str({name}), {name}.time, {name}.copy()"
