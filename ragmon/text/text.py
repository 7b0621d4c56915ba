"""A text that is read at most once per rule."""

from functools import cached_property

from ragmon.text.numbers import answer_numbers, context_numbers
from ragmon.text.scan import Number, NumberKey
from ragmon.text.squad import squad_tokens
from ragmon.text.tokens import word_tokens


class Text:
    """A text as captured, with every derived form computed on first use and kept.

    Two texts are equal if their characters are. One caller at a time.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"Text({len(self.raw)} characters)"

    def alike(self, other: "Text") -> "Text":
        """Another text as it can be compared with this one."""
        return other

    @cached_property
    def identity(self) -> str:
        """What tells this text from every other one: its characters."""
        return self.raw

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Word tokens in order."""
        return word_tokens(self.raw)

    @cached_property
    def word_set(self) -> frozenset[str]:
        """The different word tokens."""
        return frozenset(self.words)

    @cached_property
    def squad(self) -> tuple[str, ...]:
        """SQuAD-normalised tokens in order."""
        return squad_tokens(self.raw)

    @cached_property
    def squad_set(self) -> frozenset[str]:
        """The different SQuAD-normalised tokens."""
        return frozenset(self.squad)

    @cached_property
    def answer_numbers(self) -> tuple[Number, ...]:
        """The numbers this text states, read as an answer."""
        return answer_numbers(self.raw)

    @cached_property
    def context_numbers(self) -> frozenset[NumberKey]:
        """The numbers this text supports, read as a context."""
        return context_numbers(self.raw, self.words)
