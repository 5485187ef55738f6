"""Studies on fieldcraft: `python -m research` lists them. Not installed; run it from a clone."""
