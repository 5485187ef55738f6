"""What a person sees in the lab's page, fault by fault of an earlier review, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.view.pixels.themes import DARK
from fieldcraft_lab import Lab
from fieldcraft_lab.session import Session
from support.pages import TOKEN, colors_at, page_of, place_of, settled, stepped
from support.sessions import RECIPE, small_map
from support.waiting import eventually


def test_a_difference_has_a_symmetric_scale_of_two_colors(browser: Any) -> None:
    """Fault 1: where B is stronger it is blue, where A is stronger orange; a fork shows both sides
    at once (12), with the same ranges of sliders (13).
    """
    with Lab(Session(small_map()), playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab, color_scheme="dark")
        page.click("#do-fork")
        settled(page, "lab.panes().length === 2 && lab.S.pane === 'a|b'")
        ends = "JSON.stringify(lab.S.controls[%r].threat.controls.map(k => [k.low, k.high]))"
        page.click("button:has-text('Parameters of B')")
        page.fill("#control_threat_decay", "900")
        eventually(lambda: lab.sides["b"].log)
        page.reload()
        settled(page, "window.lab && lab.S.hello && lab.S.status")
        assert page.evaluate(ends % "a") == page.evaluate(ends % "b")

        from fieldcraft_lab.orders import Place

        lab.sides["b"].apply(Place("threat", (14.5, 8.5), 9.0))
        stepped(page, 30)
        page.click("button:has-text('A - B')")
        settled(page, "document.querySelector('#legend').textContent.includes('A more')")

        # beside the discs of the sources: A reaches farther round its own, B has one more
        def both_colors_are_there() -> bool:
            (red, _, blue), (other_red, _, other_blue) = colors_at(page, (1.5, 5.5), (14.5, 10.2))
            return bool(red > blue + 30 and other_blue > other_red + 30)

        eventually(both_colors_are_there)
        assert page.problems == []
        page.close()


def test_knobs_edits_and_not_saved_are_the_same_in_all_tabs(browser: Any, lab: Lab) -> None:
    """Faults 2, 3, 4: knobs follow when time goes back, in other tabs and after a reload; so does
    "not saved". Undo takes back what a whole drag did (14: with a sentence and a range).
    """
    page, other = page_of(browser, lab), page_of(browser, lab)
    stepped(page, 10)
    page.hover("#control_threat_decay")
    about = page.locator("#about").inner_text()
    assert "Loss of influence with distance. 0 to 1, per world unit" in about
    tools, stage = other.locator("#tools").bounding_box(), other.locator("#stage").bounding_box()
    for value in ("500", "700", "800"):
        page.fill("#control_threat_decay", value)
    settled(other, "document.querySelector('#control_threat_decay').value > 790")
    assert other.locator("#unsaved").is_visible()
    # the note moves neither the tools nor the map
    assert other.locator("#tools").bounding_box() == tools
    assert other.locator("#stage").bounding_box() == stage
    page.reload()
    settled(page, "window.lab && lab.S.hello && !document.querySelector('#unsaved').hidden")
    page.evaluate("lab.send({ do: 'seek', moment: 4 })")
    for tab in (page, other):
        settled(tab, "document.querySelector('#control_threat_decay').value < 300")
    page.evaluate("lab.send({ do: 'seek', moment: 10 })")
    settled(other, "document.querySelector('#control_threat_decay').value > 790")
    page.keyboard.press("Control+z")
    settled(other, "document.querySelector('#control_threat_decay').value < 300")
    settled(page, "document.querySelector('#unsaved').hidden")
    page.keyboard.press("Control+Shift+z")
    settled(other, "document.querySelector('#control_threat_decay').value > 790")
    assert page.problems == [] and other.problems == []
    page.close()
    other.close()


def test_walls_are_drawn_while_time_stands_still_and_a_patrol_goes_round(
    browser: Any, lab: Lab
) -> None:
    """Faults 5, 7 and 8: paint over a patrol's way and influence; the recipe's end is announced and
    time goes on; the wheel zooms over a source.
    """
    page = page_of(browser, lab, color_scheme="dark")
    stepped(page, 18)
    camp = lab.session.live.imap["threat"].sources.positions[0].tolist()
    threat = lab.session.live.imap["threat"]
    places = lab.session.live.space.positions[np.flatnonzero(threat.values > 0.1)]
    gaps = np.linalg.norm(places[:, None] - threat.sources.positions[None], axis=2).min(axis=1)
    beside = tuple(places[gaps > 0.9][0].tolist())
    (before,) = colors_at(page, beside)
    zoom = page.evaluate("lab.S.camera.zoom")
    page.mouse.move(*place_of(page, *camp))
    page.mouse.wheel(0, -100)
    settled(page, f"lab.S.camera.zoom > {zoom}")
    assert lab.session.log == ()

    page.click("button:has-text('Wall')")
    page.mouse.move(*place_of(page, beside[0], 1))
    page.mouse.down()
    page.mouse.move(*place_of(page, beside[0], 16), steps=2)
    page.mouse.up()
    settled(page, "document.querySelector('#note').className === 'waiting'")
    eventually(lambda: colors_at(page, beside) == [list(DARK.wall)])
    assert before != list(DARK.wall)
    settled(page, "document.querySelector('#edits').innerText.includes('walls painted')")

    page.click("#note button:has-text('Play')")
    settled(page, "document.querySelector('#note').className === 'end'")
    assert "ended at 2.00 s" in page.locator("#note").inner_text()
    moment = page.evaluate("lab.S.status.moment")
    settled(page, f"lab.S.status.playing && lab.S.status.moment > {moment}")
    page.click("#undo")
    eventually(lambda: lab.session.log == ())
    assert page.problems == []
    page.close()


def test_what_stopped_stays_on_screen_and_can_be_undone(
    browser: Any, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault 5: a world that can't go on says why until it can."""
    from fieldcraft.base.errors import InvalidValue
    from fieldcraft_lab.live_recipe import LiveRecipe

    step = LiveRecipe.step

    def held(live: LiveRecipe) -> None:
        if live.imap["threat"].propagation.decay > 0.5:
            raise InvalidValue("The patrol can walk", got="a wall", remedy="Open it")
        step(live)

    monkeypatch.setattr(LiveRecipe, "step", held)
    page = page_of(browser, lab)
    page.fill("#control_threat_decay", "900")
    eventually(lambda: lab.session.log)
    page.click("#play")
    settled(page, "document.querySelector('#note').className === 'stopped'")
    assert "The patrol can walk" in page.locator("#note").inner_text()
    page.click("#note button")
    settled(page, "document.querySelector('#note').hidden")
    page.click("#play")
    settled(page, "lab.S.status.moment > 3")
    page.close()


