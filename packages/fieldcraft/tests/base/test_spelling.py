"""Names that are spelled almost like another."""

from __future__ import annotations

from fieldcraft.base.spelling import most_similar


def test_the_most_similar_name_is_found() -> None:
    assert most_similar("spred", ["radial", "spread", "trail"]) == "spread"


def test_none_is_found_beyond_the_cutoff() -> None:
    assert most_similar("xyz", ["radial", "spread"]) == ""
    assert most_similar("spraed", ["spread"], cutoff=0.99) == ""
    assert most_similar("spread", []) == ""
