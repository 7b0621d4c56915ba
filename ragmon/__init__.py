"""Capture for RAG applications; everything public stands in `__all__`."""
