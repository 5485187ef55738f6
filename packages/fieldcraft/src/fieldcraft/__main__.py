"""`python -m fieldcraft`: the command line."""

import sys

from fieldcraft.cli import main

sys.exit(main())
