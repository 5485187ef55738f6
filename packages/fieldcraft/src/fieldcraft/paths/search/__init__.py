"""All searches for distances and paths, and which of them runs when.

Plain grids are those with 4 or 8 neighbors and `corners="never"`, whose terrain forbids no step in
one direction only. `distances.distance.count` is the kernel of that name in `fieldcraft.kernels`.

Distances from all cells to the nearest goal (`distance_map`)
    `distances_on_grid.search_for` chooses a search, and the search an algorithm that expands it
    from its goals (an `Expansion`). All algorithms find the same distances bit for bit, and search
    no farther than the value that is read needs.

    - `GridSearch` with `_Counted` (`distances.distance.count`): plain grids without wrap, with one
      cost for all cells and no start costs. Distances are whole numbers.
    - `GridSearch` with `_Near` (`distances.distance.add_near`): the same grids with a cost per
      cell, none infinite, where the cheapest and the dearest step differ so little that 32 buckets
      are enough.
    - `GridSearch` with `Buckets` (`distances.distance_search.search`): all other grids, and
      snapshots of grids whose walls have changed since.
    - `ArcSearch` with `Buckets`: hexagons, graphs and meshes; and on every space `charge="enter"`,
      `outward` and traffic.

    `Buckets` could serve everything. With 8 neighbors `_Counted` takes a fifth to two thirds of its
    time, and `_Near` about two thirds; with 4 neighbors they are about as fast.

    After changes of walls or costs `DistanceSearch.repair` updates the distances in place
    (`distances.distance_repair.repair`), or gives up where a new search takes less time.

Distances to the goals of many agents (`steering.PIBT`)
    `ManyGoals` has a row of distances for each goal (`distances.distance_search.search`), and
    `Guides` a path for each agent and the distances around it (`distances.guides`), where rows
    would take too much memory.

Cells that agents reach within a limit (`reach`)
    `reach.reach` searches from each unit on its own, up to its limit
    (`distances.cells_in_reach.reach_many`, and `reach` where the cost is an expression).

One shortest path (`shortest_path`)
    `path_on_grid.problem_on` chooses; each search ends at its goal.

    - `GridProblem` by `paths.shortest_path_uniform`: plain grids with one cost. It jumps along
      straight runs.
    - `GridProblem` by `paths.shortest_path_weighted`: all other grids, and a cost per cell.
    - `GraphProblem` by `paths.graph_search`: hexagons and graphs, and the polygons of a mesh from
      center to center.
    - `GraphProblem` by `paths.any_angle`: straight lines through the portals of a mesh, with
      `smooth=True` and one cost.
    - `TimedProblem` by `paths.danger`: danger that changes with time.

    With `smooth=True` paths on grids are straightened afterwards (`paths.smoothing`), and paths
    over polygons are pulled tight (`path_on_mesh.pulled`).
"""
