"""How much damage do paths avoid that know how danger will change?"""

from research.shared.about import About

ABOUT = About(
    question="How much damage do paths avoid that know how danger will change?",
    command="research.threats",
    data="none: generated maps",
    time="TIME",
    result="THREATS",
    page="../docs/paths.md#cross-the-street-of-a-patrol",
)
