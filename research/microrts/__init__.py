"""Does an agent on influence maps beat the bots of the microRTS competition?"""

from research.shared.about import About

ABOUT = About(
    question="Does an agent on influence maps beat the bots of the microRTS competition?",
    command="research.microrts play FOLDER",
    data="microRTS and its bots, by research.microrts setup",
    time="TIME",
    result="MICRORTS",
    page="microrts/README.md",
)
