"""Are fitted numbers better than those set by hand?"""

from research.shared.about import About

ABOUT = About(
    question="Are fitted numbers better than those set by hand?",
    command="research.learned matches --data DIR",
    trial="research.learned ants --data DIR",
    data="the recordings of fights and trails",
    time="5 s of one core for ants; others not measured",
    result="no better on matches, ants and people",
    page="learned/README.md",
)
