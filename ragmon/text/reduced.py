"""Texts that are no longer kept: what can still be asked of them."""

from dataclasses import dataclass
from typing import NoReturn

from ragmon.errors import NotKeptError
from ragmon.text.hashing import TokenHasher
from ragmon.text.scan import Number, NumberKey, unsigned
from ragmon.text.text import Text


class WithheldText(Text):
    """A text of which only a name is kept, `identity`: equal texts have equal ones.

    Whatever else is asked of it raises NotKeptError.
    """

    def __init__(self, identity: str) -> None:
        self.identity = identity

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    # Called only for what a subclass does not set, and for `raw`, which none does.
    def __getattr__(self, name: str) -> NoReturn:
        raise NotKeptError(f"{name} of a text is not kept")

    def alike(self, other: Text) -> Text:  # noqa: ARG002
        """Nothing compares with it."""
        raise NotKeptError("a text is not kept")


@dataclass(frozen=True, slots=True)
class TokenHashes:
    """What is kept of a text in `keep: hashed`, each token as its hash.

    words, squad: in order. stated: per number that it states as an answer, its readings.
    supported: the numbers that it supports as a context.
    """

    words: tuple[str, ...]
    squad: tuple[str, ...]
    stated: tuple[tuple[str, ...], ...]
    supported: tuple[str, ...]


class HashedText(WithheldText):
    """A text known by the hashes of its tokens; they compare like the tokens themselves."""

    def __init__(self, identity: str, hashes: TokenHashes, hasher: TokenHasher) -> None:
        super().__init__(identity)
        self.hashes = hashes
        self.words = hashes.words
        self.squad = hashes.squad
        self.answer_numbers = tuple(Number("", readings) for readings in hashes.stated)
        self.context_numbers: frozenset[NumberKey] = frozenset(hashes.supported)
        self._hasher = hasher

    def alike(self, other: Text) -> Text:
        """Another text by the hashes of its tokens, to be compared with this one."""
        return hashed(other, self._hasher)


def hashed(text: Text, hasher: TokenHasher) -> HashedText:
    """A plain text by the hashes of its tokens; one that is hashed stays as it is.

    Raises:
        NotKeptError: its tokens are not kept.
    """
    if isinstance(text, HashedText):
        return text
    stated = [
        tuple(hasher.number(unsigned(key)) for key in number.keys) for number in text.answer_numbers
    ]
    hashes = TokenHashes(
        words=hasher.tokens(text.words),
        squad=hasher.tokens(text.squad),
        stated=tuple(stated),
        supported=tuple(sorted(map(hasher.number, text.context_numbers))),
    )
    return HashedText(hasher.name(text.raw), hashes, hasher)


def withheld(text: Text, hasher: TokenHasher) -> WithheldText:
    """A plain text by nothing but its name; one that is reduced stays as it is."""
    return text if isinstance(text, WithheldText) else WithheldText(hasher.name(text.raw))
