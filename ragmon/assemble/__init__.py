"""Spans to traces: what is open, and when it is taken to be whole. No clock, no I/O."""

from ragmon.assemble.assembler import Assembler
from ragmon.assemble.settings import AssemblySettings

__all__ = ["Assembler", "AssemblySettings"]
