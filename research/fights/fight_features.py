"""The features of fights: maps of a match at a moment, by name, and the models made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fieldcraft import InfluenceMap, Radial, Spread
from fieldcraft.kernels.shared.arrays import Floats
from research.fights.matches import PLAYERS, WINDOW, Force, Match
from research.fights.moments import Moment
from research.recordings.losses import Losses

_ARMY_REACH = 20.0  # game cells that an army's influence reaches, on foot
_ASSET_REACH = 12.0
_DECAY = 0.2  # of an army's influence that spreads, a game cell: the best of 0.05, 0.1 and 0.2
_FAINTEST = 1e-6
_NEAR = 4.0  # game cells within which distances hardly matter
_MEMORY = 60.0  # seconds in which a past loss counts half
_BLUR = 8.0  # game cells that a past loss is spread over
_FRAME_BLUR = 0.15  # of half the way between the bases, about ten game cells
_NO_DENSITY = 0.01

LAYERS = ("tension", "influence", "vulnerability", "threatened", "assets")
SPREADING = ("spread of both armies", "spread of an army")
DISTANCES = ("to both armies", "to an army", "to a base", "to the farther base")
ELSEWHERE = "losses elsewhere"
_LAST = ("last loss", "losses so far")
_BASELINE_FEATURES = (*_LAST, "nearest enemies", "midway", ELSEWHERE)

# What each model of a fight is made of. A baseline is what anybody would say who draws no influence
# map.
BASELINES: Mapping[str, tuple[str, ...]] = {
    "uniform": (),
    "last fight": _LAST,
    "nearest enemies": ("nearest enemies",),
    "losses elsewhere": (ELSEWHERE,),
    "midway": ("midway",),
    "all baselines": _BASELINE_FEATURES,
}
ASKED: Mapping[str, tuple[str, ...]] = {
    "tension": ("tension",),
    "vulnerability": ("vulnerability",),
    "threatened": ("threatened",),
    "layers of sums": LAYERS,
    "layers that spread": SPREADING,
    "all layers": (*LAYERS, *SPREADING),
    "distances": DISTANCES,
    "everything": (*LAYERS, *SPREADING, *DISTANCES, *_BASELINE_FEATURES),
}
MODELS: Mapping[str, tuple[str, ...]] = {**BASELINES, **ASKED}
# What a forecast of everything is asked to do without, to see what that adds.
_GROUPS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in LAYERS},
    "all layers of sums": LAYERS,
    "all that spread": SPREADING,
    "all layers": (*LAYERS, *SPREADING),
    "distances": DISTANCES,
    "layers and distances": (*LAYERS, *SPREADING, *DISTANCES),
    "last fight": _LAST,
    "all baselines": _BASELINE_FEATURES,
}
PARTS: Mapping[str, tuple[str, ...]] = {
    name: tuple(feature for feature in ASKED["everything"] if feature not in left_out)
    for name, left_out in _GROUPS.items()
}


def moments_of(match: Match, view: str) -> Iterator[Moment]:
    """Return every moment of a match with losses in the window after it, with the knowledge of the
    view at that time.
    """
    layers = _Layers(match)
    for seconds, first, second in match.seen(view, match.moments()):
        past = match.losses.between(-1.0, seconds)
        features = {
            **layers.at(first, second),
            **_distances(match, first, second),
            **_baselines(match, seconds, first, second, past),
        }
        ahead = match.losses.between(seconds, seconds + WINDOW)
        yield Moment(seconds, features, match.cells_of(ahead.positions))


class _Layers:
    """The layers of a match: influence of both armies over walkable ground, and of the assets that
    they defend.
    """

    def __init__(self, match: Match) -> None:
        self._open = match.open
        imap = InfluenceMap(match.grid)
        self._map = imap
        self._armies = imap.add_teams(PLAYERS, Radial(_ARMY_REACH, "linear", metric="path"))
        self._assets = [
            imap.add_layer(f"assets of {player}", Radial(_ASSET_REACH, "linear"))
            for player in PLAYERS
        ]
        spread = Spread(_DECAY, 1.0, floor=_FAINTEST / 10)
        self._spreading = [imap.add_layer(f"spread of {player}", spread) for player in PLAYERS]

    def at(self, first: Force, second: Force) -> dict[str, Floats]:
        for player, assets, spread, force in zip(
            PLAYERS, self._assets, self._spreading, (first, second), strict=True
        ):
            for army in (self._armies[player], spread):
                army.sync(
                    range(len(force.army)),
                    force.army,
                    force.strengths,
                    on_wall="nearest",
                    outside="clamp",
                )
            spread.settle()
            assets.sync(
                range(len(force.assets)),
                force.assets,
                force.worths,
                on_wall="nearest",
                outside="clamp",
            )
        self._map.step()
        mine, theirs = (
            self._armies[player].values.reshape(-1)[self._open].astype(np.float64)
            for player in PLAYERS
        )
        own, other = (
            assets.values.reshape(-1)[self._open].astype(np.float64) for assets in self._assets
        )
        maps = {
            "tension": self._armies.tension().values.reshape(-1)[self._open].astype(np.float64),
            "influence": np.abs(mine - theirs),
            "vulnerability": self._armies.vulnerability()
            .values.reshape(-1)[self._open]
            .astype(np.float64),
            "threatened": np.minimum(mine, other) + np.minimum(theirs, own),
            "assets": own + other,
        }
        reached = [
            np.log(spread.values.reshape(-1)[self._open].astype(np.float64) + _FAINTEST)
            for spread in self._spreading
        ]
        return {
            **{name: np.log1p(np.maximum(values, 0.0)) for name, values in maps.items()},
            "spread of both armies": np.minimum(*reached),
            "spread of an army": np.maximum(*reached),
        }


def _distances(match: Match, first: Force, second: Force) -> dict[str, Floats]:
    """Return minus the logarithm of straight distances to the nearest of some places; 0 without
    places.
    """
    armies = [_nearest(match.places, force.army) for force in (first, second)]
    bases = [
        _nearest(match.places, np.concatenate([force.halls, match.bases[[side]]]))
        for side, force in enumerate((first, second))
    ]
    return {
        "to both armies": _closeness(np.maximum(*armies)),
        "to an army": _closeness(
            np.minimum(*armies) if len(first.army) and len(second.army) else np.maximum(*armies)
        ),
        "to a base": _closeness(np.minimum(*bases)),
        "to the farther base": _closeness(np.maximum(*bases)),
    }


def _baselines(
    match: Match, now: float, first: Force, second: Force, past: Losses
) -> dict[str, Floats]:
    places = match.places
    freshness = np.exp2(-(now - past.seconds) / _MEMORY)
    gaps = places[:, None] - past.positions[None]
    so_far = np.exp(-(gaps**2).sum(axis=2) / (2 * _BLUR**2)) @ freshness
    pair = _closest_pair(first, second)
    middle = match.bases.mean(axis=0)
    return {
        "last loss": _closeness(_nearest(places, past.positions[-1:])),
        "losses so far": np.log1p(so_far),
        "nearest enemies": _closeness(_nearest(places, pair)),
        "midway": _closeness(_nearest(places, middle[None])),
    }


def _closest_pair(first: Force, second: Force) -> Floats:
    """Return the middle of the two nearest enemies, at least one of them in an army: (1, 2), or (0,
    2) for none.
    """
    best = np.inf
    place = np.zeros((0, 2))
    for one, other in (
        (first.army, second.army),
        (first.army, second.assets),
        (first.assets, second.army),
    ):
        if len(one) and len(other):
            gaps = ((one[:, None] - other[None]) ** 2).sum(axis=2)
            row, column = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
            if gaps[row, column] < best:
                best = float(gaps[row, column])
                place = (one[[row]] + other[[column]]) / 2
    return place


def _nearest(places: Floats, things: Floats) -> Floats:
    """Return the distance to the nearest of some places; 0 everywhere without places."""
    if not len(things):
        return np.zeros(len(places))
    return np.asarray(np.sqrt(((places[:, None] - things[None]) ** 2).sum(axis=2).min(axis=1)))


def _closeness(distances: Floats) -> Floats:
    return np.asarray(-np.log1p(distances / _NEAR))


def density(match: Match, others: Sequence[Match]) -> Floats:
    """Return the logarithm of the density of losses of other matches in each open cell, (C,), each
    match with the same weight.

    Different maps are compared in a frame with the start places of the players at (-1, 0) and (1,
    0); a loss also counts in its mirrored places, because the numbers of the players and the sides
    of the line between them have no meaning.
    """
    here = _framed(match, match.places)
    total = np.zeros(len(here))
    for other in others:
        u, v = _framed(other, other.losses.positions).T
        images = np.concatenate(
            [np.stack([a * u, b * v], axis=1) for a in (1, -1) for b in (1, -1)]
        )
        for begin in range(0, len(images), 512):
            gaps = here[:, None] - images[None, begin : begin + 512]
            total += np.exp(-(gaps**2).sum(axis=2) / (2 * _FRAME_BLUR**2)).sum(axis=1) / len(images)
    return np.log(total / max(len(others), 1) + _NO_DENSITY)


def _framed(match: Match, places: Floats) -> Floats:
    along = (match.bases[1] - match.bases[0]) / 2
    size = float(along @ along)
    away = places - match.bases.mean(axis=0)
    across = np.array([-along[1], along[0]])
    return np.stack([away @ along, away @ across], axis=1) / size
