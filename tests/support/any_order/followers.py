"""Objects that follow the space and the layers, and the operations on them.

Each function of `FOLLOWERS` adds one kind of object to a script.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import fieldcraft as fc
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.values.eased import Eased
from support.any_order.drawing import COSTS, SECONDS, Scene, operation, peek

FOLLOWERS: dict[str, Callable[[Scene], None]] = {}
"""Functions that add an object to a script, by name."""


def follower(add: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Decorate a function that adds an object which follows others."""
    FOLLOWERS[add.__name__] = add
    return add


# Distance maps


def _add_distances(scene: Scene, name: str) -> None:
    """Add a distance map, with what it is made of: goals, cost and traffic."""
    goals = scene.one_of([1, 2, 3])
    scene.add(f"goals = {[scene.place() for _ in range(goals)]}")
    kind = scene.one_of(["none", "number", "array", "array", "array", "layer"])
    layers = [each for each in scene.named(fc.Layer) if scene.get(each).space is scene.space]
    if kind == "layer" and layers:
        chosen = scene.one_of(layers)
        costs = [f"1 + fc.maximum({chosen}, 0)", f"fc.where({chosen} > 0.4, np.inf, 1.5)"]
        scene.add(f"cost = {scene.one_of(costs)}")
        scene.bound = True
    elif kind == "array":
        scene.add(f"cost = {scene.array(COSTS)}")
    else:
        scene.add(f"cost = {None if kind == 'none' else 2.0}")
    more = f", charge={scene.one_of(['mean', 'mean', 'enter'])!r}"
    if isinstance(scene.space, (fc.Grid, fc.HexGrid)) and scene.chance(0.2):
        more += f", size={scene.one_of([1, 2, 3])}"
    if scene.chance(0.2):
        more += ", limit=4.0"
    if scene.chance(0.2):
        more += ", outward=True"
    trails = [
        each
        for each in layers
        if isinstance(scene.get(each).propagation, fc.Trail) and scene.get(each).propagation.vector
    ]
    if trails and scene.chance(0.7):
        more += f", traffic={scene.one_of(trails)}, weight=2.0"
        scene.bound = True
    made = f"fc.distance_map(space, goals, cost=cost{more})"
    scene.add(f"{name} = {made}")
    if name in scene.world.names:
        scene.add(f"new {name}: {made}")


@follower
def distances(scene: Scene) -> None:
    """Add a distance map."""
    _add_distances(scene, "distances")


@follower
def flow(scene: Scene) -> None:
    """Add a flow field."""
    if scene.get("distances") is None:
        _add_distances(scene, "distances")
    if scene.get("distances") is None:
        return
    scene.add("flow = fc.flow_field(distances)")
    if scene.get("flow") is not None:
        made = scene.world.new["distances"]
        scene.add(f"new flow: fc.flow_field({made})")


@follower
def flight(scene: Scene) -> None:
    """Add a flee map."""
    if scene.get("distances") is None:
        _add_distances(scene, "distances")
    if scene.get("distances") is None:
        return
    strength = scene.one_of([0.5, 1.2, 2.0])
    scene.add(f"flight = fc.flee_map(distances, strength={strength})")
    if scene.get("flight") is not None:
        made = scene.world.new["distances"]
        scene.add(f"new flight: fc.flee_map({made}, strength={strength})")


@operation(DistanceMap, "repair", weight=4.0)
def repair(scene: Scene, name: str) -> str:
    return f"_ = {name}.repair()"  # a copy begins a new search, so that all may have changed


@operation(DistanceMap, "repair", weight=3.0)
def repair_with_new_costs(scene: Scene, name: str) -> str:
    cost = scene.get("cost")
    draw = scene.dice.random()
    if not isinstance(cost, np.ndarray) or draw < 0.15:
        wanted = scene.one_of([scene.array(COSTS), "1.0", "2.0"])
    else:
        wanted = _changed(scene, cost, draw)
    return f"wanted = {wanted}; _ = {name}.repair(cost=wanted); cost = wanted"


