"""Settings shared by all tests."""

import signal

from hypothesis import settings

# The same examples on every run, and no clock: a test fails for what the code does, never by luck.
settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")

# A shell that starts the tests in the background has interrupts ignored, and so would the commands that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
