"""`python -m kcheck`: the command line."""

import sys

from kcheck.cli import main

sys.exit(main())