def _changed(scene: Scene, cost: np.ndarray, draw: float) -> str:
    """Return the code of a cost that differs in a few cells."""
    goals = scene.get("distances").goals
    if draw < 0.55:
        # Exchanged costs of two goals, or of two other cells, can leave all distances equal.
        pair = scene.dice.permutation(goals)[:2].tolist()
        if len(pair) < 2 or scene.chance(0.4):
            pair = [int(goals[0]), scene.cell()]
        return f"np.copy(cost); wanted.flat[{pair}] = cost.flat[{pair[::-1]}]"
    if draw < 0.65:
        return "np.ascontiguousarray(cost[..., ::-1])"
    cells = scene.cells()
    values = str([float(scene.one_of(COSTS)) for _ in cells]).replace("inf", "np.inf")
    return f"np.copy(cost); wanted.flat[{cells}] = {values}"


@peek(DistanceMap, "values", "sample", "descend", "step", "measured", "cut_off", "outdated")
def read_distances(scene: Scene, name: str) -> str:
    place = scene.place()
    words = [
        f"{name}.values",
        f"{name}.sample({place}, outside='clamp')",
        f"{name}.descend({place})",
        f"{name}.step({[place]})",
        f"{name}.step({[place]}, occupied={scene.cells()})",
        f"{name}.outdated",
        f"{name}.cut_off([{scene.cell()}])",
        f"({name} + 1).values",
        f"repr({name}), {name}.costs, {name}.version",
    ]
    return str(scene.one_of(words))


@peek(FlowField, "vectors", "sample", "version")
def read_flow(scene: Scene, name: str) -> str:
    return str(
        scene.one_of([f"{name}.vectors", f"{name}.sample({scene.place()})", f"{name}.version"])
    )


# Beliefs and searches


def _add_with_clock(scene: Scene, name: str, made: str) -> None:
    scene.add(f"{name} = {made}")


@follower
def belief(scene: Scene) -> None:
    """Add a belief."""
    motions = ["None", "fc.Motion()", "fc.pursuit.motion.Run()", "fc.pursuit.motion.DoubleBack()"]
    motion, targets = scene.one_of(motions), scene.one_of([1, 1, 2])
    # Without `every` a belief takes a typical step of the walls when it is made.
    made = f"fc.Belief(space, 1.0, targets={targets}, motion={motion}, every=0.5)"
    _add_with_clock(scene, "belief", made)


@operation(fc.Belief, "advance", "step", weight=4.0)
def advance_belief(scene: Scene, name: str) -> str:
    return f"{name}.advance({scene.one_of(SECONDS)})"


@operation(fc.Belief, "see", "observe", "report", weight=3.0)
def tell_belief(scene: Scene, name: str) -> str:
    place, target = scene.place(), int(scene.dice.integers(scene.get(name).targets))
    velocity = scene.one_of([None, [scene.amount() for _ in place]])
    words = [
        f"{name}.see({place}, target={target}, velocity={velocity})",
        f"{name}.observe({scene.cells()}, missed={scene.one_of([0.0, 0.3])})",
        f"{name}.report({place}, 1.5, target={target})",
        f"{name}.step({scene.one_of([1, 2])})",
    ]
    return str(scene.one_of(words))


@peek(fc.Belief, "probability", "estimate", "assign", "hypotheses", "state", "values")
def read_belief(scene: Scene, name: str) -> str:
    words = ["probability()", "estimate('mean')", "hypotheses()", "state()", "values", "version"]
    if scene.chance(0.2):
        return f"{name}.assign({scene.places()}, outside='clamp')"
    return f"{name}.{scene.one_of(words)}"


# Maps that follow with a delay


@follower
def eased(scene: Scene) -> None:
    """Add a map that follows a layer, or an expression of one, with a delay."""
    layers = scene.named(fc.Layer)
    if not layers:
        return
    chosen = scene.one_of(layers)
    target = scene.one_of([chosen, f"2 * {chosen} - 0.5"])
    scene.add(f"eased = fc.compose.Eased({target}, half_life=0.5)")
    scene.bound = True


