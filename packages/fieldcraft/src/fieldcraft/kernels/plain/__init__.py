"""The specifications, called as the compiled kernels are: where a kernel goes on in portions or
into given arrays, all is done at once.
"""
