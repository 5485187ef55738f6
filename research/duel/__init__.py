"""Does a layer of influence keep a distance better than plain distance keeping?"""

from research.shared.about import About

ABOUT = About(
    question="Does a layer of influence keep a distance better than plain distance keeping?",
    command="research experiment duel --seeds 25 --first-seed 100",
    trial="research experiment duel --seeds 1",
    data="none: generated worlds",
    time="2 minutes of one core",
    result="no: damage dealt to taken 1.12 [1.04, 1.20] and 1.09 [1.03, 1.16]",
    page="experiments.md#what-came-out-the-duel",
)
