"""Five guides as notebooks: `python docs/notebook.py` writes docs/notebooks from them, text as text
and code as code.
"""

import re
from pathlib import Path

import nbformat

HOME = Path(__file__).resolve().parent
GUIDES = ("choosing", "exploring", "hex", "pheromones", "tiles")


def notebook_of(page: str) -> nbformat.NotebookNode:
    """The notebook of a guide: a cell for each block of Python, and one for each text between;
    pictures and links lead to the guides.
    """
    cells = []
    for number, part in enumerate(
        re.split(r"^```python\n(.*?)^```\n?", page, flags=re.DOTALL | re.MULTILINE)
    ):
        text = part.strip()
        if text and number % 2:
            cells.append(nbformat.v4.new_code_cell(text, id=f"cell-{number}"))
        elif text:
            linked = re.sub(r"\]\((?!https?:|#|\.\./)", "](../", text)
            cells.append(
                nbformat.v4.new_markdown_cell(
                    linked.replace("](../../", "](../../"), id=f"cell-{number}"
                )
            )
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


def main() -> None:
    """Write all of them."""
    (HOME / "notebooks").mkdir(exist_ok=True)
    for name in GUIDES:
        made = notebook_of((HOME / f"{name}.md").read_text(encoding="utf-8"))
        nbformat.write(made, HOME / "notebooks" / f"{name}.ipynb")


if __name__ == "__main__":
    main()
