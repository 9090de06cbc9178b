"""`python -m holdfast` is the command line."""

from __future__ import annotations

import sys

from holdfast.surfaces.cli.main import main

sys.exit(main())
