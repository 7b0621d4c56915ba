"""The processor's configuration.

One YAML file, then `RAGMON_...` variables (double underscore for nesting), then flags;
the last wins. Units stand in the key. Unknown keys are faults that name the nearest key,
and every fault is reported at once.
"""

from ragmon.config.canaries import Canary
from ragmon.config.events import LabelEvent
from ragmon.config.reading import load
from ragmon.config.shape import Config, Listen, ObjectiveConfig, window_seconds

__all__ = ["Canary", "Config", "LabelEvent", "Listen", "ObjectiveConfig", "load", "window_seconds"]
