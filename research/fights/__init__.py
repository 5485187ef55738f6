"""Where do the next losses of a recorded match fall?"""

from research.shared.about import About

ABOUT = About(
    question="Where do the next losses of a recorded match fall?",
    command="research experiment fights --data DIR",
    trial="research experiment fights --data DIR",
    data="eight recorded matches of StarCraft II",
    time="about 90 s of one core",
    result="layers that spread add 0.6 bits [-0.1, 1.2] to baselines; plain distances 0.9",
    page="fights/README.md",
)
