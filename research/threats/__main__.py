"""Run the study: see `threats.py`."""

from research.threats.threats import main

if __name__ == "__main__":
    main()
