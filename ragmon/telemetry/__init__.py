"""Every Prometheus family that ragmon exposes, declared once.

`FAMILIES` is the one catalogue: export takes its names, labels and help texts from it,
docs and dashboards are generated from it and linted against it. A metric whose unit no
common family has brings a family of its own, by `family_of`. A family with closed label
sets names their values, so that its counters can start at zero.
"""

from ragmon.telemetry.catalogue import FAMILIES, find
from ragmon.telemetry.closed import (
    OTHER,
    REQUEST_STAGE,
    UNKNOWN,
    ClockFault,
    Room,
    SettledWhen,
    SloResult,
    Transport,
)
from ragmon.telemetry.family import Family, FamilyType
from ragmon.telemetry.metric_families import families_of, family_of

__all__ = [
    "FAMILIES",
    "OTHER",
    "REQUEST_STAGE",
    "UNKNOWN",
    "ClockFault",
    "Family",
    "FamilyType",
    "Room",
    "SettledWhen",
    "SloResult",
    "Transport",
    "families_of",
    "family_of",
    "find",
]
