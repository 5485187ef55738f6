"""Is PIBT with traffic ahead of EPIBT on its own maps?"""

from research.shared.about import About

ABOUT = About(
    question="Is PIBT with traffic ahead of EPIBT on its own maps?",
    command="research.epibt",
    data="a clone of EPIBT",
    time="3 minutes of one core for the small map; large ones a minute or more each",
    result="ahead on POGEMA and its small map; on large ones even to 2 % behind",
    page="epibt/README.md",
)
