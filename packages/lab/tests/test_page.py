"""The page, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fieldcraft_lab import Lab
from fieldcraft_lab.replay import session_of
from fieldcraft_lab.session import Session
from support.pages import TOKEN, page_of, place_of, settled, stepped
from support.sessions import SMOKE, small_map
from support.waiting import eventually


def test_a_drift_has_a_slider_for_each_axis(browser: Any, tmp_path: Path) -> None:
    """The wind turns while smoke spreads; a value that is refused goes back to what it was."""
    (tmp_path / "smoke.toml").write_text(SMOKE)
    with Lab(tmp_path / "smoke.toml", playing=False, warm=False, token=TOKEN) as lab:
        page = page_of(browser, lab)
        layer = lab.session.live.imap["smoke"]
        page.fill("#control_smoke_drift_y", "0")
        settled(page, "document.querySelector('#banner').textContent.includes('at most 1')")
        settled(page, "document.querySelector('#control_smoke_drift_y').value === '500'")
        assert layer.propagation.drift == (2.0, 0.0)
        page.fill("#control_smoke_drift_x", "500")
        page.fill("#control_smoke_drift_y", "100")
        eventually(lambda: layer.propagation.drift == (0.0, -6.0))
        settled(page, "document.querySelector('.control.changed')")
        page.click(".control.changed button")
        eventually(lambda: layer.propagation.drift == (2.0, 0.0))
        assert lab.session.log[-1][1].value == (2.0, 0.0)
        assert not page.problems


def test_hands_on_the_map(browser: Any, lab: Lab) -> None:
    """Sliders, sources, walls, the probe, a formula with an error: what the page does arrives, and
    is told back.
    """
    page = page_of(browser, lab)
    live = lab.session.live
    page.fill("#control_threat_decay", "800")
    settled(page, "document.querySelector('.control.changed')")
    eventually(lambda: live.imap["threat"].propagation.decay > 0.4)
    page.click(".control.changed button")
    eventually(lambda: live.imap["threat"].propagation.decay == 0.25)
    settled(page, "!document.querySelector('.control.changed')")

    camp = page.evaluate("lab.S.sources.a.threat.sources[0].slice(1, 3)")  # where it acts
    page.mouse.move(*place_of(page, *camp))
    page.mouse.down()
    page.mouse.move(*place_of(page, 20.5, 8.5), steps=4)
    page.mouse.up()
    settled(
        page,
        "Math.hypot(lab.S.sources.a.threat.sources[0][1] - 20.5,"
        " lab.S.sources.a.threat.sources[0][2] - 8.5) < 0.1",
    )
    page.mouse.wheel(0, -100)
    page.click("text=Source")
    page.mouse.click(*place_of(page, 10.5, 12.5))
    settled(page, "lab.S.sources.a.threat.sources.length === 3")

    walls = int(live.space.walls.sum())
    page.click("button:has-text('Open')")
    page.mouse.move(*place_of(page, 1.5, 1.5))
    page.mouse.down()
    page.mouse.move(*place_of(page, 28.5, 1.5), steps=6)
    page.mouse.up()
    eventually(lambda: int(live.space.walls.sum()) < walls)

    page.click("button:has-text('Inspect')")
    stepped(page, 30)

    def told_why() -> bool:
        page.mouse.move(*place_of(page, 20.5, 9.4))
        page.mouse.move(*place_of(page, 20.5, 9.5))
        return bool(
            page.evaluate("Boolean(document.querySelector('#why .bar') && lab.S.probe.value > 1)")
        )

    eventually(told_why)
    page.click("#sensitivity")
    settled(page, "document.querySelector('#why .sensitivity button')")
    assert "decay" in page.locator("#why .sensitivity").inner_text()

    page.fill("#formula-text", "threat +")
    settled(page, "!document.querySelector('#formula-error').hidden")
    assert "Got invalid syntax" in page.locator("#formula-error").inner_text()
    page.fill("#formula-text", "threat * 0.5")
    page.keyboard.press("Enter")
    settled(
        page,
        "lab.S.views[0].map === 'threat * 0.5' && document.querySelector('#formula-error').hidden",
    )
    assert page.problems == []
    assert {
        url.split("#")[0] for url in page.requests if not url.startswith(("data:", "blob:"))
    } == {lab.url.split("#")[0]}
    page.close()


def test_a_question_is_edited_live(browser: Any, lab: Lab) -> None:
    """Candidates follow the text of the question, the place of the agent, and time."""
    page = page_of(browser, lab)
    settled(page, "lab.S.sources.a.threat.sources.length > 0")
    page.click("#ask")
    page.mouse.click(*place_of(page, 12.5, 8.5))
    settled(page, "lab.S.question && lab.S.question.places.length > 20")
    assert 'hidden_from = "threat"' in page.input_value("#question")
    page.fill("#question", "[near]\ngenerate = { rich = 2 }")
    settled(page, "!document.querySelector('#question-error').hidden")
    assert "'reach' is meant" in page.locator("#question-error").inner_text()
    assert page.evaluate("lab.S.question.name") == "place"
    page.fill("#question", "[near]\ngenerate = { reach = 2 }\nscore = [{ value = 'threat' }]")
    settled(page, "lab.S.question.name === 'near' && lab.S.question.places.length < 20")
    settled(page, "document.querySelector('#question-error').hidden")
    assert "candidates" in page.locator("#question-answer").inner_text()
    x, y = page.evaluate("lab.S.question.chosen[0]")
    page.mouse.move(*place_of(page, x - 0.1, y))
    page.mouse.move(*place_of(page, x, y))
    settled(page, "document.querySelector('#why .candidate')")
    why = page.locator("#why").inner_text()
    assert "score in question near" in why and 'value "threat"' in why
    before = page.evaluate("lab.S.question.values[0]")
    page.click("#play")
    settled(page, f"lab.S.question.values[0] !== {before}")
    page.click("#play")
    assert page.problems == []
    page.close()


def test_time_forks_and_keeping(browser: Any, lab: Lab, tmp_path: Path) -> None:
    """Scrubbing keeps the bits; a fork differs where it was tuned; what is kept comes out the same
    when it is run again.
    """
    page = page_of(browser, lab)
    page.fill("#control_threat_decay", "300")
    eventually(lambda: lab.session.log)
    page.click("#step")
    settled(page, "lab.S.status.moment === 1")
    stepped(page, 20)
    digest = lab.session.digest()
    page.evaluate(
        "const s = document.querySelector('#scrub'); s.value = 4; s.dispatchEvent(new"
        " Event('input'))"
    )
    settled(page, "lab.S.status.moment === 4")
    page.evaluate(
        "const s = document.querySelector('#scrub'); s.value = 21; s.dispatchEvent(new"
        " Event('input'))"
    )
    settled(page, "lab.S.status.moment === 21")
    assert lab.session.digest() == digest

    with page.expect_download() as download:
        page.click("#keep-session")
    download.value.save_as(tmp_path / "kept.lab")
    assert Session.load(tmp_path / "kept.lab").digest() == digest
    page.click("button:has-text('Link')")
    settled(page, "location.hash.includes('session=')")
    assert TOKEN not in unquote(page.evaluate("location.href")) and "token" not in page.url
    linked = session_of(page.evaluate("location.href"))
    linked.seek(linked.furthest)
    assert linked.digest() == digest
    page.click("#do-fork")
    settled(page, "lab.S.hello.sides.b")
    page.click("button:has-text('Parameters of B')")
    page.fill("#control_threat_decay", "900")
    eventually(lambda: len(lab.sides["b"].log) > 1)
    page.click("button:has-text('A - B')")
    stepped(page, 20)
    a, b = (lab.sides[side].live.imap["threat"] for side in "ab")
    assert a.propagation.decay != b.propagation.decay
    assert (a.values != b.values).any()
    page.click("button:has-text('Keep B')")
    settled(page, "!lab.S.hello.sides.b")
    assert lab.session.live.imap["threat"] is b
    assert page.problems == []
    page.close()


def test_two_tabs_a_lost_connection_and_a_small_screen(browser: Any, tmp_path: Path) -> None:
    first_lab = Lab(Session(small_map()), playing=False, warm=False, token=TOKEN)
    port = int(first_lab.url.split(":")[2].split("/")[0])
    page, other = page_of(browser, first_lab), page_of(browser, first_lab, color_scheme="dark")
    page.click("text=Source")
    page.mouse.click(*place_of(page, 12.5, 8.5))
    settled(other, "lab.S.sources.a.threat.sources.length === 3")
    first_lab.stop()
    settled(page, "!document.querySelector('#banner').hidden")
    with Lab(Session(small_map()), port=port, playing=False, warm=False, token=TOKEN):
        settled(
            page, "document.querySelector('#banner').hidden && lab.Wire.socket.readyState === 1"
        )
        settled(page, "lab.S.sources.a.threat.sources.length === 2")
        page.set_viewport_size({"width": 390, "height": 780})
        settled(page, "innerWidth === 390 && document.documentElement.scrollWidth <= 390")
        unnamed = page.evaluate(
            "[...document.querySelectorAll('button, input, select')].filter(e => e.offsetParent &&"
            " !(e.textContent.trim() || e.title || e.getAttribute('aria-label') || (e.labels &&"
            " e.labels.length))).map(e => e.outerHTML)"
        )
        assert unnamed == []
    page.close()
    other.close()
