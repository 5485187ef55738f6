"""Five guides as notebooks, with their outputs: `python docs/notebook.py` runs them and writes
docs/notebooks.
"""

import re
import tempfile
from pathlib import Path

import nbclient
import nbformat

HOME = Path(__file__).resolve().parent
GUIDES = ("choosing", "memory", "paths", "pheromones", "tiles")


def notebook_of(page: str) -> nbformat.NotebookNode:
    """Return the notebook of a guide without outputs: a cell for each block of Python, and one for
    each text between. A cell that saves a picture shows it; links lead to the guides.
    """
    cells = []
    for number, part in enumerate(
        re.split(r"^```python\n(.*?)^```\n?", page, flags=re.DOTALL | re.MULTILINE)
    ):
        text = re.sub(r"^```output\n.*?^```\n?", "", part, flags=re.DOTALL | re.MULTILINE).strip()
        if text and number % 2:
            saved = re.findall(r'save_png\("(\w+\.png)"', text)
            shown = (
                f'\n\nfrom IPython.display import Image\n\nImage("{saved[-1]}")' if saved else ""
            )
            cells.append(nbformat.v4.new_code_cell(text + shown, id=f"cell-{number}"))
        elif text:
            linked = re.sub(r"\]\((?!https?:|#|\.\./)", "](../", text)
            linked = re.sub(r"\]\(\.\./(?=examples|packages|research)", "](../../", linked)
            cells.append(nbformat.v4.new_markdown_cell(linked, id=f"cell-{number}"))
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


def run(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of its cells, which write files to a folder."""
    client = nbclient.NotebookClient(
        notebook,
        timeout=240,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    done = client.execute()
    done.metadata.pop("language_info", None)
    for cell in done.cells:
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
            cell.metadata = {}
    return done


def main() -> None:
    """Write all of them."""
    (HOME / "notebooks").mkdir(exist_ok=True)
    for name in GUIDES:
        made = notebook_of((HOME / f"{name}.md").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run(made, Path(folder)), HOME / "notebooks" / f"{name}.ipynb")


if __name__ == "__main__":
    main()
