"""Texts and the rules that turn them into tokens, numbers and sentences."""

from ragmon.text.text import Text

__all__ = ["Text"]
