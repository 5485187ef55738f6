"""Which search finds a lost target soonest?"""

from research.shared.about import About

ABOUT = About(
    question="Which search finds a lost target soonest?",
    command="research experiment chase --seeds 20 --first-seed 600 --searchers 1,4",
    data="none: generated worlds; or maps with --map",
    time="TIME",
    result="CHASE",
    page="experiments.md#what-came-out-lost-from-sight",
)
