"""When a trace is released, and how large it may grow."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """Times in seconds, sizes in bytes; what each means stands in `config.Assembly`."""

    quiet_s: float = 6.0
    entry_quiet_s: float = 20.0
    idle_s: float = 60.0
    max_age_s: float = 600.0
    open_bytes: int = 256 << 20
    inbox_bytes: int = 1 << 30
    trace_spans: int = 10_000
    trace_bytes: int = 64 << 20
