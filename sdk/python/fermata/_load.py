"""How busy this machine is."""

from __future__ import annotations

import os


def cpu_load() -> float:
    """In percent of all cores."""
    try:
        return min(100.0, 100.0 * os.getloadavg()[0] / (os.cpu_count() or 1))
    except OSError:
        return 0.0
