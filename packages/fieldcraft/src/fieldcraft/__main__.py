"""`python -m fieldcraft`: the command line."""

import sys

from fieldcraft.commands.command_line import main

sys.exit(main())
