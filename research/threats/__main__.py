"""Run the study: see `threats.py`."""

import sys

from research.shared.entry import exit_code
from research.threats.threats import main

if __name__ == "__main__":
    sys.exit(exit_code("research.threats", main))
