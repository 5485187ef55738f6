"""What do hunters reach that know only what they saw?"""

from research.shared.about import About

ABOUT = About(
    question="What do hunters reach that know only what they saw?",
    command="research experiment knowledge --seeds 15",
    trial="research experiment knowledge --seeds 1",
    data="none: generated worlds",
    time="half a minute of one core",
    result="a catch after 14 s, with full knowledge after 6.5 s",
    page="experiments.md#what-came-out-following-what-one-cannot-see",
)
