"""Entry point: ``python -m ikrig check|info|play|record|bake|convert``."""

from __future__ import annotations

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
