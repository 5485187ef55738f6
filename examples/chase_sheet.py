"""Where did the runner go? A flood from the last sighting, step by step, on a map file of yours
or on a generated cave.

    python examples/chase_sheet.py [MAP] [--picture chase.png]

The runner crosses the whole map and is seen for the last time after a third. Red is the heat, blue
the barrier behind the runner, the white arrow the true position, the green ring the estimate.
"""

from __future__ import annotations

import argparse

import numpy as np

import fieldcraft as fc
from fieldcraft_worlds.scene import Areas, Field, Lines, Marks, Scene
from fieldcraft_worlds.view.extent import extent_of
from fieldcraft_worlds.view.scene import SceneView

WIDE = 400
SEEN = 0.3  # share of the path after which the runner is lost


def long_path(space: fc.Grid | fc.Graph) -> fc.Path:
    """Return a long path: to one of forty places, from the cell farthest from it."""
    open_cells = np.flatnonzero(~space.walls.reshape(-1))
    longest = None, 0.0
    for goal in open_cells[:: max(1, len(open_cells) // 40)]:
        away = fc.distance_map(space, space.position_of(int(goal))).values.reshape(-1)
        away = np.where(np.isfinite(away), away, 0)
        if away.max() > longest[1]:
            longest = (int(np.argmax(away)), int(goal)), float(away.max())
    if longest[0] is None:
        raise SystemExit("No two places of this map are connected")
    return fc.shortest_path(space, *(space.position_of(cell) for cell in longest[0]))


def panel(view: SceneView, hunt: fc.Pursuit, path: fc.Path, gone: float) -> np.ndarray:
    """Return a picture of the flood and of the runner after `gone` world units."""
    space = hunt.space
    here, ahead = path.at([gone, min(gone + 1e-3 * path.length, path.length)])[:, :2]
    size = float(np.ptp(path.positions[:, :2], axis=0).max()) / 26
    scene = Scene(
        space,
        field=Field(hunt.values, "heat", limits=(0, 1), colors="danger"),
        areas=(Areas(hunt.barrier, ("#3987e5",), opacity=0.8),),
        lines=(Lines((path.positions[:, :2],), "muted", width=1.0, opacity=0.7),),
        marks=(
            Marks(hunt.last_seen[np.newaxis, :2], "cross", size, "ink"),
            Marks(hunt.estimate("medoid")[np.newaxis, :2], "ring", size * 1.4, "good"),
            Marks(here[np.newaxis], "triangle", size, "ink", directions=(ahead - here)[np.newaxis]),
        ),
    )
    return view.draw(scene).copy()


def main() -> None:
    """Run the flood and draw its moments side by side."""
    parser = argparse.ArgumentParser(description="A flood after a fugitive, step by step.")
    parser.add_argument("map", nargs="?", help="a map file; without one a cave is generated")
    parser.add_argument("--picture", default="chase.png", metavar="FILE")
    parser.add_argument("--panels", type=int, default=8)
    chosen = parser.parse_args()
    space = (
        fc.load_map(chosen.map)
        if chosen.map
        else fc.generate_map("cave", 96, 64, seed=11, neighbors=8)
    )

    path = long_path(space)
    seen = SEEN * path.length
    here, ahead = path.at([seen, seen + 0.02 * path.length])
    hunt = fc.Pursuit(space, here, ahead - here, speed=1.0, most_hot=10**6, most_steps=10**4)
    # At one world unit a second the runner is near the end of the path then.
    most = int(0.8 * (path.length - seen) / hunt.every)
    moments = np.unique(
        np.ceil(most * np.linspace(0, 1, chosen.panels + 1)[1:] ** 1.5).astype(int)
    ).tolist()

    across, down = extent_of(space)[1].tolist()
    view = SceneView(WIDE, int(np.clip(WIDE * down / across, WIDE / 2, 2 * WIDE)))
    frames, titles = [], []
    for step in moments:
        hunt.step(step - hunt.steps)
        gone = min(seen + hunt.time, path.length)
        away = float(np.sqrt(((hunt.estimate() - path.at(gone)) ** 2).sum()))
        frames.append(panel(view, hunt, path, gone))
        titles.append(f"step {hunt.steps}: {len(hunt.hot)} hot, guess {away:.0f} off")
        if hunt.stopped:
            print(f"the flood ended {hunt.stopped}")
            break
    caption = (
        "Red is where the runner may be, the brighter the likelier; blue the barrier behind the"
        " runner; the cross the last sighting, the arrow the true position, the ring the estimate."
    )
    legend = fc.view.ScaleLegend(view.scale, "heat")
    fc.view.save_png(
        chosen.picture,
        fc.view.page(
            frames,
            titles,
            columns=4,
            legend=legend,
            title="Where did the runner go?",
            caption=caption,
        ),
    )
    print(f"{chosen.picture}: {len(frames)} moments on {space!r}")


if __name__ == "__main__":
    main()
