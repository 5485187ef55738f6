"""Run the study: see `fitted_layers.py`."""

import sys

from research.learned.fitted_layers import main
from research.shared.entry import exit_code

if __name__ == "__main__":
    sys.exit(exit_code("research.learned", main))
