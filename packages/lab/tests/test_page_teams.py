"""A map with teams on the page of the lab, and the colors of maps and legends, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import fieldcraft as fc
from fieldcraft import view
from fieldcraft.view.palettes import parse_color
from fieldcraft_lab import Lab
from fieldcraft_lab.session import Session
from support.pages import TOKEN, colors_at, page_of, place_of, settled, stepped
from support.sessions import small_map
from support.waiting import eventually

TEAMS = """
title = "Two sides"
[map]
generate = "empty"
width = 24
height = 13
[teams]
names = ["red", "blue"]
propagation = "radial"
radius = 16
falloff = "linear"
[[sources]]
layer = "red"
position = [6, 6]
strength = 6
[[sources]]
layer = "blue"
position = [18, 6]
strength = 6
[run]
seconds = 2
"""


@pytest.fixture
def teams(tmp_path: Path) -> Any:
    """A paused lab on a map of two teams."""
    (tmp_path / "teams.toml").write_text(TEAMS)
    with Lab(tmp_path / "teams.toml", playing=False, warm=False, token=TOKEN) as opened:
        yield opened


def test_a_map_with_teams_opens_as_a_map_of_teams(browser: Any, teams: Lab) -> None:
    """Both colors mixed as in `frame_teams`, the front line, both legends, the owner among the
    layers, and sources in the color of their team.
    """
    page = page_of(browser, teams, color_scheme="dark")
    stepped(page, 5)
    settled(page, "lab.S.drawings['fronts|a']")
    settled(page, "document.querySelectorAll('#legend canvas').length === 2")
    legend = page.locator("#legend").inner_text()
    assert "red" in legend and "blue" in legend and "front line" in legend
    assert page.evaluate("lab.S.drawings['fronts|a'].lines.length") >= 1
    assert page.evaluate("lab.S.hello.maps").index("owner") == 2
    live = teams.session.live
    world = live.world  # type: ignore[attr-defined]
    limits = page.evaluate("[...document.querySelectorAll('#legend .num')].map(e => +e.innerText)")
    assert limits[0] == limits[2] == 0 and limits[1] == limits[3]
    picture = view.frame_teams(
        [(live.maps[name], color, name) for name, color in live.teams()],
        limits=(0, limits[1]),
        sources=False,
        scale=1,
    )
    places = [(x + 0.5, y + 0.5) for x in (2, 5, 10, 13, 16, 21) for y in (2, 10)]
    expected = [picture[int(y), int(x), :3] for x, y in places]
    eventually(lambda: np.allclose(colors_at(page, *places), expected, atol=3))
    colors = dict(live.teams())
    red = tuple(live.imap["red"].sources.positions[0].tolist())
    blue = tuple(live.imap["blue"].sources.positions[0].tolist())
    at_sources = [parse_color(colors["red"]), parse_color(colors["blue"])]
    eventually(lambda: np.allclose(colors_at(page, red, blue), at_sources, atol=4))
    assert world.teams is not None
    page.emulate_media(color_scheme="light")  # all color tables are made anew, and drawn once

    def both_are_there() -> bool:
        (of_red, of_blue) = np.array(colors_at(page, (4.5, 6.5), (20.5, 6.5)))
        return bool(of_red[0] > of_red[2] + 50 and of_blue[2] > of_blue[0] + 50)

    eventually(both_are_there)
    page.emulate_media(color_scheme="dark")
    page.click("[data-map=owner] button:has-text('Solo')")
    settled(page, "document.querySelectorAll('#legend .dot').length === 2")
    eventually(
        lambda: (
            colors_at(page, (2.5, 2.5), (21.5, 2.5))
            == [list(parse_color(colors[name])) for name in ("red", "blue")]
        )
    )
    assert page.problems == []
    page.close()


def test_maps_of_teams_show_the_sources_of_all(browser: Any, teams: Lab) -> None:
    """A formula on top has the legend."""
    page = page_of(browser, teams, color_scheme="dark")
    stepped(page, 5)
    settled(page, "document.querySelectorAll('#legend canvas').length === 2")
    page.click("[data-map=tension] button:has-text('Solo')")
    settled(page, "document.querySelector('#legend').innerText.includes('tension')")
    imap = teams.session.live.imap
    for name, color in teams.session.live.teams():
        place = imap[name].sources.positions[0].tolist()
        shown = np.array(parse_color(color))
        eventually(
            lambda place=place, shown=shown: np.allclose(colors_at(page, place), shown, atol=4)
        )
    page.fill("#formula-text", "red - 0.5 * blue")
    page.keyboard.press("Enter")
    settled(page, "document.querySelector('#legend').innerText.includes('red - 0.5 * blue')")
    assert page.locator("#legend canvas").count() == 1
    assert page.problems == []
    page.close()


def test_why_follows_the_map_while_time_is_paused(browser: Any, teams: Lab) -> None:
    page = page_of(browser, teams)
    page.mouse.move(*place_of(page, 6.5, 7.5))
    owned_by = "document.querySelector('#why').innerText.startsWith('{} owner')"
    settled(page, owned_by.format("red"))
    page.evaluate(
        "lab.order({ do: 'place', layer: 'blue', position: [7.5, 7.5], strength: 20 }, true)"
    )
    stepped(page, 1)
    settled(page, owned_by.format("blue"))
    page.evaluate("lab.send({ do: 'seek', moment: 0 })")
    page.keyboard.press("Control+z")
    settled(page, owned_by.format("red"))
    page.close()


def test_three_towers_of_each_team_without_a_menu(browser: Any, teams: Lab) -> None:
    """The team to add to stands beside the tool."""
    page = page_of(browser, teams)
    imap = teams.session.live.imap
    page.keyboard.press("2")
    assert page.locator("#targets button").all_inner_texts() == ["red", "blue"]
    for x in (3.5, 5.5, 7.5):
        page.mouse.click(*place_of(page, x, 9.5))
    page.click("#targets [data-target=blue]")
    for x in (15.5, 17.5, 19.5):
        page.mouse.click(*place_of(page, x, 9.5))
    eventually(lambda: len(imap["red"].sources) == 4 and len(imap["blue"].sources) == 4)
    page.keyboard.press("1")
    assert not page.locator("#targets").is_visible()
    assert page.problems == []
    page.close()


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_map_and_legend_have_the_tables_of_pictures(browser: Any, lab: Lab, scheme: Any) -> None:
    """On light pages the weakest value of one color fades to paper. What lies beyond a scale is
    said in the legend.
    """
    page = page_of(browser, lab, color_scheme=scheme)
    stepped(page, 10)
    settled(page, "document.querySelector('#legend canvas')")
    light = scheme == "light"
    strip = """(() => { const c = document.querySelector('#legend canvas');
        const copy = document.createElement('canvas'); copy.width = c.width; copy.height = 1;
        const ink = copy.getContext('2d', { willReadFrequently: true }); ink.drawImage(c, 0, 0);
        const d = ink.getImageData(0, 0, c.width, 1).data;
        return [0, 60, 254].map(i => [...d.slice(4 * i, 4 * i + 3)]); })()"""
    for table, expected in (
        ("sequential", view.sequential(light=light)),
        ("#3fa7f5", view.tinted("#3fa7f5", light=light)),
    ):
        page.evaluate(f"lab.S.views[0].table = '{table}'")
        eventually(lambda rows=expected: page.evaluate(strip) == rows[[0, 60, 254]].tolist())
        assert (expected[0].sum() > expected[254].sum()) == light
    assert not page.locator("#legend .beyond").count()
    page.evaluate("lab.S.views[0].limits = [0, 1]")
    page.click("[data-map=threat] button:has-text('Solo')")
    settled(page, "document.querySelector('#legend .beyond.right')")
    assert "values reach" in page.locator("#legend").inner_text()
    threat = lab.session.live.maps["threat"].values
    y, x = (int(part[0]) for part in np.nonzero(threat > 2))
    brightest = view.tinted("#3fa7f5", light=light)[254].tolist()
    eventually(lambda: colors_at(page, (x + 0.5, y + 0.5)) == [brightest])
    assert page.problems == []
    page.close()


def test_layers_without_teams_are_chosen_beside_the_tool(browser: Any) -> None:
    with Lab(Session(small_map()), playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab)
        page.keyboard.press("2")
        assert page.locator("#targets button").all_inner_texts() == ["threat", "cover"]
        page.click("#targets [data-target=cover]")
        page.mouse.click(*place_of(page, 12.5, 8.5))
        eventually(lambda: len(lab.session.live.imap["cover"].sources) == 2)
        page.close()


def test_why_explains_every_map(browser: Any, teams: Lab) -> None:
    """On a map of teams the owner, by both teams and their sources; on an expression its layers."""
    page = page_of(browser, teams)
    stepped(page, 5)

    def shown(text: str) -> str:
        def is_there() -> bool:
            page.mouse.move(*place_of(page, 8.5, 6.4))
            page.mouse.move(*place_of(page, 8.5, 6.5))
            return text in page.locator("#why").inner_text()

        eventually(is_there)
        found: str = page.locator("#why").inner_text()
        return found

    found = shown("owner")
    assert found.index("red") < found.index("blue") and "source 0 at" in found
    assert "What would change red?" in found
    for text, number in (
        ("tension", 2),
        ("contested", 2),
        ("influence red", 2),
        ("share red", 2),
        ("2 * red - owner", 2),
    ):
        if " * " in text:
            page.fill("#formula-text", text)
            page.keyboard.press("Enter")
        else:
            page.click(f"[data-map='{text}'] button:has-text('Solo')")
        shown(f" {text}\n")
        settled(page, f"document.querySelectorAll('#why .of-map').length === {number}")
        assert page.locator("#why .sources-of").count() >= 1
        assert "explain()" not in page.locator("#why").inner_text()
    page.click("#sensitivity")
    settled(page, "document.querySelector('#why .sensitivity button')")
    assert page.problems == []
    page.close()


def test_a_saved_picture_has_title_time_and_legend(
    browser: Any, teams: Lab, tmp_path: Path
) -> None:
    page = page_of(browser, teams, color_scheme="dark")
    stepped(page, 5)
    settled(page, "document.querySelectorAll('#legend canvas').length === 2")
    with page.expect_download() as download:
        page.click("#keep-picture")
    assert download.value.suggested_filename == "two-sides.png"
    download.value.save_as(tmp_path / "map.png")
    with Image.open(tmp_path / "map.png") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    width, height = page.evaluate(
        "[document.querySelector('#map').width, document.querySelector('#map').height]"
    )
    assert pixels.shape[1] == width and pixels.shape[0] >= height + 48 + 60
    page_color = pixels[2, width // 2]
    head = np.abs(pixels[:48] - page_color).sum(axis=2) > 200
    assert head[:, : width // 3].sum() > 100 and head[:, -width // 3 :].sum() > 100
    colors = dict(teams.session.live.teams())
    foot = pixels[48 + height :]
    for color in colors.values():
        assert (np.abs(foot - parse_color(color)).sum(axis=2) < 40).any()
    page.close()


def test_regions_have_outlines_and_units(browser: Any, teams: Lab) -> None:
    page = page_of(browser, teams)
    stepped(page, 5)
    page.check("label:has-text('regions') input")
    settled(page, "(lab.S.drawings['regions|a'] || {}).lines")
    found = page.evaluate("lab.S.drawings['regions|a']")
    red = teams.session.live.imap["red"].values
    inside = red > found["least"]
    assert found["unit"] == "square units"
    assert found["regions"][0]["area"] == np.count_nonzero(inside)
    (line,) = [np.array(each) for each in found["lines"]]
    rows, columns = np.nonzero(inside)
    np.testing.assert_allclose(line.min(axis=0), (columns.min(), rows.min()), atol=0.35)
    np.testing.assert_allclose(line.max(axis=0), (columns.max() + 1, rows.max() + 1), atol=0.35)
    settled(page, "lab.labels().length === 1")
    drawn = """lab.S.drawings['%s|a'].lines.every(points => points.every(([x, y]) => {
        const [left, top] = lab.toScreen(lab.panes()[0], x, y).map(v => v * devicePixelRatio);
        const ink = document.querySelector('#ink').getContext('2d');
        return ink.getImageData(Math.round(left) - 2, Math.round(top) - 2, 5, 5).data
            .some((byte, i) => i %% 4 === 3 && byte > 0); }))"""
    settled(page, drawn % "regions")
    settled(page, drawn % "fronts")
    page.close()


def test_a_source_on_a_wall_is_drawn_where_it_acts(browser: Any) -> None:
    with Lab(Session(small_map()), playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab)
        page.mouse.move(*place_of(page, 3.5, 5.5))
        page.mouse.down()
        page.mouse.move(*place_of(page, 6.6, 5.4), steps=5)
        page.mouse.up()
        threat = lab.session.live.imap["threat"]
        eventually(lambda: threat.sources.positions[0][0] > 6)
        acts = threat.space.position_of(threat.sources.cells[0]).tolist()
        assert not threat.space.walls[int(acts[1]), int(acts[0])]
        settled(
            page,
            f"Math.hypot(lab.S.sources.a.threat.sources[0][1] - {acts[0]},"
            f" lab.S.sources.a.threat.sources[0][2] - {acts[1]}) < 0.01",
        )
        page.close()


def test_a_phone_shows_the_map_first(browser: Any, teams: Lab) -> None:
    page = page_of(browser, teams)
    page.set_viewport_size({"width": 390, "height": 844})

    def fits() -> bool:
        stage = page.locator("#stage").bounding_box()
        footer = page.locator("footer").bounding_box()
        why = page.locator("#why").bounding_box()
        return (
            stage["y"] < 60
            and stage["height"] > 0.5 * 844
            and footer["height"] < 90
            and why["y"] < 844
            and page.evaluate("document.documentElement.scrollWidth") <= 390
        )

    eventually(fits)
    for tool in ("source", "drop", "wall"):
        page.locator(f"[data-tool={tool}]").click()
        numbers = page.locator("#numbers").bounding_box()
        assert numbers["x"] > -1 and numbers["x"] + numbers["width"] < 391
    page.close()


def test_an_influence_map_with_teams_opens_as_one_too(browser: Any, tmp_path: Path) -> None:
    """Teams are stored in the file of the map, and in that of a session."""
    imap = fc.InfluenceMap(fc.Grid(24, 13))
    teams = imap.add_teams(["north", "south", "east"], fc.Radial(16, "linear"))
    for name, place in (("north", (5.5, 3.5)), ("south", (8.5, 9.5)), ("east", (19.5, 6.5))):
        teams[name].add_source(place, 5.0)
    imap.save(tmp_path / "level.fieldcraft")
    with Lab(str(tmp_path / "level.fieldcraft"), playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab)
        stepped(page, 3)
        settled(page, "document.querySelectorAll('#legend canvas').length === 3")
        settled(page, "(lab.S.drawings['fronts|a'] || { lines: [] }).lines.length > 0")
        assert "owner" in page.evaluate("lab.S.hello.maps")
        lab.session.save(tmp_path / "run.lab")
        assert page.problems == []
        page.close()
    loaded = Session.load(tmp_path / "run.lab")
    assert loaded.live.teams() == lab.session.live.teams()
    assert [name for name, _ in loaded.live.teams()] == ["north", "south", "east"]
    assert loaded.live.front_lines() != []
    owner = loaded.live.maps["owner"].values
    (teams_again,) = loaded.live.imap.teams
    np.testing.assert_array_equal(owner, teams_again.owner())
    with pytest.raises(fc.errors.InvalidValue, match="Leave them out"):
        Lab("teams", teams=["red"])
    with pytest.raises(fc.errors.UnknownName, match="west"):
        Lab(imap, teams=["north", "west"])


@pytest.mark.parametrize("count", [12, 13])
def test_all_of_many_teams_are_shown(browser: Any, tmp_path: Path, count: int) -> None:
    """Twelve in their colors; more by the owner of each cell."""
    names = [f"clan {number}" for number in range(count)]
    colors = [f"#{40 + 15 * number:02x}60{250 - 15 * number:02x}" for number in range(count)]
    sources = "".join(
        f'[[sources]]\nlayer = "{name}"\nposition = [{5 * number + 2}, 2]\nstrength = 6\n'
        for number, name in enumerate(names)
    )
    (tmp_path / "clans.toml").write_text(
        f'[map]\ngenerate = "empty"\nwidth = {5 * count}\nheight = 5\n'
        f"[teams]\nnames = {names}\ncolors = {colors}\nradius = 3\n{sources}[run]\nseconds = 1\n"
    )
    with Lab(tmp_path / "clans.toml", playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab, color_scheme="dark")
        stepped(page, 2)
        settled(page, f"document.querySelectorAll('#legend .dot').length === {count}")
        places = [(5 * number + 1.2, 2.5) for number in range(count)]

        def teams_in_other_colors() -> list[str]:
            found = []
            for name, color, shown in zip(names, colors, colors_at(page, *places), strict=True):
                table = np.concatenate([view.tinted(color), [parse_color(color)]]).astype(int)
                if np.abs(table - shown).sum(axis=1).min() >= 12:
                    found.append(name)
            return found

        eventually(lambda: teams_in_other_colors() == [])
        assert ("owner" in page.locator("#legend").inner_text()) == (count > 12)
        assert page.problems == []
        page.close()


def test_fields_of_a_game_together_have_two_legends_and_no_front_line(browser: Any) -> None:
    """The two pheromones of ants, each in its own color."""
    pytest.importorskip("fieldcraft_worlds")
    with Lab("ants", playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab)
        settled(page, "document.querySelectorAll('#legend canvas').length === 2")
        legend = page.locator("#legend").inner_text()
        assert "to food" in legend and "to home" in legend and "front line" not in legend
        assert page.get_by_label("front lines").count() == 0
        assert page.problems == []
        page.close()


def test_the_legend_of_many_teams_lies_below_the_map(browser: Any, tmp_path: Path) -> None:
    """Twelve teams are named beside each other; on the page and in a picture none is left out."""
    space = fc.Grid(30, 26)
    imap = fc.InfluenceMap(space)
    names = [f"team {number}" for number in range(1, 13)]
    teams = imap.add_teams(names, fc.Radial(4.0))
    for number, name in enumerate(names):
        teams[name].add_source((2.5 + 2 * number, 3.5 + 5 * (number % 4)), 3.0)
        teams[name].settle()
    with Lab(Session(imap), playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab)
        for width, height in ((1100, 760), (500, 700)):
            page.set_viewport_size({"width": width, "height": height})
            settled(page, "document.querySelectorAll('#legend .dot').length === 12")
            settled(
                page,
                "lab.toScreen(lab.panes()[0], 0, 26)[1]"
                " <= document.querySelector('#legend').offsetTop",
            )
            _, top = page.evaluate("lab.toScreen(lab.panes()[0], 0, 0)")
            assert top >= 0
        shown = page.locator("#legend").inner_text()
        assert all(f"{name}\n" in shown for name in names) and "each 0 to " in shown
        page.evaluate("lab.S.camera.zoom *= 2; lab.S.camera.x += 3")
        page.evaluate("lab.S.overlays.delete('fronts')")
        settled(page, "!document.querySelector('#legend .front')")
        assert page.evaluate("lab.S.camera.room !== undefined && lab.S.camera.x") == 18.0
        with page.expect_download() as download:
            page.click("#keep-picture")
        download.value.save_as(tmp_path / "map.png")
        with Image.open(tmp_path / "map.png") as image:
            pixels = np.asarray(image.convert("RGB")).astype(int)
        page_height = page.evaluate("document.querySelector('#map').height")
        below = pixels[page_height + 48 :]
        for _, color in lab.session.live.teams():
            assert (np.abs(below - parse_color(color)).sum(axis=2) <= 6).sum() >= 60, color
        assert page.problems == []
        page.close()
