"""The study of microRTS: an agent on influence maps plays the bots of a competition."""
