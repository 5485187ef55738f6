"""Names from other libraries and what they are called here, for errors about unknown names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fieldcraft.base.errors import InvalidValue

_PATH = (
    "fc.shortest_path(space, start, goal) finds a path, and fc.distance_map(space, goals) the"
    " distances of all cells"
)
_DISTANCES = "fc.distance_map(space, goals) has the distances of all cells to the nearest goal"
_SEEN = "fc.visible(space, position, radius) is the mask of the cells that a position sees"
_SEES = "fc.sees(space, a, b) says whether two positions see each other"
_SHOW = (
    "fc.view.save_png(path, fc.view.picture(layer)) draws a map; fc.view.frame(layer) returns"
    " an array of pixels, for a window"
)
_NOISE = 'fc.generate_map("cave", width, height) makes maps'
_LOAD = "fc.load_map(path) reads a map file, fc.InfluenceMap.load(path) a save"
_TIME = "imap.advance(dt) lets dt seconds pass, imap.step() takes one step of each layer"
_REMOVE = (
    "source.remove() removes one source, layer.remove_at(positions) those in some cells,"
    " layer.sources.remove(layer.sources.ids) all of them"
)
_ADD = (
    "layer.add_source((x, y), strength) adds one source, layer.sync(ids, positions, strengths)"
    " follows a list of units"
)
_VALUES = "layer.sample((x, y)) reads a value, layer.values[row, column] reads the array"
_WRITE = "layer.write(array) replaces all values; layer.add_source((x, y), strength) holds one"
_LAYER = "imap.add_layer(name, fc.Spread(decay)) adds a layer, imap[name] returns it"
_WALLS = "grid.set_walls(positions, blocked) changes walls, grid.walls reads them"
_CELLS = "grid.cell_at((x, y)) is the cell of a position, grid.position_of(cell) its center"
_NEIGHBORS = (
    "space.neighbors_of(cell) lists the cells one step away; fc.Grid(..., neighbors=8)"
    " allows diagonal steps"
)
_POINTS = "path.positions has its points, shape (N, 2); path.at(distance) is the point so far along"
_LENGTH = "path.length is its length in world units, path.cost what it costs"
_END = "path.positions[-1] is its end"
_SPOT = "spot.position is the center of the cell, spot.positions those of many"
_BELIEF = "belief.advance(dt) lets the target move, belief.observe(seen) removes what was seen"
_KNOWN_PLACE = "belief.see(position) says that the target is certainly there"
_NEXT = "path.at(distance) is the point so far along, path.positions[1] the second one"
_PLACE = "source.position reads the place, source.move((x, y)) changes it"
_GRID = "fc.Grid(width, height) is a map of square cells, fc.Grid(walls=array) one from an array"
_HEXES = "fc.HexGrid(columns, rows) is a map of hexagons"
_FLEE = "fc.flee_map(distances) leads away from goals, fc.steering.flee moves straight away"
_SEEK = "fc.steering.seek moves straight to a target, fc.flow_field(distances) around walls"
_FLOCK = "fc.steering has flocks and crowds: Swarm, Crowd, separation, alignment, cohesion"
_TEAMS = (
    "fc.Teams(space, names, propagation) or imap.add_teams(names, propagation):"
    " influence(), share(), owner(), front_lines()"
)
_NUMPY = (
    "np.clip(layer.values, 0, 1) and other functions of NumPy take values; an expression has"
    " clamp(), curve(), normalize(), smooth()"
)
_FILM = "fc.view.save_film(path, pictures) writes a film of pictures"
_KIND = (
    "A layer of an influence map has a name of yours: imap.add_layer(name, fc.Spread(decay))."
    " docs/what_a_step_does.md says which kind to take"
)
_CURVES = 'A falloff is a word: fc.Radial(radius, falloff="linear"), fc.Spread(decay,'
_CURVES += ' falloff="linear")'
_WORLD = "fc.generate_map(kind, width, height, seed=0) makes maps: rooms, cave, open, pillars, maze"
_IS_WALL = "space.walls.flat[space.cell_at((x, y))] says whether a position is in a wall"
_AWAY = "fc.distance_map(space, goals).sample((x, y)) is how far a walk is"
_RANDOM = (
    "fc.pick(layer, position, radius, rng=rng) chooses a cell at random;"
    " space.open_near(positions) are the nearest open positions"
)
_EDGES = (
    "graph.set_edges(edges, blocked) blocks or opens edges; fc.Graph(positions, edges) has others"
)

WORDS: dict[str, dict[str, str]] = {
    "fc": {
        "Level": _GRID,
        "Tile": _GRID,
        "from_array": _GRID,
        "Obstacle": _WALLS,
        "walls": _WALLS,
        "Hex": _HEXES,
        "Hexagon": _HEXES,
        "HexMap": _HEXES,
        "Waypoints": "fc.Graph(positions, edges) is a map of waypoints",
        "from_image": "fc.load_map(path) reads pictures and map files",
        "random_map": _WORLD,
        "cave": _WORLD,
        "rooms": _WORLD,
        "dungeon": _WORLD,
        "perlin": _WORLD,
        "raycast": _SEES,
        "raycasting": _SEEN,
        "shadowcast": _SEEN,
        "in_sight": _SEES,
        "flood_fill": _DISTANCES,
        "vector_field": "fc.flow_field(distances) has the directions to the goals of a distance"
        " map",
        "boids": _FLOCK,
        "flock": _FLOCK,
        "agents": _FLOCK,
        "seek": _SEEK,
        "pursue": "fc.steering.pursue follows a target that moves, fc.Pursuit searches for a"
        " lost one",
        "flee": _FLEE,
        "avoid": _FLEE,
        "control": _TEAMS,
        "front": _TEAMS,
        "front_line": _TEAMS,
        "territory": _TEAMS,
        "owner": _TEAMS,
        "voronoi": "fc.query.first_arrival(space, ours, theirs) says who reaches a cell first;"
        " imap.add_teams(names, fc.Radial(radius)).owner() who is stronger there",
        "heatmap": "fc.view.picture(layer) draws a map; fc.Diffuse(rate) is a layer of heat",
        "heat": "fc.Diffuse(rate) is a layer of heat",
        "influence": _LAYER,
        "decay": "Decay is a setting: fc.Spread(decay=0.2)",
        "linear": _CURVES,
        "gauss": _CURVES,
        "best_position": "fc.best(layer, position, radius) finds the strongest cell near a"
        " position",
        "top": "fc.best(layer, position, radius, count=3) finds the strongest cells",
        "max": "fc.maximum(a, b) is the larger of two maps; layer.values.max() a number",
        "min": "fc.minimum(a, b) is the smaller of two maps; layer.values.min() a number",
        "clip": _NUMPY,
        "abs": _NUMPY,
        "normalize": _NUMPY,
        "blur": "layer.smooth(cells) blurs a map; fc.Diffuse(rate) is a layer that diffuses",
        "image": _SHOW,
        "animate": _FILM,
        "gif": _FILM,
        "film": _FILM,
        "run": _TIME,
        "simulate": _TIME,
        "step": _TIME,
        "clock": _TIME,
        "Simulation": "fc.InfluenceMap(space) has layers on a space; imap.advance(dt) lets time"
        " pass",
        "alarm": "fc.Flood(cooling) is a layer whose front runs on: alarms, fire",
        "fire": "fc.Flood(cooling) is a layer whose front runs on: alarms, fire",
        "scent": "fc.Trail(keep) is a layer that agents leave marks on",
        "memory": "fc.Fade(amount) is a layer of what was visited, fc.LastSeen(space) of what"
        " was seen",
        "sound": _KIND,
        "danger": _KIND,
        "threat": _KIND,
        "find_path": _PATH,
        "path": _PATH,
        "pathfind": _PATH,
        "pathfinding": _PATH,
        "astar": _PATH,
        "a_star": _PATH,
        "astar_path": _PATH,
        "AStar": _PATH,
        "AStarFinder": _PATH,
        "Pathfinder": _PATH,
        "route_through_array": _PATH,
        "get_path": _PATH,
        "dijkstra": _DISTANCES,
        "dijkstra2d": _DISTANCES,
        "dijkstra_map": _DISTANCES,
        "dijkstra_path": _PATH,
        "bfs": _DISTANCES,
        "distance_transform": _DISTANCES,
        "single_source_dijkstra": _DISTANCES,
        "MCP": _DISTANCES,
        "MCP_Geometric": _DISTANCES,
        "has_path": "fc.shortest_path(space, start, goal).found says whether there is a path",
        "connected_components": "space.parts() numbers the connected parts of a map",
        "label": "space.parts() numbers the connected parts of a map; fc.regions(layer, above)"
        " finds connected cells of a layer",
        "hillclimb2d": "fc.distance_map(space, goals).descend(position) walks to the nearest goal;"
        " fc.query.uphill(layer, positions) climbs a layer",
        "fov": _SEEN,
        "compute_fov": _SEEN,
        "field_of_view": _SEEN,
        "visibility": _SEEN,
        "line_of_sight": _SEES,
        "los": _SEES,
        "can_see": _SEES,
        "bresenham": _SEES,
        "plot": _SHOW,
        "show": _SHOW,
        "imshow": _SHOW,
        "draw": _SHOW,
        "render": _SHOW,
        "load": _LOAD,
        "read": _LOAD,
        "imread": _LOAD,
        "save": "imap.save(path) writes a map with its layers, fc.view.save_png(path, picture) a"
        " picture",
        "savefig": _SHOW,
        "noise": _NOISE,
        "bsp": _NOISE,
        "maze": 'fc.generate_map("maze", width, height) makes mazes',
        "worst": "fc.query.worst(layer, positions, radius), or fc.best(-layer, positions, radius)",
        "argmax": "fc.best(layer, position, radius) finds the strongest cell",
        "peak_local_max": "fc.peaks(layer) finds the local maxima",
        "influence_map": "fc.InfluenceMap(space) makes one",
        "Map": "fc.InfluenceMap(space) has layers on a space, fc.Grid(width, height) is a space",
        "World": "fc.InfluenceMap(space) has layers on a space, fc.Grid(width, height) is a space",
        "Model": "fc.InfluenceMap(space) has layers on a space, fc.Grid(width, height) is a space",
        "MultiGrid": "fc.Grid(width, height) is a map of square cells",
        "SingleGrid": "fc.Grid(width, height) is a map of square cells",
        "OrthogonalMooreGrid": "fc.Grid(width, height, neighbors=8) is a map of square cells",
        "PropertyLayer": _LAYER,
        "Agent": "An agent is an object of yours: pass the positions of all, shape (N, 2)."
        " fc.steering.Swarm moves many",
        "gaussian": "layer.smooth(cells) blurs a map; fc.Diffuse(rate) is a layer that diffuses",
        "gaussian_filter": "layer.smooth(cells) blurs a map; fc.Diffuse(rate) is a layer that"
        " diffuses",
        "diffuse": "fc.Diffuse(rate) is a layer that diffuses",
        "Pheromone": "fc.Trail(keep) is a layer that agents leave marks on",
        "add": "layer + other adds two maps",
        "grid_graph": "fc.Grid(width, height) is a map of square cells; fc.Graph(positions, edges)"
        " is a graph",
        "from_networkx": "fc.Graph.from_networkx(graph, position) reads one",
        "NavMesh": "fc.Mesh and fc.load_map(path) read navigation meshes",
        "Tilemap": "fc.load_map(path) reads tile maps, fc.Grid(walls=array) takes an array",
        "threads": "fc.set_threads(count) sets the number of threads",
    },
    "InfluenceMap": {
        "step_all": _TIME,
        "delta": _TIME,
        "spread": _TIME,
        "pause": "Time passes only in imap.advance(dt) and imap.step()",
        "names": "list(imap) has the names of the layers",
        "to_array": "imap[name].values: values belong to a layer",
        "load_map": "fc.load_map(path) reads a map file, fc.InfluenceMap.load(path) a save",
        "add_static": "imap.register_type(name, static=True).add_static((x, y)): it belongs to a"
        " layer",
        "add_dynamic": "imap.register_type(name, static=False).add_dynamic((x, y)): it belongs to a"
        " layer",
        "sources": "imap[name].sources: sources belong to a layer",
        "query": "fc.best(imap[name], position, radius) finds the strongest cell near a position",
        "best": "fc.best(imap[name], position, radius) finds the strongest cell near a position",
        "find_path": _PATH,
        "update": _TIME,
        "tick": _TIME,
        "run": _TIME,
        "simulate": _TIME,
        "propagate": _TIME,
        "layer_names": "list(imap) has the names of the layers, imap.layers the layers by name",
        "get_layer": _LAYER,
        "add_property_layer": _LAYER,
        "create_property_layer": _LAYER,
        "create_layer": _LAYER,
        "delete_layer": "imap.remove_layer(name) removes a layer",
        "add_source": "imap[name].add_source((x, y), strength): sources belong to a layer",
        "add_agent": "imap[name].add_source((x, y), strength): sources belong to a layer",
        "place_agent": "imap[name].add_source((x, y), strength): sources belong to a layer",
        "move_agent": "source.move((x, y)) moves what layer.add_source() returned",
        "values": "imap[name].values: values belong to a layer",
        "get": "imap[name] returns a layer, name in imap says whether there is one",
        "sample": "imap[name].sample((x, y)): values belong to a layer",
        "keys": "list(imap) has the names of the layers",
        "items": "imap.layers.items(): imap.layers has the layers by name",
        "clear": "imap.remove_layer(name) removes a layer; layer.write(zeros) clears one",
        "reset": "imap.remove_layer(name) removes a layer; layer.write(zeros) clears one",
        "grid": "imap.space is the space that the layers are on",
        "walls": "imap.space.walls reads walls, imap.space.set_walls(positions, blocked) changes"
        " them",
        "width": "imap.space.width: the space has the size",
        "height": "imap.space.height: the space has the size",
        "plot": "fc.view.picture(imap[name]) draws a layer, fc.view.page(imap) all of them",
        "show": "fc.view.picture(imap[name]) draws a layer, imap.watch() opens a live page",
        "draw": "fc.view.frame(imap[name], scale=8) returns an array of pixels",
        "render": "fc.view.frame(imap[name], scale=8) returns an array of pixels",
    },
    "Layer": {
        "zero": f"layer.write(np.zeros(layer.shape)) clears the values; {_REMOVE}",
        "fill": f"layer.write(np.full(layer.shape, value)) sets all values; {_REMOVE}",
        "remove_all": _REMOVE,
        "delete": _REMOVE,
        "visit": "A layer with fc.Fade has mark((x, y)) for visits",
        "drop": "layer.deposit((x, y), amount) adds once",
        "evaporate": "A layer with fc.Trail(half_life=seconds) evaporates with each step",
        "strength": "A source has a strength: layer.add_source((x, y), strength)",
        "enabled": "imap.remove_layer(name) removes a layer; a layer in use has every, its"
        " interval",
        "save": "imap.save(path) writes a map with its layers; layer.state() has the values",
        "clear": f"layer.write(np.zeros(layer.shape)) clears the values; {_REMOVE}",
        "reset": f"layer.write(np.zeros(layer.shape)) clears the values; {_REMOVE}",
        "remove": _REMOVE,
        "remove_source": _REMOVE,
        "remove_sources": _REMOVE,
        "clear_sources": _REMOVE,
        "delete_source": _REMOVE,
        "add": _ADD,
        "add_influence": _ADD,
        "update": f"layer.sync(ids, positions, strengths) follows units; {_TIME}",
        "tick": _TIME,
        "diffuse": "A layer with fc.Diffuse(rate) diffuses with each step",
        "set": _WRITE,
        "set_value": _WRITE,
        "set_values": _WRITE,
        "set_cell": _WRITE,
        "set_cells": _WRITE,
        "modify_cells": _WRITE,
    },
    "Operand": {
        "select": "A comparison is a map of 1 and 0: layer >= 0.5; layer.values >= 0.5 is a mask",
        "next": "distances.step(positions) returns the next cells of agents",
        "downhill": "distances.descend((x, y)) is the path to the nearest goal",
        "to": "distances.descend((x, y)) is the path to the nearest goal",
        "blocked": "map.space.walls says where walls are",
        "at_xy": _VALUES,
        "image": "fc.view.frame(layer, scale=8) returns an array of pixels",
        "asarray": _VALUES,
        "to_array": _VALUES,
        "lookup": _VALUES,
        "influence": _VALUES,
        "peak": "fc.best(layer, position, radius) finds the strongest cell, fc.peaks(layer) the"
        " peaks",
        "max_position": "fc.best(layer, position, radius) finds the strongest cell",
        "distance_to": "distances.sample((x, y)) is the distance of a position",
        "path_to": "distances.descend((x, y)) is the path to the nearest goal",
        "next_step": "distances.step(positions) returns the next cells of agents",
        "nearest": "distances.descend((x, y)) is the path to the nearest goal",
        "recalculate": "distances.repair() follows changes of walls and costs",
        "max_distance": "distances.values.max() is a number; limit= ends the search",
        "data": _VALUES,
        "array": _VALUES,
        "value": _VALUES,
        "get": _VALUES,
        "get_value": _VALUES,
        "value_at": _VALUES,
        "at_position": _VALUES,
        "numpy": _VALUES,
        "to_numpy": _VALUES,
        "query": "fc.best(layer, position, radius) finds the strongest cell near a position",
        "best": "fc.best(layer, position, radius) finds the strongest cell near a position",
        "argmax_position": "fc.best(layer, position, radius) finds the strongest cell",
        "gradient": "fc.query.gradient(layer, positions) returns the slope at positions",
        "peaks": "fc.peaks(layer) finds the local maxima",
        "plot": "fc.view.picture(layer) draws a map",
        "show": "fc.view.picture(layer) draws a map",
        "draw": "fc.view.frame(layer, scale=8) returns an array of pixels",
        "distance": "distances.sample((x, y)) is the distance of a position",
        "path": "distances.descend((x, y)) is the path to the nearest goal",
        "path_from": "distances.descend((x, y)) is the path to the nearest goal",
        "find_path": "distances.descend((x, y)) is the path to the nearest goal",
        "normalized": "map.normalize() scales the values to [0, 1]",
        "blur": "map.smooth(cells) blurs a map",
        "gaussian": "map.smooth(cells) blurs a map",
        "width": "map.space.width: the space has the size",
        "height": "map.space.height: the space has the size",
        "grid": "map.space is the space that the values are on",
    },
    "Space": {
        "is_blocked": _IS_WALL,
        "blocked": _IS_WALL,
        "is_open": _IS_WALL,
        "contains": 'space.cell_at((x, y)) raises OutsideMap; outside="clamp" takes the nearest'
        " cell",
        "set_blocked": _WALLS,
        "set_obstacle": _WALLS,
        "remove_wall": _WALLS,
        "clear_walls": _WALLS,
        "open": _WALLS,
        "cell": _CELLS,
        "center": _CELLS,
        "get": _VALUES,
        "distance": _AWAY,
        "distance_to": _AWAY,
        "path": _PATH,
        "cost": "Costs are given to paths: fc.shortest_path(space, start, goal, cost=array)",
        "weights": "Costs are given to paths: fc.shortest_path(space, start, goal, cost=array)",
        "array": "space.walls is the array of walls",
        "to_numpy": "space.walls is the array of walls",
        "tiles": "space.walls is the array of walls",
        "bounds": "space.extent has the lowest and the highest corner",
        "random_cell": _RANDOM,
        "random_position": _RANDOM,
        "line_of_sight": _SEES,
        "raycast": _SEES,
        "nearest": "space.open_near((x, y)) is the nearest open position",
        "add_edge": _EDGES,
        "remove_edge": _EDGES,
        "add_node": _EDGES,
        "degree": _NEIGHBORS,
        "number_of_nodes": "len(space) is the number of cells",
        "set_wall": _WALLS,
        "add_wall": _WALLS,
        "add_walls": _WALLS,
        "block": _WALLS,
        "set_walkable": _WALLS,
        "walkable": "~space.walls is True where the ground is open",
        "passable": "~space.walls is True where the ground is open",
        "is_wall": "space.walls.flat[space.cell_at((x, y))] says whether a position is in a wall",
        "is_walkable": "space.walls.flat[space.cell_at((x, y))] is True where a position is in a"
        " wall",
        "transparent": "~space.opaque is True where sight passes; space.set_opaque() changes it",
        "cells": "range(len(space)) are the cells, space.positions their centers",
        "nodes": "range(len(space)) are the cells, space.positions their centers",
        "to_cell": _CELLS,
        "to_world": _CELLS,
        "snap": _CELLS,
        "world_to_cell": _CELLS,
        "world_to_grid": _CELLS,
        "cell_to_world": _CELLS,
        "neighbors": _NEIGHBORS,
        "neighbours": _NEIGHBORS,
        "get_neighbors": _NEIGHBORS,
        "get_neighborhood": _NEIGHBORS,
        "iter_neighbors": _NEIGHBORS,
        "find_path": _PATH,
        "astar": _PATH,
        "compute_fov": _SEEN,
        "fov": _SEEN,
        "add_layer": "imap = fc.InfluenceMap(space), then imap.add_layer(name, fc.Spread(decay))",
        "add_property_layer": "imap = fc.InfluenceMap(space), then imap.add_layer(name,"
        " fc.Spread(decay))",
        "out_of_bounds": 'space.cell_at((x, y)) raises OutsideMap; outside="clamp" takes the'
        " nearest cell",
        "in_bounds": 'space.cell_at((x, y)) raises OutsideMap; outside="clamp" takes the nearest'
        " cell",
        "torus": "grid.wrap says which edges are joined",
        "rows": "grid.height is the number of rows, grid.width of columns",
        "cols": "grid.height is the number of rows, grid.width of columns",
        "columns": "grid.height is the number of rows, grid.width of columns",
    },
    "Path": {
        "smooth": "fc.shortest_path(space, start, goal, smooth=True) cuts corners",
        "simplify": "fc.shortest_path(space, start, goal, smooth=True) cuts corners",
        "shorten": "fc.shortest_path(space, start, goal, smooth=True) cuts corners",
        "follow": "source.follow(path, speed) lets a source follow it; path.at(distance) is the"
        " point so far along",
        "coordinates": _POINTS,
        "tolist": _POINTS,
        "total_cost": _LENGTH,
        "is_valid": "path.found says whether there is a path",
        "next_step": _NEXT,
        "reverse": "path.positions[::-1] has its points from the end on",
        "reversed": "path.positions[::-1] has its points from the end on",
        "points": _POINTS,
        "nodes": _POINTS,
        "waypoints": _POINTS,
        "steps": _POINTS,
        "coords": _POINTS,
        "path": _POINTS,
        "next": _POINTS,
        "distance": _LENGTH,
        "end": _END,
        "goal": _END,
        "exists": "path.found says whether there is a path",
        "success": "path.found says whether there is a path",
    },
    "FlowField": {
        "next": "fc.steering.move(...) moves agents along flow.sample(positions)",
        "follow": "fc.steering.follow_flow(positions, velocities, flow, max_speed) steers agents"
        " along it",
        "move": "fc.steering.move(...) moves agents along flow.sample(positions)",
        "at": "flow.sample(positions) is the direction at positions, flow.vectors all",
        "get": "flow.sample(positions) is the direction at positions, flow.vectors all",
        "velocity": "flow.sample(positions) is the direction at positions; times a speed it is one",
        "field": "flow.vectors has the directions of all cells, shape (height, width, 2)",
        "dx": "flow.vectors has the directions of all cells, shape (height, width, 2)",
        "direction": "flow.sample(positions) is the direction at positions, flow.vectors all",
        "direction_at": "flow.sample(positions) is the direction at positions, flow.vectors all",
        "directions": "flow.sample(positions) is the direction at positions, flow.vectors all",
        "values": "flow.vectors has the directions of all cells, shape (height, width, 2)",
        "step": "fc.steering.move(...) moves agents along flow.sample(positions)",
    },
    "Source": {
        "vel": "source.move((x, y), velocity=(vx, vy)) lets it move on by itself",
        "speed": "source.move((x, y), velocity=(vx, vy)) lets it move on by itself",
        "topleft": _PLACE,
        "center": _PLACE,
        "amount": "source.strength is its strength",
        "destroy": "source.remove() removes it",
        "velocity": "source.move((x, y), velocity=(vx, vy)) lets it move on by itself",
        "radius": "source.resize(radius) changes how far it reaches, with fc.Radial",
        "pos": _PLACE,
        "x": _PLACE,
        "y": _PLACE,
        "rect": _PLACE,
        "move_to": "source.move((x, y)) moves it",
        "update": "source.move((x, y)) moves it, source.strength = 3 changes its strength",
        "delete": "source.remove() removes it",
        "kill": "source.remove() removes it",
        "is_alive": "source.alive says whether it is still there",
        "value": "source.strength is its strength",
    },
    "Teams": {
        "update": _TIME,
        "advance": _TIME,
        "balance": "teams.influence(name) is its own influence minus that of others",
        "leader": "teams.owner() is the number of the strongest team in each cell",
        "strongest": "teams.owner() is the number of the strongest team in each cell",
        "territory": "teams.regions() are the connected parts that a team owns, teams.owner() the"
        " owner of each cell",
        "front": "teams.front_lines() are the lines between two teams",
        "score": "teams.share(name).values.mean() is the part that a team has",
        "get": "teams[name] is the layer of a team",
        "map": "teams.influence(name) is the map of one team, teams.tension() of all",
        "control": "teams.influence(name) is its own influence minus that of others, teams.share"
        "(name) its part of all",
        "winner": "teams.owner() is the number of the strongest team in each cell",
        "owners": "teams.owner() is the number of the strongest team in each cell",
        "frontline": "teams.front_lines() are the lines between two teams",
        "front_line": "teams.front_lines() are the lines between two teams",
        "frontlines": "teams.front_lines() are the lines between two teams",
        "borders": "teams.front_lines() are the lines between two teams",
        "add_source": "teams[name].add_source((x, y), strength): sources belong to a layer",
        "step": _TIME,
    },
    "ChosenCells": {
        "x": _SPOT,
        "y": _SPOT,
        "pos": _SPOT,
        "location": _SPOT,
        "coordinates": _SPOT,
        "index": "spot.cell is the number of the cell, spot.position its center",
        "score": "spot.value is its value",
    },
    "Belief": {
        "update": _BELIEF,
        "predict": _BELIEF,
        "move": _BELIEF,
        "map": "belief.values has the probability of each cell",
        "entropy": "belief.values has the probability of each cell, belief.estimate() one position",
        "likely": "belief.estimate() is the likeliest position, belief.values has all cells",
        "reset": _KNOWN_PLACE,
        "start": _KNOWN_PLACE,
        "place": _KNOWN_PLACE,
    },
}
"""For each public class, and for the module `fc`: what is meant by a name that it does not have."""

_QUADRATIC = (
    "fc.Radial calls 1 - u**2 'parabolic'; the quadratic falloff of fc.Spread is"
    " lambda u: (1 - u) ** 2"
)

VALUES: dict[str, dict[str, str]] = {
    "falloff": {
        "quadratic": _QUADRATIC,
        "quad": _QUADRATIC,
        "parabolic": "'parabolic' is a falloff of fc.Radial; fc.Spread has 'quadratic'",
        "gaussian": "'gaussian' is a falloff of fc.Radial; fc.Spread has 'exponential'",
        "smoothstep": "'smoothstep' is a falloff of fc.Radial; fc.Spread has 'quadratic'",
        "exp": "Perhaps 'exponential' is meant",
        "none": "fc.Radial has 'constant'; fc.Spread with decay=0 loses nothing",
        "flat": "fc.Radial has 'constant'; fc.Spread with decay=0 loses nothing",
    },
    "metric": {
        "euclid": "Perhaps 'straight' is meant",
        "euclidean": "Perhaps 'straight' is meant",
        "manhattan": "Perhaps 'path' is meant: the walk from cell to cell",
        "walk": "Perhaps 'path' is meant",
        "walking": "Perhaps 'path' is meant",
        "geodesic": "Perhaps 'path' is meant",
        "los": "Perhaps 'sight' is meant",
        "visible": "Perhaps 'sight' is meant",
        "line_of_sight": "Perhaps 'sight' is meant",
    },
    "how": {
        "linear": "Perhaps 'bilinear' is meant",
        "interpolate": "Perhaps 'bilinear' is meant",
        "cell": "Perhaps 'nearest' is meant",
    },
    "outside": {
        "clip": "Perhaps 'clamp' is meant",
        "nearest": "Perhaps 'clamp' is meant",
        "raise": "Perhaps 'refuse' is meant",
        "error": "Perhaps 'refuse' is meant",
        "wrap": 'Join edges of the map: fc.Grid(..., wrap=True), wrap="x" or wrap="y"',
    },
}
"""For arguments that are one of some words: what is meant by a word that is none of them."""


_SAFE = (
    "fc.best(-danger, position, radius) finds the safest cell near a position;"
    " fc.flee_map(distances) leads away from goals"
)
_PAIR = "Positions are pairs (x, y) or arrays of shape (N, 2); there is no class for them"
_AGENT = (
    "An agent is an object of yours: pass the positions of all, shape (N, 2)."
    " layer.sync(ids, positions, strengths) lets a layer follow them"
)
_CHOKE = "fc.query.choke_points(space) finds the areas of a map and the choke points between them"
_ASK = "fc.Question chooses positions by rules: cover, ambush, building (docs/choosing.md)"
_HUNT = (
    "fc.Pursuit follows a lost target, fc.SearchParty leads several searchers, fc.Belief says where"
    " a target may be"
)
_REGIONS = (
    "fc.regions(layer, above) finds connected cells above a value, teams.front_lines() the lines"
    " between teams"
)
_MASK = "A comparison is a map of 1 and 0: layer >= 0.5; layer.values >= 0.5 is a mask"
_CLEAR = (
    "fc.question.Clearance measures the distance to walls, and fc.steering.move(..., radius=)"
    " keeps agents of a size off them"
)
_SMOOTH = "layer.smooth(cells) blurs a map; fc.Diffuse(rate) is a layer that diffuses"
_NEAR = (
    "fc.steering.Neighbors(positions, radius) finds the nearest agents,"
    " fc.distance_map(space, goals) the nearest goals by walking"
)
_HEIGHTS = (
    "fc.visible(space, position, radius, heights=array) sees by heights; a layer with"
    " fc.Radial(metric='sight') has set_heights(array)"
)
_RECORD = "imap.save(path) writes a map with its layers; fc.recordings has timelines"

SUBJECTS = {
    "safe": _SAFE,
    "safest": _SAFE,
    "safety": _SAFE,
    "retreat": _FLEE,
    "escape": _FLEE,
    "vector": _PAIR,
    "point": _PAIR,
    "rect": _PAIR,
    "agent": _AGENT,
    "unit": _AGENT,
    "enemy": _AGENT,
    "monster": _AGENT,
    "guard": _AGENT,
    "patrol": _AGENT,
    "sprite": _AGENT,
    "entity": _AGENT,
    "bridge": _CHOKE,
    "articulation": _CHOKE,
    "betweenness": _CHOKE,
    "choke": _CHOKE,
    "chokepoint": _CHOKE,
    "skeletonize": _CHOKE,
    "cover": _ASK,
    "hide": _ASK,
    "ambush": _ASK,
    "placement": _ASK,
    "hunt": _HUNT,
    "chase": _HUNT,
    "search": _HUNT,
    "contour": _REGIONS,
    "watershed": _REGIONS,
    "threshold": _MASK,
    "mask": _MASK,
    "convolve": _SMOOTH,
    "ndimage": _SMOOTH,
    "dilation": _CLEAR,
    "erosion": _CLEAR,
    "inflate": _CLEAR,
    "maxima": "fc.peaks(layer) finds the local maxima",
    "distance": _DISTANCES,
    "heuristic": "fc.shortest_path(space, start, goal) needs no heuristic",
    "network": "fc.Graph(positions, edges) is a map of waypoints",
    "space": "fc.Grid, fc.HexGrid, fc.Graph and fc.Mesh are the kinds of spaces",
    "toward": _SEEK,
    "cost": "Costs are given to paths: fc.shortest_path(space, start, goal, cost=1 + 2 * danger)",
    "data": "layer.values has the numbers of a layer, imap.state() all that a map remembers",
    "pyastar": _PATH,
    "rescale": _NUMPY,
    "aggregate": _NUMPY,
    "average": _NUMPY,
    "total": _NUMPY,
    "closest": _NEAR,
    "collector": _RECORD,
    "record": _RECORD,
    "recorder": _RECORD,
    "fov": _SEEN,
    "visible": _SEEN,
    "sight": _SEES,
    "line": _SEES,
    "bsp": _NOISE,
    "noise": _NOISE,
    "height": _HEIGHTS,
    "heightmap": _HEIGHTS,
    "pathing": "~space.walls is True where the ground is open; fc.Grid(walls=~pathing) is a map",
    "empty": _RANDOM,
    "empties": _RANDOM,
    "random": _RANDOM,
    "connected": "space.parts() numbers the connected parts of a map,"
    " fc.shortest_path(space, start, goal).found says whether there is a path",
    "descendant": "fc.reach(space, position, distance) has what can be reached from a position",
    "adj": _NEIGHBORS,
    "graph": "fc.Graph(positions, edges) is a map of waypoints, fc.Grid(width, height) one of"
    " squares",
    "scheduler": _TIME,
    "fps": _TIME,
    "dt": _TIME,
    "now": _TIME,
    "surface": _SHOW,
    "surfarray": _SHOW,
    "blit": _SHOW,
    "flip": _SHOW,
    "display": _SHOW,
    "console": _SHOW,
    "tileset": _SHOW,
    "viz": _SHOW,
    "color": "fc.view.ColorScale(low, high) has colors for values:"
    " fc.view.frame(layer, colors=scale)",
    "resize": "grid.coarser(cell_size) is a coarser grid; fc.view.frame(layer, scale=8) a larger"
    " picture",
}
"""What a word within a name is about, for names of other libraries that no table has in full."""

ALIKE = (
    ("repair", "update", "recompute", "recalculate", "rebuild", "invalidate", "refresh"),
    ("advance", "step", "run", "update", "tick", "process", "simulate", "iterate", "refresh"),
    ("ask", "solve", "evaluate", "query", "answer", "run"),
    ("assign", "restore", "reset", "clear", "forget", "restart"),
    ("estimate", "position", "target", "most_likely", "location", "guess", "where"),
    ("observe", "update", "see", "look", "sense"),
    ("positions", "position", "locations", "points", "xy", "coords"),
    ("vectors", "directions", "gradient"),
)
"""Names for the same thing; the first that a class has is suggested."""

ALIKE_ARGUMENTS = (
    ("width", "columns", "cols", "w", "size_x", "nx"),
    ("height", "rows", "h", "size_y", "ny"),
    ("cell_size", "resolution", "tile_size", "spacing", "scale"),
    ("walls", "obstacles", "blocked", "grid", "array", "map", "collision"),
    ("neighbors", "connectivity", "neighborhood", "diagonal", "diagonals", "moves"),
    ("wrap", "torus", "toroidal", "periodic"),
    ("radius", "range", "distance", "max_distance", "reach"),
    ("sight", "range", "radius", "vision", "view_distance", "fov"),
    ("falloff", "curve", "kernel", "shape"),
    ("decay", "attenuation", "dissipation"),
    ("momentum", "inertia", "smoothing", "alpha"),
    ("half_life", "halflife", "lifetime", "duration", "fade_time"),
    ("every", "interval", "period", "dt", "timestep", "tick"),
    ("speed", "velocity", "max_speed"),
    ("maximum", "max_value", "max", "peak", "limit"),
    ("floor", "threshold", "cutoff", "epsilon", "minimum"),
)
"""Names of arguments for the same thing; the first that a constructor has is suggested."""


CHANGED_BY = {
    "values": "layer.write(array) replaces all values, layer.add_source((x, y), strength) holds"
    " one, layer.deposit((x, y), amount) adds to one",
    "walls": "space.set_walls(cells, True) makes walls, also for a mask of cells;"
    " fc.Grid(walls=array) is a new map",
    "opaque": "space.set_opaque(cells, True) makes cells opaque, also for a mask of cells",
    "position": "source.move((x, y)) moves it",
}
"""For attributes that are read only: the calls that change them."""


def refuse_to_set(name: str) -> Callable[[Any, object], None]:
    """Return the setter of an attribute in `CHANGED_BY`, which refuses all values."""

    def refuse(thing: Any, value: object) -> None:
        raise InvalidValue(
            f"The attribute {name!r} is changed by calls",
            got=f".{name} = ...",
            remedy=CHANGED_BY[name],
        )

    return refuse
