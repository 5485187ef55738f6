"""Does an agent on influence maps beat the bots of the microRTS competition?"""

from research.shared.about import About

ABOUT = About(
    question="Does an agent on influence maps beat the bots of the microRTS competition?",
    command="research.microrts play FOLDER",
    trial="research.microrts play FOLDER --variants full --seeds 1 --bots randomBiased"
    " --maps 8x8/basesWorkers8x8A.xml",
    data="microRTS and its bots, by research.microrts setup",
    time="1 to 60 s of one core a match",
    result="92 % of the points on 93 maps; influence is worth 8 of 100 points, 21 against CoacAI",
    page="microrts/README.md",
)
