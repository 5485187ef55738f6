"""The agent: plans once a cycle what its free units do."""

from __future__ import annotations

import numpy as np

from research.microrts.board import Board, Settings
from research.microrts.economy import Economy
from research.microrts.fight import step, strike
from research.microrts.game import Order, State, Unit
from research.microrts.maps import Maps, power

_STALLED = 0.9  # ratio of power for an attack after a long time in which nothing happened


class Agent:
    """Plays one match; `seed` decides between choices that are as good."""

    def __init__(self, settings: Settings, seed: int = 0) -> None:
        self.settings = settings
        self._rng = np.random.default_rng(seed)
        self._maps: Maps | None = None
        self._economy = Economy(settings)
        self._attacking = False
        self._counted = 0
        self._since = 0

    def orders(self, state: State) -> list[Order]:
        """Return orders for the free units; those that are better off waiting get none."""
        free = [u for u in state.own() if u.action is None]
        if not free:
            return []
        if self._maps is None:
            self._maps = Maps(state, self.settings)
            self._noise = self._rng.random(state.walls.shape) * 0.01
        maps = self._maps
        maps.update(state)
        board = Board(state, self._noise)
        own = sum(power(u) for u in state.own() if u.id not in self._economy.harvesters)
        if self._economy.short:
            own = sum(power(u) for u in state.own()) - 1
        theirs = sum(power(u) for u in state.enemies())
        if state.enemies("Base"):  # one worker harvests
            theirs -= 1
        ratio = self.settings.attack_ratio
        if self._attacking:
            ratio *= 0.8
        if len(state.units) != self._counted:
            self._counted = len(state.units)
            self._since = state.time
        if state.time - self._since > self.settings.patience:
            ratio = _STALLED
        self._attacking = own >= ratio * theirs
        self._economy.assign(board, maps, self._attacking)
        orders: list[Order | None] = []
        orders += self._produce(board, maps, free)
        busy = {o.unit for o in orders if o}
        movers = [u for u in free if u.kind.can_move and u.id not in busy]
        waiting = []
        for unit in movers:
            order = strike(board, unit)
            if order:
                orders.append(order)
            else:
                waiting.append(unit)
        orders += self._move(board, maps, waiting)
        return [o for o in orders if o]

    def _produce(self, board: Board, maps: Maps, free: list[Unit]) -> list[Order | None]:
        state = board.state
        settings = self.settings
        economy = self._economy
        orders: list[Order | None] = []
        workers = state.own("Worker")
        barracks = state.own("Barracks")
        building = any(u.product and u.product.name == "Barracks" for u in workers)
        saving = 0
        ready = not economy.short or economy.safe
        more = board.available >= settings.rich and all(u.action for u in barracks)
        wanted = bool(settings.army and state.own("Base") and not building)
        wanted = wanted and ready and (not barracks or more)
        cost = state.kinds["Barracks"].cost
        if economy.growing:
            least = settings.crowd * len(state.own("Base"))
        elif economy.short:
            least = settings.guards
        else:
            least = settings.harvesters
        bases = state.own("Base")
        if wanted and len(workers) >= least and board.available >= cost:
            orders.append(self._build(board, maps, "Barracks", bases[0].cell))
            if orders[-1] is not None:
                saving = cost
        elif wanted and economy.manned and not (economy.short or barracks) and len(bases) > 1:
            saving = cost  # several bases would spend it on workers as fast as it comes in
        if not state.own("Base") and board.available >= 10 and workers:
            orders.append(self._build(board, maps, "Base", workers[0].cell))
            saving += 10
        board.available -= saving
        products = {"Barracks": self._army(state)}
        if len(workers) < settings.most_workers:
            products["Base"] = "Worker"
        if not (economy.short or economy.manned):  # first those who pay for the others
            products = dict(reversed(products.items()))
        for kind, product in products.items():
            makers = [u for u in free if u.kind.name == kind]
            trained = [economy.train(board, maps, u, product) for u in makers]
            orders += trained
            if kind == "Barracks" and (economy.short or economy.manned):
                waiting = trained.count(None)
            else:
                waiting = 0
            if waiting and len(workers) > 1:  # the base trains no workers with what these need
                board.available -= waiting * state.kinds[product].cost
        return orders

    def _build(self, board: Board, maps: Maps, name: str, near: tuple[int, int]) -> Order | None:
        site = self._economy.site(board, maps, near)
        if site is None:
            return None
        workers = [u for u in board.state.own("Worker") if u.action is None]
        if not workers:
            return None
        builder = min(
            workers, key=lambda u: (abs(u.cell[0] - site[0]) + abs(u.cell[1] - site[1]), u.id)
        )
        return self._economy.build(board, maps, builder, name, site)

    def _army(self, state: State) -> str:
        """Return the kind to train: against heavy fighters the one that counters them."""
        kinds = [u.product or u.kind for u in state.enemies()]
        heavy, light = (sum(k.name == name for k in kinds) for name in ("Heavy", "Light"))
        if heavy > 0 and heavy >= light:
            return self.settings.counter
        return self.settings.army

    def _move(self, board: Board, maps: Maps, units: list[Unit]) -> list[Order | None]:
        state = board.state
        settings = self.settings
        orders = []
        fighters = []
        # Harvesters with a load first: others may hold the only cell by which they can leave.
        for unit in sorted(units, key=lambda u: u.carried == 0):
            if unit.id in self._economy.harvesters:
                orders.append(self._economy.harvest(board, unit))
            else:
                fighters.append(unit)
        if not fighters:
            return orders
        foes = state.enemies()
        attack = maps.distances(
            [u.cell for u in foes], [0 if u.kind.can_attack else 1 for u in foes], safe=True
        )
        if self._attacking:
            away = attack
        elif self._economy.raiders:
            away = maps.distances([u.cell for u in self._economy.raiders], safe=True)
        else:
            away = maps.distances(maps.beside([u.cell for u in state.own() if not u.kind.can_move]))
            away = np.abs(away - settings.rally) + 0.2 * maps.distances([u.cell for u in foes])
        near = maps.distances([u.cell for u in foes])
        fighters.sort(key=lambda u: (near[u.cell[1], u.cell[0]], u.id))
        own = maps.presence(False)
        theirs = maps.presence(True)
        engage = settings.engage
        if self._economy.growing:
            engage = settings.engage_growing
        for unit in fighters:
            at = unit.cell[1], unit.cell[0]
            strong = own[at] >= engage * theirs[at] > 0
            weak = own[at] < settings.retreat * theirs[at]
            if strong:
                goal = attack
            else:
                goal = away
            orders.append(step(board, maps, settings, unit, goal, near[at], weak))
        return orders
