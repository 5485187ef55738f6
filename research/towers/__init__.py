"""Does attacking along influence beat shortest paths?"""

from research.shared.about import About

ABOUT = About(
    question="Does attacking along influence beat shortest paths?",
    command="research experiment towers --seeds 20",
    trial="research experiment towers --seeds 1",
    data="none: generated worlds",
    time="4 minutes of one core",
    result="wins 94 % [88, 97] of 120 matches",
    page="experiments.md#what-came-out-the-tower-game",
)
