"""The file of a recipe, and the paths of other files in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from fieldcraft import checks
from fieldcraft.errors import BadRecipe, InvalidValue
from fieldcraft.settings import SettingsFile

__all__ = ["DATA", "RecipeFile", "data_beside"]

_VARIABLE = re.compile(r"\$\{(\w+)\}")
DATA = "FIELDCRAFT_DATA"


class RecipeFile(SettingsFile):
    """The file of a recipe; `data` is the folder that `${FIELDCRAFT_DATA}` in paths stands for.

    By default that is the environment variable of this name, else the first folder `shared/data`
    beside the recipe's folder or above it.
    """

    def __init__(
        self,
        path: Path,
        overrides: Iterable[str] = (),
        *,
        data: Path | None = None,
        text: str | None = None,
    ) -> None:
        self.file = path
        self.data = data
        super().__init__(path, overrides, text=text, error=BadRecipe)

    def resolve(self, name: str, text: str) -> Path:
        """Return a path of the recipe; relative paths begin at the recipe's folder.

        Raises
        ------
        InvalidValue
            For an unknown variable.
        """
        filled = _VARIABLE.sub(self._variable, checks.text(name, text))
        if not filled.strip() or "\0" in filled:
            raise InvalidValue(f"{name} is a path", got=repr(text), remedy="Write it in quotes")
        return self.file.parent / filled

    def _variable(self, match: re.Match[str]) -> str:
        name = match[1]
        if name == DATA and self.data is not None:
            return str(self.data)
        if name in os.environ:
            return os.environ[name]
        if name == DATA and (found := data_beside(self.file)) is not None:
            return str(found)
        raise InvalidValue(
            "A variable in a path is set",
            got=f"${{{name}}}",
            remedy=f"Pass --data DIR, or set the environment variable {DATA}"
            if name == DATA
            else "Set that environment variable, or write the path out",
        )


def data_beside(path: Path) -> Path | None:
    """Return the first folder `shared/data` beside a file or above it, if there is one."""
    try:
        folders = checks.path("path", path).resolve().parents
    except (ValueError, OSError) as error:
        raise InvalidValue(
            "path is the path of a file", got=repr(path)[:60], remedy=f"Correct it: {error}"
        ) from None
    found = (folder / "shared" / "data" for folder in folders)
    return next((folder for folder in found if folder.is_dir()), None)
