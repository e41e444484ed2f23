"""`python -m kcheck`: the command line."""

import sys

from kcheck.cli import main

code = main()
# Where Ctrl-C met a text that is executed, as dataclasses are made by, Python takes it for one that nobody has caught,
# and ends by the signal whatever we return; the next such text makes it forget that.
exec("")
sys.exit(code)
