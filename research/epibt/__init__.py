"""Is PIBT with traffic ahead of EPIBT on its own maps?"""

from research.shared.about import About

ABOUT = About(
    question="Is PIBT with traffic ahead of EPIBT on its own maps?",
    command="research.epibt",
    data="a clone of EPIBT",
    time="TIME",
    result="EPIBT",
    page="epibt/README.md",
)
