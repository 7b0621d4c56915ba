"""Keyed hashes of tokens: texts can be compared by them, and not be read without the key."""

from base64 import b64encode
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from ragmon.text.scan import NumberKey
from ragmon.text.tokens import word_tokens

SHORTEST_KEY = 16
"""Bytes of the shortest key that is taken."""
LONGEST_KEY = 64
"""Bytes of the longest."""

_REMEMBERED = 1 << 16


class TokenHasher:
    """Hashes tokens under one key; equal tokens have equal hashes, of 64 bits in 11 characters.

    key: 16 to 64 bytes. Any thread may call it. Whoever has the key can find out words by
    trying them, so it is kept apart from what it protects.

    Raises:
        ValueError: the key is too short or too long.
    """

    def __init__(self, key: bytes) -> None:
        if not SHORTEST_KEY <= len(key) <= LONGEST_KEY:
            raise ValueError(f"key has {len(key)} bytes; give {SHORTEST_KEY} to {LONGEST_KEY}")
        self._key = key
        self.token = lru_cache(_REMEMBERED)(self._token)
        """The hash of one token; it holds no space, `#` or `-`."""

    @property
    def check(self) -> str:
        """Tells this key from every other one, and nothing about it."""
        return self._digest("ragmon key check", 16).hex()

    def tokens(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """The hash of each token, in order."""
        return tuple(map(self.token, tokens))

    def words(self, text: str) -> tuple[str, ...]:
        """The hash of each word token of a text, in order."""
        return self.tokens(word_tokens(text))

    def number(self, key: NumberKey) -> str:
        """The hash of a number without a sign."""
        return self.token(key if isinstance(key, str) else "\0".join(key))

    def name(self, text: str) -> str:
        """What stands for a whole text; no normalised query is equal to it."""
        return f"#{self._digest(text, 16).hex()}"

    def _token(self, token: str) -> str:
        return b64encode(self._digest(token, 8)).decode("ascii").rstrip("=")

    def _digest(self, text: str, size: int) -> bytes:
        encoded = text.encode(errors="surrogatepass")
        return blake2b(encoded, key=self._key, digest_size=size).digest()
