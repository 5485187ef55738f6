"""An explorer that does not walk in circles; docs/memory.md explains it step by step.

python examples/explorer.py                         # prints how much of a maze a random walk, a
                                                    # memory, and three with one memory see
python examples/explorer.py --picture explorer.png  # the same as a picture
"""

import argparse

import numpy as np

import fieldcraft as fc

maze = fc.generate_map("maze", 41, 27, seed=3, algorithm="growing", loops=0.4)
cells = np.count_nonzero(~maze.walls)


def explored(steps, monsters=1, sight=2, seed=7):
    """The memory of monsters that walk to the least known cell within sight."""
    world = fc.InfluenceMap(maze)
    memory = world.add_layer("memory", fc.Fade(amount=0.5, interval=1.0, maximum=100.0))
    rng = np.random.default_rng(seed)
    places = np.tile(maze.position_of(maze.nearest_open(0)), (monsters, 1))
    for _ in range(steps):
        memory.mark(places)  # been here just now: 100
        places = fc.query.explore_step(memory, places, sight, rng=rng, one_per_cell=True).positions
        world.advance(0.25)  # and what is older fades
    return memory


def wandered(steps, seed=7):
    """The memory of a monster that has one and walks at random all the same."""
    world = fc.InfluenceMap(maze)
    memory = world.add_layer("memory", fc.Fade(amount=0.5, interval=1.0, maximum=100.0))
    nothing = world.add_layer("nothing", values=np.zeros(maze.shape))
    rng = np.random.default_rng(seed)
    place = maze.position_of(maze.nearest_open(0))
    for _ in range(steps):
        memory.mark(place)
        place = fc.query.explore_step(
            nothing, place, rng=rng
        ).positions  # all equally known: dice decide
        world.advance(0.25)
    return memory


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--picture", metavar="FILE", help="write the picture")
    chosen = parser.parse_args()
    steps = cells
    found = {
        "at random": wandered(steps),
        "by memory": explored(steps),
        "three with one memory": explored(steps, monsters=3),
    }
    titles = [
        f"{name}: {100 * np.count_nonzero(memory.values) / cells:.0f} % of the maze"
        for name, memory in found.items()
    ]
    print(f"after {steps} steps in a maze of as many cells", *titles, sep="\n")
    if chosen.picture:
        frames = [fc.view.frame(memory, size=440, limits=(0, 100)) for memory in found.values()]
        caption = (
            f"A maze of {cells} cells after {steps} steps. Bright is where a monster has just been,"
            " dark where it was long ago."
        )
        fc.view.save_png(
            chosen.picture,
            fc.view.page(frames, titles, title="Explorers", caption=caption, columns=2),
        )
