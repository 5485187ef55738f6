"""Which search finds a lost target soonest?"""

from research.shared.about import About

ABOUT = About(
    question="Which search finds a lost target soonest?",
    command="research experiment chase --seeds 20 --first-seed 600 --searchers 1,4",
    trial="research experiment chase --seeds 1 --searchers 1",
    data="none: generated worlds; or maps with --map",
    time="2 minutes of one core",
    result="a party is 1.5 s sooner than a belief [0.3, 2.9]; alone it may be later if they hide",
    page="experiments.md#what-came-out-lost-from-sight",
)
