"""Run the study: see `ppo.py`."""

from research.ppo.ppo import main

if __name__ == "__main__":
    main()
