"""Write the page of all public names: `make names`."""

from pathlib import Path

from fieldcraft.commands import names

PAGE = Path(__file__).resolve().parents[1] / "docs" / "names.md"

if __name__ == "__main__":
    PAGE.write_text(names.as_page(), encoding="utf-8")
