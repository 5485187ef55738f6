"""Every run of the suite takes the same examples, and may take its time over each.

`pytest --hypothesis-profile=explore` looks at others instead.
"""

from hypothesis import settings

settings.register_profile("fieldcraft", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("fieldcraft")
