"""Movement of many agents at once: steering forces, neighbours, moves that stop at walls."""
