"""Is PIBT with traffic ahead of EPIBT on its own maps?"""

from research.shared.about import About

ABOUT = About(
    question="Is PIBT with traffic ahead of EPIBT on its own maps?",
    command="research.epibt",
    data="a clone of EPIBT",
    time="3 minutes of one core for the small map; large ones a minute or more each",
    result="ahead in nine rows of POGEMA, and at all 8 densities of its small map; large maps even",
    page="epibt/README.md",
)
