"""Search for better settings of a game, judged in unseen worlds."""
