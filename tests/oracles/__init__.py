"""The plain references: what the kernels have to give, bit for bit."""
