"""Traces -> records and runs: what the spans of a trace mean, whatever their dialect."""

from ragmon.interpret.reading import Interpreted, interpret, interpret_runs, interpret_whole

__all__ = ["Interpreted", "interpret", "interpret_runs", "interpret_whole"]
