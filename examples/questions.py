"""Twelve questions that games ask again and again, from examples/questions.toml.

python examples/questions.py                          # ask each of them and explain the answer
python examples/questions.py cover                    # explain one of them
python examples/questions.py --picture questions.png  # a picture of all twelve
"""

import argparse
from pathlib import Path

import numpy as np

import fieldcraft as fc

QUESTIONS = Path(__file__).with_suffix(".toml")
BUILDINGS = [(3, 4, 7, 5), (3, 20, 5, 6), (12, 13, 6, 4), (13, 3, 3, 7), (14, 22, 7, 3)]
BUILDINGS += [(22, 7, 4, 8), (24, 17, 3, 2), (29, 3, 7, 3), (31, 10, 5, 4), (30, 21, 4, 5)]
BUILDINGS += [(37, 17, 3, 7), (40, 4, 4, 5), (41, 13, 5, 2)]
WIDTH, HEIGHT = 48, 30
MARKS = {"me": "#f4f5f7", "enemies": "#ff5a4d", "target": "#ff5a4d", "allies": "#4aa8ff"}
MARKS |= {"kits": "#ffd24a", "ammo": "#ffd24a", "corner": "#ffd24a", "coming": "#ff8c42"}
MARKS |= {"base": "#4aa8ff", "ore": "#ffd24a"}


def scene():
    """The map with its layers, and what the questions name."""
    walls = np.zeros((HEIGHT, WIDTH), dtype=bool)
    for x, y, width, height in BUILDINGS:
        walls[y : y + height, x : x + width] = True
    imap = fc.InfluenceMap(fc.Grid(walls=walls, neighbors=8))
    enemies = [(36.5, 8.5), (28.5, 14.5)]
    threat = imap.add_layer("threat", fc.Radial(11, "linear", metric="sight"))
    threat.add_sources(enemies)
    seen = imap.add_layer("seen", fc.Fade(amount=1, interval=60, maximum=1))
    seen.mark(fc.visible(imap.space, (20.5, 18.5), 14))
    imap.step()
    return imap, {
        "room": fc.question.Clearance(imap.space),
        "me": (20.5, 18.5),
        "enemies": enemies,
        "target": (28.5, 14.5),
        "facing": (-1.0, 0.3),
        "allies": [(9.5, 11.5), (10.5, 27.5)],
        "kits": [(11.5, 2.5), (27.5, 9.5), (42.5, 27.5), (24.5, 27.5)],
        "ammo": [(38.5, 2.5), (20.5, 5.5), (35.5, 24.5), (1.5, 15.5)],
        "corner": (20.5, 12.5),
        "coming": [(19.5, 1.5), (19.5, 4.5), (20.5, 8.5)],
        "base": (10.5, 18.5),
        "ore": [(9.5, 1.5)],
    }


def answers():
    """Each question with its answer."""
    imap, given = scene()
    for name, question in fc.Question.read(QUESTIONS).items():
        yield imap, given, name, question.ask(imap, rng=np.random.default_rng(4), **given)


def drawn(imap, given, name, answer):
    """A picture of one answer."""
    place = fc.view.Placement(imap.space, scale=9)
    frame = fc.view.frame(imap["threat"], scale=9, sources=False, limits=(0, 1.6))
    words = QUESTIONS.read_text().split(f"[{name}]")[1].split("\n[")[0]
    for mark, color in MARKS.items():
        if f'"{mark}"' in words or mark in ("me", "enemies"):
            fc.view.draw_dots(frame, place, given[mark], color=color, width=13)
    fc.view.draw_candidates(frame, place, answer.explain(), width=6, numbers=True)
    return frame


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", nargs="?", help="only this question")
    options.add_argument("--picture", type=Path, help="where to save the picture")
    chosen = options.parse_args()
    found = [each for each in answers() if chosen.name in (None, each[2])]
    if chosen.picture:
        frames = [drawn(*each) for each in found]
        fc.view.save_png(
            chosen.picture, fc.view.page(frames, [each[2] for each in found], columns=2)
        )
    else:
        for *_, answer in found:
            print(answer.explain(), "\n")
