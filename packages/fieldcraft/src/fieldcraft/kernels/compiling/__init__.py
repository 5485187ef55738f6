"""How kernels are declared and compiled, and which of them run."""
