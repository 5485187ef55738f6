"""A recipe come alive: its map, its layers, and everything that acts on them, moved on by one
clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.compose.formula import formula
from fieldcraft.compose.teams import Teams, add_teams
from fieldcraft.errors import FieldcraftError
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import RadialLayer, SourceLayer, SpreadLayer
from fieldcraft.layer.operand import Operand
from fieldcraft.recipe.actors import Actor, Deposit, Scripted, recordings
from fieldcraft.recipe.document import RecipeFile
from fieldcraft.recipe.loading import load_space, load_timeline
from fieldcraft.recipe.parts import LayerPart, Recipe, SourcePart, TeamsPart, maps_of_teams
from fieldcraft.recipe.places import check_places, on_map, stride_of
from fieldcraft.settings_file import dotted
from fieldcraft.space import grid_of

__all__ = ["World", "played"]

MAX_STEPS = 2**31 - 1
_MOST_CELLS = 256


class World:
    """The influence map of a recipe and its clock.

    Building it reads the map and the recordings and checks every position beforehand; what is wrong
    raises `BadRecipe` with all problems at once. `go_to(seconds)` moves on. `imap` is the influence
    map, `maps` are its layers and all that follows from them by name, `teams` the teams if there
    are any.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        problems = recipe.document
        space = load_space(recipe.map, problems)
        timelines = [(part, load_timeline(part, problems)) for part in recipe.timelines]
        if space is not None:
            self.imap = InfluenceMap(space)
            self.teams: Teams | None = None
            self.maps: dict[str, Operand] = {}
            self._add_layers(problems)
            self._add_formulas(problems)
        problems.raise_all()
        self.step = recipe.step
        self.steps = math.floor(recipe.run.seconds / self.step + 1e-9)
        self._parts = {part.name: part for part in recipe.acting}
        ends = {name: (self.imap[name], part) for name, part in self._parts.items()}
        scripted = [Scripted(part, *ends[part.layer]) for part in recipe.sources]
        deposits = [Deposit(part, *ends[part.layer]) for part in recipe.deposits]
        players = [
            (part, timeline.play(faint=part.faint))
            for part, timeline in timelines
            if timeline is not None
        ]
        self._recorded = recordings(ends, players, problems)
        self._actors: list[Actor] = [*scripted, *self._recorded, *deposits]
        for source in scripted:
            source.check(self.step, recipe.run.seconds, problems)
        for deposit in deposits:
            check_places(
                deposit.layer, np.array([deposit.part.position]), deposit.part, "position", problems
            )
        self._check_map(problems)
        problems.raise_all()
        self.updates = dict.fromkeys(self.imap.layers, 0)
        self._done = 0
        try:
            self._act(live=True)
            self._act(live=False)
            self._show(self._parts)
        except FieldcraftError as error:
            problems.add(("layers",), str(error))
            problems.raise_all()
        if recipe.run.settle:
            for layer in self.imap.layers.values():
                if isinstance(layer, SpreadLayer):
                    layer.settle()

    @property
    def seconds(self) -> float:
        """The world's time."""
        return self._done * self.step

    def go_to(self, seconds: float) -> None:
        """Moves on to the last step at or before `seconds`; never goes back."""
        target = min(math.floor(seconds / self.step + 1e-9), self.steps)
        while self._done < target:
            self.tick()

    def tick(self) -> None:
        """Moves on by one step, beyond the recipe's end, too."""
        self._done += 1
        self._act(live=True)  # before the update, so that a layer shows its sources where they are
        report = self.imap.advance(self.step, max_steps=MAX_STEPS)
        for name, count in report.steps.items():
            self.updates[name] += count
        self._act(live=False)
        self._show(name for name, count in report.steps.items() if count)

    def release(self, layer: str, source: int) -> None:
        """Leave a source to others: it no longer walks, and stays when its time is over."""
        for actor in self._scripted(layer):
            actor.release(source)

    def walls_changed(self) -> None:
        """Let all that moves keep to the nearest open cell: paths were checked before."""
        for actor in self._actors:
            actor.policies = actor.policies._replace(on_wall="nearest")

    def part_of(self, layer: str, source: int) -> SourcePart | None:
        """The part of the recipe that a source came from, also when it was released since; None for
        others.
        """
        scripted = self._scripted(layer)
        return next((actor.part for actor in scripted if actor.source == source), None)

    def _scripted(self, layer: str) -> list[Scripted]:
        actors = [actor for actor in self._actors if isinstance(actor, Scripted)]
        return [actor for actor in actors if actor.layer is self.imap[layer]]

    def _act(self, live: bool) -> None:
        """Move the live sources to this moment, or let all others act."""
        now, passed = self._done * self.step, self.step if self._done else 0.0
        for actor in self._actors:
            if (actor.of.is_live and not isinstance(actor, Deposit)) == live:
                actor.act(now, passed)

    def _show(self, updated: Iterable[str]) -> None:
        """Lets layers that hold nothing of their own show what acts on them now; waves that spread
        take their time.
        """
        for name in updated:
            layer = self.imap[name]
            if isinstance(layer, RadialLayer):
                layer.settle()
            elif self._parts[name].is_cleared:
                layer.write(np.zeros(layer.space.shape, dtype=np.float32))
                for actor in self._actors:
                    if actor.layer is layer:
                        actor.stamp()

    def _check_map(self, problems: RecipeFile) -> None:
        """Notes what this kind of map can't have: places in other dimensions, and pictures of grids
        on graphs.
        """
        space = self.imap.space
        for part in self.recipe.timelines:
            if space.dimensions == 3:
                problems.add(
                    part.keys,
                    f"{dotted(part.keys)}: Recordings have (x, y). This map has (x, y, z). Take a"
                    " map in two dimensions.",
                )
        for output in self.recipe.outputs:
            where = dotted(output.keys)
            for name, point in output.points.items():
                keys = (*output.keys, "points", name)
                if len(point) != space.dimensions:
                    problems.add(
                        keys,
                        f"{where}: A point has {space.dimensions} numbers on this map. Got"
                        f" {list(point)}. Mend it.",
                    )
                elif not on_map(space, np.array([point]))[0]:
                    problems.add(
                        keys, f"{where}: A point lies on the map. Got {list(point)}. Move it."
                    )
            if output.look.floors is not None and space.dimensions != 3:
                problems.add(
                    (*output.keys, "floors"),
                    f"{where}: floors are those of a 3D graph. The map is flat. Leave it out.",
                )
            if space.sight_grid is space:
                continue
            for key in ("crop", "front_lines", "together"):
                if getattr(output.look, key):
                    problems.add(
                        (*output.keys, key),
                        f"{where}: {key} is for pictures of square cells. The map has none. Leave"
                        " it out.",
                    )
            for name in set(output.layers) & {"owner", "share"}:
                problems.add(
                    (*output.keys, "layers"),
                    f"{where}: {name!r} is a picture of square cells, and the map has none. Show"
                    " `share TEAM` maps.",
                )

    def _add_layers(self, problems: RecipeFile) -> None:
        teams = self.recipe.teams
        for part in self.recipe.layers:
            try:
                if part.is_cleared:
                    self.imap.add_layer(
                        part.name, values=self._nothing(part), **_grid_options(part)
                    )
                else:
                    self.imap.add_layer(part.name, part.propagation, **_grid_options(part))
            except FieldcraftError as error:
                problems.add(part.keys, f"layers.{part.name}: {error}")
        if teams is not None:
            try:
                self.teams = add_teams(
                    self.imap,
                    teams.names,
                    teams.layer.propagation,
                    hostile=teams.hostile,
                    **_grid_options(teams.layer),
                )
            except FieldcraftError as error:
                problems.add(("teams",), f"teams: {error}")
        self.maps.update(self.imap.layers)
        if self.teams is not None and teams is not None:
            for name in maps_of_teams(teams.names):
                self.maps[name] = _map_of(self.teams, name, teams.stake)

    def _nothing(self, part: LayerPart) -> NDArray[np.float32]:
        """The empty array of a layer of stamps."""
        space = self.imap.space
        if part.cell_size is not None:
            space = grid_of(space, "cell_size").coarser(part.cell_size)
        return np.zeros(space.shape, dtype=np.float32)

    def _add_formulas(self, problems: RecipeFile) -> None:
        for part in self.recipe.formulas:
            try:
                self.maps[part.name] = formula(part.text, self.maps)
            except FieldcraftError as error:
                problems.add_error((*part.keys, ""), error)

    def owner(self) -> NDArray[np.int32]:
        """Return the number of each cell's team, -1 for nobody, shape (height, width)."""
        part, teams = self._of_teams
        return teams.owner(by=part.owner_by, margin=part.margin)

    @property
    def _of_teams(self) -> tuple[TeamsPart, Teams]:
        part, teams = self.recipe.teams, self.teams
        assert part is not None and teams is not None
        return part, teams

    def front_lines(self) -> list[NDArray[np.float64]]:
        """Return the lines between the ground of hostile teams, shape (N, 2) each."""
        part, teams = self._of_teams
        return [line.points for line in teams.front_lines(by=part.owner_by)]

    def holdings(self, what: str) -> list[float]:
        """How much of the open ground each team holds, 0 to 1, and last how much nobody does.

        "share": the mean of the team's share over the open cells. "owned": the part of them that it
        owns.
        """
        _, teams = self._of_teams
        names, is_open = teams.names, ~teams[teams.names[0]].space.walls
        cells = max(int(np.count_nonzero(is_open)), 1)
        if what == "owned":
            owner = self.owner()[is_open]
            found = [int(np.count_nonzero(owner == number)) / cells for number in range(len(names))]
        else:
            found = [
                float(self.maps[f"share {name}"].values[is_open].sum(dtype=np.float64)) / cells
                for name in names
            ]
        return [*found, max(1.0 - sum(found), 0.0)]

    def strongest(self, name: str) -> tuple[float, float]:
        """The lowest and the highest value, 0 included, that anything of the recipe brings into a
        layer; see `limits_of` for trails.
        """
        strengths = [0.0]
        strengths += [part.strength for part in self.recipe.sources if part.layer == name]
        strengths += [
            part.amount
            for part in self.recipe.deposits
            if part.layer == name and not isinstance(part.amount, tuple)
        ]
        for recorded in self._recorded:
            if recorded.layer.name == name:
                for part, player in recorded.players:
                    rows = np.isin(
                        player.timeline.group_of,
                        [
                            player.timeline.groups.index(g)
                            for g, to in part.layers.items()
                            if to == name
                        ],
                    )
                    if rows.any():
                        played = player.timeline.strengths[rows] * part.strength
                        strengths += [float(played.min()), float(played.max())]
        of = self._parts[name]
        if of.is_cleared:
            weights = self._weights(name)
            strengths = [strength * weight for strength in strengths for weight in (*weights, 0.0)]
        span = min(strengths), max(strengths)
        return of.propagation._value_range(*span) or span

    def _weights(self, name: str) -> tuple[float, float]:
        """The lowest and the highest weight of the stamps on a layer."""
        space = self.imap[name].space
        own = [part.stamp for part in self.recipe.sources if part.layer == name]
        stamping = self._parts[name].stamping
        given = (*own, None if stamping is None else stamping.stamp)
        stamps = [stamp for stamp in given if stamp is not None]
        most = max(space.shape) if len(space.shape) == 2 else _MOST_CELLS
        prints = [
            stamp.on(stride_of(space), y_up=space.y_up, most=most).weights for stamp in stamps
        ]
        return min(float(each.min()) for each in prints), max(float(each.max()) for each in prints)

    def actors_on(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where everything is that acts on a layer now, (N, 2) or (N, 3), and how strong, (N,)."""
        layer = self.imap[name]
        if isinstance(layer, SourceLayer):
            return layer.sources.positions, layer.sources.strengths.astype(np.float64)
        shown = [
            found
            for actor in self._actors
            if actor.layer is layer and len((found := actor.shown())[0])
        ]
        if not shown:
            return np.zeros((0, layer.space.dimensions)), np.zeros(0)
        places, strengths = zip(*shown, strict=True)
        return np.concatenate(places), np.concatenate(strengths)

    def has_sources(self, name: str) -> bool:
        """Whether what acts on a layer are its live sources."""
        return self._parts[name].is_live

    def holds_vectors(self, name: str) -> bool:
        """Whether a layer is a trail of vectors."""
        return self.is_trail(name) and self._parts[name].vector

    def is_trail(self, name: str) -> bool:
        """Whether a map is a layer with a trail, whose values nobody knows beforehand."""
        return name in self._parts and self._parts[name].gathers

    def fading(self, names: Iterable[str]) -> set[float]:
        """Return the half-lives, in seconds, of recorded strengths that fade in some layers."""
        found: set[float] = set()
        for recorded in self._recorded:
            if recorded.layer.name in names:
                for _, player in recorded.players:
                    half_lives = player.timeline.half_lives
                    found.update(np.unique(half_lives[np.isfinite(half_lives)]).tolist())
        return found


def _map_of(teams: Teams, name: str, stake: float) -> Operand:
    """The map that follows from teams by its name in a recipe: "tension", "share red"."""
    what, _, team = name.partition(" ")
    if what == "tension":
        return teams.tension()
    if what == "contested":
        return teams.contested()
    if what == "influence":
        return teams.influence(team)
    if what == "share":
        return teams.share(team)
    return teams.vulnerability(team, stake=stake) if team else teams.vulnerability()


def _grid_options(part: LayerPart) -> dict[str, Any]:
    return {
        "every": part.every,
        "cell_size": part.cell_size,
        "walls": None if part.walls else False,
    }


def played(recipe: Recipe, seconds: float | None = None) -> InfluenceMap:
    """The influence map of a recipe after so many seconds, at most those of its run; None for its
    end.

    Nothing is written to files. Raises `BadRecipe` for a map or a recording that can't be read, and
    `InvalidValue`.
    """
    checks.instance(
        recipe,
        Recipe,
        "A world follows a recipe",
        "Pass what fieldcraft.recipe.read_recipe() gives",
    )
    until = recipe.run.seconds if seconds is None else checks.not_negative("seconds", seconds)
    world = World(recipe)
    world.go_to(min(until, recipe.run.seconds))
    return world.imap
