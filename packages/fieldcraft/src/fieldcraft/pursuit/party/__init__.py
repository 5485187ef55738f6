"""Search parties: several agents that look for a target together."""
