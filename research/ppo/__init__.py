"""Do planes of influence help a policy to learn?"""

from research.shared.about import About

ABOUT = About(
    question="Do planes of influence help a policy to learn?",
    command="research.ppo --seeds 5",
    trial="research.ppo --seeds 1 --most 20000",
    data="none: generated worlds",
    time="24 to 38 s of one core a run with planes, five seeds of each kind",
    result="80 % caught after 0.5 to 0.8 million steps, without planes after 3.0 or never",
    page="learned/README.md#planes-for-learning",
)
