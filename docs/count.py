"""`python docs/count.py`: pages and words of the guides, each with its limit.

A guide is a page of docs/ other than the home page and the list of public modules. Words are those
of all pages, their code included; decisions do not count.
"""

import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent
PAGES, WORDS = 20, 25_000
NO_GUIDES = {"index.md", "public.md"}


def counted(folder: Path = HOME) -> tuple[int, int]:
    """Return the number of guides and the number of words."""
    pages = sorted(folder.glob("*.md"))
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in pages)
    return sum(page.name not in NO_GUIDES for page in pages), words


if __name__ == "__main__":
    guides, words = counted()
    print(f"{guides} guides (at most {PAGES}), {words:,} words (at most {WORDS:,})")
    sys.exit(guides > PAGES or words > WORDS)
