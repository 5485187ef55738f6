"""EPIBT, a planner that has the same information as ours, on the same instances and on its own."""
