"""`python -m heldtrue` is the command line."""

from __future__ import annotations

import sys

from heldtrue.surfaces.cli.main import main

sys.exit(main())