@operation(Eased, "advance", weight=4.0)
def advance_eased(scene: Scene, name: str) -> str:
    return f"{name}.advance({scene.one_of(SECONDS)})"


@operation(Eased, "restore", weight=0.3)
def restore_eased(scene: Scene, name: str) -> str:
    return f"{name}.restore({name}.state())"


@peek(Eased, "values", "sample", "version", "state")
def read_eased(scene: Scene, name: str) -> str:
    words = ["values", "version", "state()", f"sample({scene.place()})"]
    if scene.chance(0.2):
        return f"({name} + 1).values"
    return f"{name}.{scene.one_of(words)}"


@follower
def seen(scene: Scene) -> None:
    """Add the seconds since cells were last seen."""
    unseen = scene.one_of([0.0, 2.0])
    most = scene.one_of([None, 3.0])
    _add_with_clock(scene, "seen", f"fc.LastSeen(space, unseen={unseen}, most={most})")


@operation(fc.LastSeen, "advance", "observe", weight=3.0)
def change_last_seen(scene: Scene, name: str) -> str:
    if scene.chance(0.5):
        return f"{name}.advance({scene.one_of(SECONDS)})"
    return f"{name}.observe({scene.cells()})"


@peek(fc.LastSeen, "values", "never", "knowledge", "assign", "state", "time")
def read_last_seen(scene: Scene, name: str) -> str:
    words = ["values", "never", "knowledge.values", "state()", "time"]
    return f"{name}.{scene.one_of(words)}"


@follower
def pursuit(scene: Scene) -> None:
    """Add a pursuit."""
    place = scene.place()
    velocity = [scene.amount() for _ in place]
    _add_with_clock(
        scene, "pursuit", f"fc.Pursuit(space, {place}, {velocity}, speed=1.0, every=0.5)"
    )


@operation(fc.Pursuit, "advance", "step", "observe", weight=4.0)
def change_pursuit(scene: Scene, name: str) -> str:
    words = [
        f"{name}.advance({scene.one_of(SECONDS)})",
        f"{name}.step({scene.one_of([1, 2])})",
        f"{name}.observe({scene.cells()})",
    ]
    return str(scene.one_of(words))


@peek(
    fc.Pursuit,
    "values",
    "hot",
    "barrier",
    "estimate",
    "assign",
    "state",
    "time",
    "steps",
    "stopped",
    "restarts",
)
def read_pursuit(scene: Scene, name: str) -> str:
    words = ["values", "hot", "barrier", "estimate()", "state()", "time", "steps", "version"]
    words += ["stopped", "restarts"]
    return f"{name}.{scene.one_of(words)}"


@follower
def party(scene: Scene) -> None:
    """Add a search party."""
    sight, every = scene.one_of([None, 2.0]), scene.one_of([0.5, 3.0])
    made = f"fc.SearchParty(space, 1.0, sight={sight}, every={every}, particles=40)"
    _add_with_clock(scene, "party", made)


@operation(fc.SearchParty, "lost", "found", "observe", "advance", "places", "prepare", weight=4.0)
def change_party(scene: Scene, name: str) -> str:
    place = scene.place()
    words = [
        f"{name}.lost({place}, {[scene.amount() for _ in place]})",
        f"{name}.advance({scene.one_of(SECONDS)})",
        f"{name}.observe({scene.cells()})",
        f"{name}.places({scene.places()}, np.random.default_rng({int(scene.dice.integers(99))}))",
        f"{name}.places({scene.places()}, np.random.default_rng({int(scene.dice.integers(99))}))",
        f"{name}.prepare()",
    ]
    if scene.chance(0.1):
        return f"{name}.found({place})"
    return str(scene.one_of(words))


@peek(fc.SearchParty, "values", "hypotheses", "estimate", "state", "searching")
def read_party(scene: Scene, name: str) -> str:
    return f"{name}.{scene.one_of(['values', 'hypotheses()', 'estimate()', 'state()'])}"


# Agents, questions, teams, live maps


