"""Docs: control.md. Two teams, their front line, expressions and a legend."""

import fieldcraft as fc

world = fc.InfluenceMap(fc.generate_map("open", 60, 40, seed=2))
teams = world.add_teams(["red", "blue"], fc.Radial(12, falloff="linear", metric="path"))
teams["red"].add_sources([(12.5, 10.5), (16.5, 24.5)], [4, 3], on_wall="nearest")
blue = teams["blue"].add_sources([(44.5, 18.5), (26.5, 22.5)], [5, 2], on_wall="nearest")
world.step()
teams["blue"].sources.remove(blue[:1])
print(fc.propagation.influence_at([(20.5, 20.5)], [(12.5, 10.5)], 4.0, 12.0).tolist())
world.step()
control = teams.influence("red")
contested = teams.contested()
desire = (teams.share("red") - 0.5 * teams.tension().normalize()).clamp(-1, 1)
same = fc.formula("clamp(red - 0.5*blue, 0, 4)", world)
spots = fc.best(desire, [(20, 20), (22, 20)], 8, count=3, spacing=2)
for row in spots.positions:
    print([float(x) for x in row[0]])
for front in teams.front_lines():
    print(front.length, front.points.shape)
for land in teams.regions():
    print(land.owner, land.area)
peaks = fc.peaks(teams.tension(), 5, spacing=4)
print(peaks.positions.tolist(), peaks.values)
values = fc.sample(control, [(20, 20), (30, 25)], how="bilinear")
print(values.mean(), same.sample((20.5, 20.5)), contested.values.max())
print(fc.query.along(contested, [(5, 5), (40, 20)]).maximum)
print(fc.explain(teams["red"], (14.5, 12.5)))
owner = teams.owner(margin=0.1)
colors = ["#c33c3c", "#3c64c3"]
drawn = fc.view.frame_owners(owner, colors, space=world.space, scale=8)
legend = fc.view.TeamLegend(["red", "blue"], colors, title="owner", opacity=0.6)
fc.view.save_png("owners.png", fc.view.page([drawn], legend=legend))