def test_help_start_page_plot_and_films(browser: Any) -> None:
    """Faults 15, 16, 18, 22, and the page of `fieldcraft lab` without a world."""
    imap = fc.InfluenceMap(fc.Grid(60, 40))
    rng = np.random.default_rng(3)
    places = rng.uniform(0, 1, (3000, 2)) * (60, 40)
    imap.add_layer("threat", fc.Spread(decay=0.5)).sync(range(3000), places, 1.0)
    with Lab(imap, playing=False, warm=False, token=TOKEN, starts=True) as lab:
        page = page_of(browser, lab)
        settled(page, "document.querySelector('#start').open")
        assert "My own array" in page.locator("#start").inner_text()
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        settled(page, "document.querySelector('#help').open")
        assert "undo, redo" in page.locator("#help").inner_text()
        page.keyboard.press("Escape")
        stepped(page, 8)
        settled(page, "document.querySelector('#legend').innerText.includes('1,000 sources not')")
        page.hover("#plot")
        settled(page, "document.querySelector('#plot-text').textContent.includes(' at 0.')")
        rows = page.evaluate("[...lab.S.history.a].length")
        page.reload()
        settled(page, f"window.lab && lab.S.hello && lab.S.history.a.size >= {rows}")
        assert rows > 1 and "threat at 0." in page.locator("#plot-text").inner_text()
        page.keyboard.press("Escape")
        page.fill("#film-from", "0.2")
        page.fill("#film-to", "0.6")
        page.select_option("#film-size", "320")
        with page.expect_download() as download:
            page.click("button:has-text('GIF')")
        assert download.value.suggested_filename == "session.gif"
        page.click("button:has-text('Worlds')")
        with page.expect_event("load"):
            page.click("#start button:has-text('momentum')")
        settled(page, "window.lab && lab.S.hello && lab.S.hello.title.startsWith('Momentum')")
        assert page.problems == []
        page.close()


