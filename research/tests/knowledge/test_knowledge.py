from __future__ import annotations

from research.knowledge.knowledge import HUNTERS, hunt, knowledge_study


def test_only_the_hunter_that_looks_through_walls_walks_to_an_unseen_target() -> None:
    study = knowledge_study(["rooms"], size="40x30", seeds=6, seconds=20)
    rows = [{**job, **hunt(job)} for job in study.jobs]
    assert rows[:4] == [{**job, **hunt(job)} for job in study.jobs[:4]]
    found = study.summarise(rows).found
    share = {
        method: found["rooms 40 x 30", method, "steps nearer to an unseen target"].value
        for method in HUNTERS
        if ("rooms 40 x 30", method, "steps nearer to an unseen target") in found
    }
    assert share["through walls"] > 0.9 > max(share["last seen"], share["belief"])
    assert all(0 <= row["unseen"] <= row["after"] + 0.1 for row in rows)
