"""The normalisation of the SQuAD evaluation, for everything that compares answers.

Lower case, without ASCII punctuation, without the articles a, an, the, split at white
space. It is a second rule beside word tokens, and the two are never mixed.
"""

import re
import string

_ARTICLES = frozenset({"a", "an", "the"})
_PUNCTUATION = string.punctuation.encode("ascii")


def _ascii_lower(code: int) -> int:
    character = chr(code)
    plain = character.isprintable() or character.isspace()
    return ord(character.lower()) if plain and code < 0x80 else 0


# Control characters become 0: they bound a word, so an article beside one is found by pattern.
_ASCII_LOWER = bytes(map(_ascii_lower, range(256)))

_PUNCTUATION_RUN = re.compile(r"[!-/:-@\[-`{-~]+")
# The same as \b(?:a|an|the)\b; a pattern that starts with plain letters is searched faster.
_ARTICLE = re.compile(r"(?:a(?<!\wa)n?|t(?<!\wt)he)\b")


def squad_tokens(text: str) -> tuple[str, ...]:
    """The SQuAD-normalised tokens of a text, in order.

    >>> squad_tokens("The well-known number, 1,234.5!")
    ('wellknown', 'number', '12345')
    """
    if text.isascii():
        lowered = text.encode("ascii").translate(_ASCII_LOWER, _PUNCTUATION)
        if 0 not in lowered:
            words = lowered.decode("ascii").split()
            return tuple([word for word in words if word not in _ARTICLES])
    bare = _PUNCTUATION_RUN.sub("", text.lower())
    return tuple(_ARTICLE.sub(" ", bare).split())


def squad_normalise(text: str) -> str:
    """A text as the SQuAD evaluation compares it.

    >>> squad_normalise("The cat!")
    'cat'
    """
    return " ".join(squad_tokens(text))
