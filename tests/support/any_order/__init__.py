"""The law "any order": operations in any order, on a world that is copied, saved and read between
them, have the same results as on one that is left alone.

- `scripts` runs scripts on two worlds, compares these, and shortens scripts that fail.
- `drawing` registers operations and draws random ones.
- `layers`, `spaces` and `followers` are the operations; `readings` is what is compared.
- `episodes` writes random scripts.
"""

from support.any_order import readings, spaces
from support.any_order.episodes import Episode, episode
from support.any_order.scripts import first_difference, replay, report

__all__ = ["Episode", "episode", "first_difference", "readings", "replay", "report", "spaces"]