def test_the_page_in_light_colors_groups_its_tools_and_explains_a_wall(browser: Any) -> None:
    """Faults 15, 17, 19, 20, 21: groups of tools, labels that do not overlap, a wall in one sentence,
    weak influence that is faint on a light page, and names of colors.
    """
    imap = fc.InfluenceMap(fc.Grid(walls=np.eye(30, dtype=bool) * (np.arange(30) < 3)))
    threat = imap.add_layer("threat", fc.Spread(decay=0.3, momentum=1.0, floor=1e-4), every=0.1)
    threat.add_sources([(x + 0.5, 15.5) for x in range(6, 24, 2)], 9.0)
    with Lab(imap, playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab, color_scheme="light")
        groups = page.locator("#tools [role=group]:visible")
        assert groups.count() >= 2 and "Undo" in groups.last.inner_text()
        stepped(page, 40)
        page.mouse.move(*place_of(page, 1.5, 1.5))
        settled(page, "document.querySelector('#why').innerText.includes('a wall')")
        why = page.locator("#why").inner_text()
        assert "Walls have no influence" in why and "No source" not in why
        assert page.locator("#sensitivity").count() == 0

        def strong_influence_is_there() -> bool:
            bare, weak, strong = colors_at(page, (2.5, 29.5), (2.5, 1.5), (10.5, 13.5))
            assert sum(abs(a - b) for a, b in zip(bare, weak, strict=True)) < 60
            return sum(abs(a - b) for a, b in zip(bare, strong, strict=True)) > 120

        eventually(strong_influence_is_there)
        page.click("#layers summary")
        names = page.locator("#layers select").first.inner_text().split("\n")
        assert not [name for name in names if "#" in name] and "color-blind" in names[0]

        for name in ("peaks", "regions"):
            page.check(f"#drawings label:has-text('{name}') input")
        settled(page, "lab.labels().length > 1")
        overlaps = """lab.labels().some((a, i) => lab.labels().some((b, j) =>
            i < j && a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]))"""
        assert not page.evaluate(overlaps)
        assert page.problems == []
        page.close()


def test_a_written_recipe_can_be_restored_and_unsaved_edits_warn(
    browser: Any, lab: Lab, tmp_path: Path
) -> None:
    """Faults 4 and 29: "not saved" asks before the page closes; writing into the recipe is confirmed,
    and can be undone, also after a reload.
    """
    page, file = page_of(browser, lab), tmp_path / "patrol.toml"
    page.fill("#control_threat_decay", "300")
    settled(page, "!document.querySelector('#unsaved').hidden")
    page.click("button:has-text('Write into patrol.toml')")
    page.click("button:has-text('Yes, change patrol.toml')")
    eventually(lambda: file.read_text() != RECIPE)
    settled(page, "document.querySelector('#unsaved').hidden")
    page.reload()
    settled(page, "window.lab && lab.S.hello && !document.querySelector('#undo-write').hidden")
    page.click("#undo-write")
    eventually(lambda: file.read_text() == RECIPE)
    settled(page, "!document.querySelector('#unsaved').hidden")
    leave = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert page.evaluate(leave)
    page.keyboard.press("Control+z")
    settled(page, "document.querySelector('#unsaved').hidden")
    assert not page.evaluate(leave) and page.problems == []
    page.close()


def test_an_edit_in_the_past_says_what_undo_brings_back(browser: Any, lab: Lab) -> None:
    page = page_of(browser, lab)
    stepped(page, 30)
    digest = lab.session.digest()
    page.evaluate("lab.send({ do: 'seek', moment: 10 })")
    settled(page, "lab.S.status.moment === 10")
    page.keyboard.press("2")
    page.mouse.click(*place_of(page, 10.5, 12.5))
    settled(page, "lab.S.status.furthest === 10")
    settled(page, "document.querySelector('#note').innerText.includes('Undo brings back')")
    end = f"{30 * lab.session.live.step_seconds:.2f} s"
    assert end in page.locator("#note").inner_text()
    assert f"in place of the future until {end}" in page.locator("#edits").inner_text()
    page.keyboard.press("Control+z")
    settled(page, "lab.S.status.furthest === 30")
    page.evaluate("lab.send({ do: 'seek', moment: 30 })")
    settled(page, "lab.S.status.moment === 30")
    assert lab.session.digest() == digest
    assert page.problems == []
    page.close()
