"""Does a hunter that climbs influence catch sooner than on a path?"""

from research.shared.about import About

ABOUT = About(
    question="Does a hunter that climbs influence catch sooner than on a path?",
    command="research experiment hunt --seeds 15",
    trial="research experiment hunt --seeds 1",
    data="none: generated worlds",
    time="half a minute of one core",
    result="after 4.9 s; on a path computed once 8.8 s, each second 5.4 s",
    page="experiments.md#what-came-out-steering-by-influence-or-a-way-computed-once",
)
