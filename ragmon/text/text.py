"""A text that is tokenised at most once per rule."""

from functools import cached_property


class Text:
    """A text as captured, with every derived form computed on first use and kept.

    Two texts are equal if their characters are. One caller at a time.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"Text({len(self.raw)} characters)"

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Word tokens in order."""
        return tuple(self.raw.lower().split())
