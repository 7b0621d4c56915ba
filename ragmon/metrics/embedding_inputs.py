"""What a metric of vectors can ask for."""

from collections.abc import Mapping
from typing import Final

from ragmon.metrics.input import Input

EMBEDDING_INPUTS: Final[Mapping[str, Input]] = {}
"""Every input by its name."""
