"""Is PIBT with traffic ahead of EPIBT on its own maps?"""

from research.shared.about import About

ABOUT = About(
    question="Is PIBT with traffic ahead of EPIBT on its own maps?",
    command="research.epibt",
    data="a clone of EPIBT",
    time="3 minutes of one core for the small map; large ones not run",
    result="ahead in nine rows of POGEMA (eight beyond chance); on its map in 4 of 8",
    page="epibt/README.md",
)
