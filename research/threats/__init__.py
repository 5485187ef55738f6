"""How much damage do paths avoid that know how danger will change?"""

from research.shared.about import About

ABOUT = About(
    question="How much damage do paths avoid that know how danger will change?",
    command="research.threats",
    trial="research.threats",
    data="none: generated maps",
    time="half a minute of one core",
    result="0.38 [0.33, 0.44] of the damage by the danger of now, on paths as long",
    page="../docs/paths.md#cross-the-street-of-a-patrol",
)
