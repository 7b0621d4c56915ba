"""Traces -> records: what the spans of a trace mean, whatever their dialect."""

from ragmon.interpret.record import interpret

__all__ = ["interpret"]
