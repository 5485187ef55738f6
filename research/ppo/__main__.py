"""Run the study: see `ppo.py`."""

import sys

from research.ppo.ppo import main
from research.shared.entry import exit_code

if __name__ == "__main__":
    sys.exit(exit_code("research.ppo", main))