@follower
def crowd(scene: Scene) -> None:
    """Add agents that never collide."""
    ahead = scene.one_of([0, 0, 4])
    made = f"fc.steering.PIBT(space, look_ahead={ahead}, on_unreachable='wait', seed=3)"
    _add_with_clock(scene, "crowd", made)


@operation(fc.steering.PIBT, "step", weight=5.0)
def step_crowd(scene: Scene, name: str) -> str:
    spots = scene.get("spots")
    if spots is None or scene.space.walls.reshape(-1)[spots].any() or scene.chance(0.1):
        opened = scene.open_cells()
        count = min(len(opened), int(scene.dice.integers(1, 5)))
        chosen = scene.dice.permutation(opened)[:count].tolist()
        return f"spots = np.array({chosen}, dtype=np.int64)"
    goals = [int(scene.cell()) if scene.chance(0.8) else -1 for _ in spots]
    more = f", occupied={scene.cells()}" if scene.chance(0.3) else ""
    return f"spots = {name}.step(spots, np.array({goals}, dtype=np.int64){more})"


@peek(fc.steering.PIBT)
def describe_crowd(scene: Scene, name: str) -> str:
    return f"repr({name})"


@follower
def room(scene: Scene) -> None:
    """Add the clearance."""
    scene.add("room = fc.question.Clearance(space)")
    if scene.get("room") is not None:
        scene.add("new room: fc.question.Clearance(space.with_walls(space.walls))")


@follower
def answers(scene: Scene) -> None:
    """Add a question, and the places that answer it."""
    layers = scene.named(fc.Layer)
    if not layers:
        return
    measures = [
        {"value": f"{scene.one_of(layers)} < 2"},
        {"distance": "foes", "least": 1.0},
        {"distance": "foes", "by": "path", "most": 6.0},
        {"hidden_from": "foes"},
        {"visible_from": "me"},
        {"reachable": "me"},
        {"fits": 2},
    ]
    if scene.space.sight_grid is not None:
        ground = f"{scene.one_of(layers)} / 4"
        measures.append({"visible_from": "foes", "range": 3.0, "heights": ground})
    chosen = [measures[number] for number in scene.dice.permutation(len(measures))[:2]]
    generate = scene.one_of([{"reach": 4}, {"ring": [0, 3]}, {"points": "spots"}, {"grid": 1.0}])
    score = [{"distance": "foes", "curve": ["linear", 0, 6]}]
    scene.add(f"question = fc.Question({generate}, require={chosen}, score={score})")


@operation(fc.Question, "ask", "start", weight=3.0)
def ask(scene: Scene, name: str) -> str:
    given = f"me={scene.place()}, foes={scene.places(2)}, spots={scene.places()}"
    return f"{name}.ask(imap, {given}).positions"


@follower
def sides(scene: Scene) -> None:
    """Add teams."""
    kind = scene.one_of(["fc.Radial(4.0, 'linear')", "fc.Spread(0.3, 0.7)"])
    more = scene.one_of(["", ", hostile={'red': ['blue']}"])
    scene.add(f"imap.add_teams(['red', 'blue'], {kind}{more})")
    scene.add("red = imap['red']")
    scene.add("blue = imap['blue']")
    if scene.get("blue") is not None:
        scene.add("live sides: imap.teams[0]")


@peek(fc.Teams)
def read_teams(scene: Scene, name: str) -> str:
    words = [
        f"{name}.owner()",
        f"{name}.regions()",
        f"{name}.contested().values",
        f"{name}.front_lines()",
        f"fc.explain({name}.tension(), {scene.place()}, outside='clamp')",
    ]
    return str(scene.one_of(words))


@follower
def views(scene: Scene) -> None:
    """Add maps that are computed from layers when they are read."""
    layers = scene.named(fc.Layer)
    if not layers:
        return
    one, other = scene.one_of(layers), scene.one_of(layers)
    scene.add(f"live sum: 2 * {one} - {other}.smooth()")
    scene.add(f"live soon: {one}.at({scene.one_of(SECONDS)})")
    if isinstance(scene.get(other), fc.layers.SourceLayer):
        scene.add(f"live others: {other}.without('k0')")
