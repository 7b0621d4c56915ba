"""What a metric of split documents can ask for."""

from collections.abc import Mapping
from typing import Final

from ragmon.metrics.input import Input

CHUNKING_INPUTS: Final[Mapping[str, Input]] = {}
"""Every input by its name."""
