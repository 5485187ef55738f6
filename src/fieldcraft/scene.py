"""What is to be seen, as plain data: games say it, views draw it."""
