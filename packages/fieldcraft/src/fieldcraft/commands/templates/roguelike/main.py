"""A dungeon in a tcod window: find the amulet, while rats follow your scent.

    python main.py                # arrow keys walk, R starts again, Escape ends
    python main.py --turns 40     # plays 40 turns by itself and writes main.png

Rats smell where you were and follow the trail around corners; bats keep out of your light. The map
that you know fades where you have not been for long.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import tcod.console
import tcod.context
import tcod.event
import tcod.tileset
from PIL import Image, ImageDraw, ImageFont

import fieldcraft as fc
from fieldcraft.formats.adapters import tcod as with_tcod

WIDTH = 60
HEIGHT = 36
TILE = 18
FONT = Path(fc.view.__file__).parent / "fonts" / "DejaVuSans-Bold.ttf"
KEYS = {
    tcod.event.KeySym.LEFT: (-1, 0),
    tcod.event.KeySym.RIGHT: (1, 0),
    tcod.event.KeySym.UP: (0, -1),
    tcod.event.KeySym.DOWN: (0, 1),
}


class Dungeon:
    """The state of the game. One step of the influence map is one turn."""

    def __init__(self, seed: int = 4) -> None:
        # Your own array in tcod's order: tiles["walkable"], indexed [x, y].
        rooms = fc.generate_map("rooms", WIDTH, HEIGHT, seed=seed)
        self.walkable = np.asfortranarray(~rooms.walls.T)
        self.space = with_tcod.grid(self.walkable)
        self.imap = fc.InfluenceMap(self.space)
        self.scent = self.imap.add_layer("scent", fc.Trail(keep=0.93), every=1.0)
        self.light = self.imap.add_layer("light", fc.Radial(7, "linear", metric="sight"), every=1.0)
        self.known = self.imap.add_layer("known", fc.Fade(half_life=80.0), every=1.0)
        self.rng = np.random.default_rng(seed)
        open_cells = np.flatnonzero(~self.space.walls)
        tiles = self.space.positions[self.rng.choice(open_cells, 10, replace=False)]
        self.hero = tiles[0]
        self.amulet = tiles[1]
        self.rats = tiles[2:6]
        self.bats = tiles[6:]
        self.torch = self.light.add_source(self.hero, 1.0)
        self.message = "Find the amulet *.  Arrow keys walk, R: again"
        self.turn()

    def walk(self, dx: int, dy: int) -> None:
        goal = self.hero + np.array([dx, dy])
        if not self.is_over and self.walkable[int(goal[0]), int(goal[1])]:
            self.hero = goal
            self.turn()

    def explore(self) -> None:
        """One turn towards the nearest ground that was not seen, for --turns."""
        if not self.is_over:
            self.hero = fc.query.explore_step(self.known, self.hero, rng=self.rng).positions
            self.turn()

    def turn(self) -> None:
        x, y = self.hero.astype(int).tolist()
        self.seen = with_tcod.field_of_view(self.walkable, (x, y), radius=8)
        self.known.mark(self.seen)
        self.scent.deposit(self.hero, 1.0)
        self.torch.move(self.hero)
        self.imap.step()
        hunt = fc.distance_map(self.space, self.hero, cost=1 + 4 / (0.05 + self.scent))
        smells = self.scent.sample(self.rats) > 0.01
        self.rats[smells] = hunt.step(self.rats, one_per_cell=True).positions[smells]
        self.bats = self.space.positions[fc.query.uphill(1 - self.light, self.bats).cells]
        if (self.rats == self.hero).all(axis=1).any():
            self.message = "A rat bites you.  R: again"
        elif (self.amulet == self.hero).all():
            self.message = "The amulet is yours.  R: again"

    @property
    def is_over(self) -> bool:
        return not self.message.startswith("Find")

    def draw(self, console: tcod.console.Console) -> None:
        console.clear()
        known = with_tcod.tiles_of(self.known) > 0
        light = with_tcod.tiles_of(self.light)[..., None]
        scent = np.clip(with_tcod.tiles_of(self.scent), 0, 1)[..., None]
        floor = light * (120, 92, 45) + scent * (10, 70, 25)
        area = console.rgb[:WIDTH, :HEIGHT]
        area["ch"] = np.where(self.walkable, ord("."), ord(" "))
        area["fg"] = (60, 64, 72)
        shown = np.where(self.walkable[..., None], floor, (58, 62, 72)) + 26 * known[..., None]
        area["bg"] = np.clip(shown, 0, 255)
        for sign, color, places in (
            ("*", (110, 220, 255), [self.amulet]),
            ("r", (255, 110, 90), self.rats),
            ("b", (190, 160, 255), self.bats),
            ("@", (255, 255, 255), [self.hero]),
        ):
            for x, y in np.asarray(places).astype(int).tolist():
                console.print(x, y, sign, fg=color)
        console.print(1, HEIGHT, self.message, fg=(255, 255, 255))


def letters() -> tcod.tileset.Tileset:
    """Square tiles with the letters of a font; use a tile sheet of your own in their place."""
    tileset = tcod.tileset.Tileset(TILE, TILE)
    font = ImageFont.truetype(str(FONT), TILE - 3)
    for code in range(32, 127):
        tile = Image.new("L", (TILE, TILE))
        middle = (TILE / 2, 0.78 * TILE)
        ImageDraw.Draw(tile).text(middle, chr(code), fill=255, font=font, anchor="ms")
        shape = np.full((TILE, TILE, 4), 255, dtype=np.uint8)
        shape[..., 3] = np.asarray(tile)
        tileset[code] = shape
    return tileset


def main(turns: int | None) -> None:
    if turns is not None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    tileset = letters()
    console = tcod.console.Console(WIDTH, HEIGHT + 1, order="F")
    dungeon = Dungeon()
    if turns is not None:
        for _ in range(turns):
            dungeon.explore()
        dungeon.draw(console)
        fc.view.save_png("main.png", tileset.render(console))
        return
    title = f"{Path(__file__).parent.name} - fieldcraft"
    with tcod.context.new(console=console, tileset=tileset, title=title) as context:
        while True:
            dungeon.draw(console)
            context.present(console)
            for event in tcod.event.wait():
                if isinstance(event, tcod.event.Quit):
                    return
                if isinstance(event, tcod.event.KeyDown):
                    if event.sym == tcod.event.KeySym.ESCAPE:
                        return
                    if event.sym == tcod.event.KeySym.R:
                        dungeon = Dungeon()
                    elif event.sym in KEYS:
                        dungeon.walk(*KEYS[event.sym])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=None)
    main(parser.parse_args().turns)
