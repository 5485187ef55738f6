"""Search for settings of a game that play better, judged in worlds that no trial played."""
