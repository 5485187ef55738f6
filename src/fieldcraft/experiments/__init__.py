"""Many worlds, one table: games over seeds and cores, with statistics and plots."""
