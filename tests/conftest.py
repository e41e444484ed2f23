"""Settings shared by all tests."""

from hypothesis import settings

# The same examples on every run, and no clock: a test fails for what the code does, never by luck.
settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")
