"""Files and libraries of others: maps, recordings, adapters."""
