"""How many goals do agents in traffic reach, beside published planners?"""

from research.shared.about import About

ABOUT = About(
    question="How many goals do agents in traffic reach, beside published planners?",
    command="research.pogema DATA --judge PYTHON",
    trial="research.pogema DATA --judge PYTHON --rows 01-random:8 --variants full --episodes 1",
    data="instances and results of POGEMA; its package",
    time="20 minutes of one core for two of five variants; 64 episodes of nine rows",
    result="5.9 goals a step with 192 agents in the warehouse; RHCR, with equal information, 1.5",
    page="pogema/README.md",
)
