"""The frame in which every game runs: clock, keys, overlays, recording, seeds, digests."""
