"""`python docs/check_links.py out/site`: links within the built site lead to pages and anchors that
are there.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag

_LINK = re.compile(r'(?:href|src)="([^"]+)"')
_ANCHOR = re.compile(r'\bid="([^"]+)"')


def lost_links(site: Path) -> list[str]:
    """The links that lead nowhere, each with its page."""
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(site.rglob("*.html"))}
    anchors = {page: set(_ANCHOR.findall(text)) for page, text in pages.items()}
    lost = []
    for page, text in pages.items():
        if (
            "_modules" in page.parts
        ):  # Sphinx links sources back to names under which they are not listed
            continue
        for link in sorted(set(_LINK.findall(text))):
            place, anchor = urldefrag(unquote(link.replace("&amp;", "&")))
            if re.match(r"[a-z]+:|//", place):
                continue
            target = (page.parent / place.partition("?")[0]).resolve() if place else page.resolve()
            target = target / "index.html" if target.is_dir() else target
            known = (
                anchors.get(site.resolve() / target.relative_to(site.resolve()))
                if target.is_relative_to(site.resolve())
                else None
            )
            if not target.exists() or (
                anchor and known is not None and anchor not in known and target.suffix == ".html"
            ):
                lost.append(f"{page.relative_to(site)}: {link}")
    return lost


if __name__ == "__main__":
    found = lost_links(Path(sys.argv[1]).resolve())
    print("\n".join(found) or "All links of the site lead somewhere")
    sys.exit(bool(found))
