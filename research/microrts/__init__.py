"""Does an agent on influence maps beat the bots of the microRTS competition?"""

from research.shared.about import About

ABOUT = About(
    question="Does an agent on influence maps beat the bots of the microRTS competition?",
    command="research.microrts play FOLDER",
    trial="research.microrts play FOLDER --variants full --seeds 1 --bots randomBiased"
    " --maps 8x8/basesWorkers8x8A.xml",
    data="microRTS and its bots, by research.microrts setup",
    time="3 to 30 s of one core a match",
    result="427.5 of 440 points on basesWorkers16x16A; loses to CoacAI on FourBasesWorkers8x8",
    page="microrts/README.md",
)
