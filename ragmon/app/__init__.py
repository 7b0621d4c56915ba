"""Wiring: the clock, the threads, the loop. The only room that knows all others."""
