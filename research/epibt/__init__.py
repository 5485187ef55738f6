"""Is PIBT with traffic ahead of EPIBT on its own maps?"""

from research.shared.about import About

ABOUT = About(
    question="Is PIBT with traffic ahead of EPIBT on its own maps?",
    command="research.epibt",
    trial="research.epibt --maps random --agents 100 --turns 1 --steps 50",
    data="a clone of EPIBT, which the variable RESEARCH_EPIBT names",
    time="3 minutes of one core for the small map; large ones a minute or more each",
    result="ahead on all five maps with a row of distances a goal; by default on two",
    page="epibt/README.md",
)
