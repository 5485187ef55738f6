"""Docs: fort_1_map.md to fort_5_pursuit.md. One small game as a class."""

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc

LEVEL = """
####################
#........#.........#
#..####..#..####...#
...#........#......#
...#.....#..#.......
#..####..#..####...#
#........#.........#
####################
"""


class Fort:
    """The map, its layers and who walks on it."""

    def __init__(self) -> None:
        walls = np.array([list(row) for row in LEVEL.split()]) == "#"
        self.grid = fc.Grid(walls=walls, neighbors=8)
        self.imap = fc.InfluenceMap(self.grid)
        self.threat = self.imap.add_layer("threat", fc.Spread(decay=0.25), every=1 / 30)
        radial = fc.Radial(7, metric="path")
        self.teams = self.imap.add_teams(["guards", "raiders"], radial, every=1 / 10)
        self.flag = (12.5, 1.5)
        self.to_flag = fc.distance_map(self.grid, self.flag)
        self.flow = fc.flow_field(self.to_flag)
        self.raiders = np.array([(0.5, 3.5), (0.5, 4.5)])
        self.guards = np.array([(15.5, 3.5), (17.5, 1.5), (10.5, 6.5)])

    def update(self, dt: float) -> None:
        steps = 3.0 * dt * self.flow.sample(self.raiders)
        self.raiders = fc.steering.move(self.grid, self.raiders, steps, radius=0.3)
        count = len(self.raiders)
        self.threat.sync(range(count), self.raiders, np.full(count, 8.0))
        self.teams["guards"].sync(range(3), self.guards, np.full(3, 3.0))
        self.teams["raiders"].sync(range(count), self.raiders, np.full(count, 2.0))
        self.imap.advance(dt)

    def retreat(self, unit: NDArray[np.float64]) -> fc.Path:
        safest = fc.best(-self.threat, unit, radius=8, walk=8)
        return fc.shortest_path(self.grid, unit, safest.position, cost=1 + 2 * self.threat)

    def picture(self) -> NDArray[np.uint8]:
        place = fc.view.Placement(self.grid, scale=20)
        drawn = fc.view.frame_teams(self.teams, scale=20, sources=False)
        fronts = [line.points for line in self.teams.front_lines()]
        fc.view.draw_lines(drawn, place, fronts, color="#f4f5f7", width=2)
        fc.view.draw_dots(drawn, place, self.guards, color="#4aa8ff", width=18)
        return drawn


fort = Fort()
for _ in range(30):
    fort.update(1 / 60)
print(fort.to_flag.sample(fort.raiders).round(1).tolist(), fort.retreat(fort.guards[0]).length)
owner = fort.teams.owner()
fight = fc.best(fort.teams.contested(), fort.flag, radius=60)
print(int(np.count_nonzero(owner == 0)), fight.position)
fc.view.save_png("fort.png", fort.picture())
thief = np.array([2.5, 1.5])
belief = fc.Belief(fort.grid, speed=3.0)
belief.see(thief)
belief.advance(1.0)
possible = belief.observe(fc.visible(fort.grid, fort.guards[0], 8.0))
print(possible, belief.estimate().tolist(), fort.grid.open_near((9.5, 2.5)).tolist())
