"""Run the study: see `fitted_layers.py`."""

from research.learned.fitted_layers import main

if __name__ == "__main__":
    main()
