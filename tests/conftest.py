"""Every run of the suite takes the same examples, and may take its time over each."""

from hypothesis import settings

settings.register_profile("fieldcraft", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("fieldcraft")
