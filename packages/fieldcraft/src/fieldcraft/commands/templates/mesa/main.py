"""Ants on a Mesa grid that follow a scent, with a fieldcraft layer as a live property layer.

    python main.py                # runs 160 steps and writes main.png
    solara run app.py             # the same model in Mesa's browser page

An ant that found food lays scent on its way home; others climb the scent.
"""

import mesa
import numpy as np
from mesa.discrete_space import CellAgent, OrthogonalMooreGrid

import fieldcraft as fc
from fieldcraft.formats.adapters import mesa as with_mesa

WIDTH = 60
HEIGHT = 36
NEST = (12, 18)
FOOD = (44, 10)


class Ant(CellAgent):
    """Searches food by scent and chance, and carries it home."""

    def __init__(self, model: "Ants") -> None:
        super().__init__(model)
        self.cell = model.grid[NEST]
        self.has_food = False

    def step(self) -> None:
        around = list(self.cell.neighborhood)
        here = away(self.cell.coordinate, NEST)
        if self.has_food:
            goal = NEST
            nearer = [cell for cell in around if away(cell.coordinate, NEST) < here]
            self.cell = self.random.choice(nearer or around)
        else:
            goal = FOOD
            if self.random.random() < 0.3:
                self.cell = self.random.choice(around)
            else:  # the strongest scent of the cells farther from the nest
                ahead = [cell for cell in around if away(cell.coordinate, NEST) > here] or around
                most = max(cell.scent for cell in ahead)
                strong = [cell for cell in ahead if cell.scent >= 0.9 * most]
                self.cell = self.random.choice(strong)
        if away(self.cell.coordinate, goal) < 2:
            self.model.brought += self.has_food
            self.has_food = not self.has_food


def away(place: tuple[int, ...], goal: tuple[int, int]) -> float:
    return float(np.hypot(place[0] - goal[0], place[1] - goal[1]))


class Ants(mesa.Model):
    def __init__(self, count: int = 100, keep: float = 0.97, rng: int | None = 1) -> None:
        super().__init__(rng=rng)
        self.grid = OrthogonalMooreGrid((WIDTH, HEIGHT), random=self.random)
        self.imap = fc.InfluenceMap(with_mesa.space_of(self.grid))
        self.scent = self.imap.add_layer("scent", fc.Trail(keep=keep, blur=1))
        with_mesa.attach(self.grid, self.scent)  # cell.scent reads the live layer
        self.brought = 0
        Ant.create_agents(self, count)

    def step(self) -> None:
        self.agents.do("step")
        carriers = self.agents.select(lambda ant: ant.has_food)
        if len(carriers):
            self.scent.deposit(with_mesa.positions(carriers, self.grid))
        self.imap.step()


if __name__ == "__main__":
    model = Ants()
    for _ in range(160):
        model.step()
    picture = fc.view.picture(
        model.scent,
        title="Scent of ants that carry food",
        caption=f"After {model.steps} steps {model.brought} portions are in the nest (left).",
        size=900,
    )
    fc.view.save_png("main.png", picture)
    print(f"{model.brought} portions of food brought home; see main.png")
