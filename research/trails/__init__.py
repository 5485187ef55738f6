"""Do trails predict where recorded ants and people walk?"""

from research.shared.about import About

ABOUT = About(
    question="Do trails predict where recorded ants and people walk?",
    command="research experiment real-ants --data DIR",
    trial="research experiment real-ants --data DIR",
    data="tracks of ants and of pedestrians",
    time="12 s of one core for ants",
    result="no: nothing beats uniform ground but the trail of the ant itself",
    page="trails/README.md",
)
