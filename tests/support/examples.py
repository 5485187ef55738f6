"""How many examples a law is asked on."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def examples(count: int, **options: Any) -> settings:
    """Settings of a law that is costly to ask: `count` examples, and ten times as many with `pytest
    --hypothesis-profile=thorough`.
    """
    return settings(
        max_examples=count * (10 if settings.get_current_profile_name() == "thorough" else 1),
        **options,
    )
