"""Which texts stand in a prompt, found within work that grows as the request does."""

from collections.abc import Sequence
from typing import Final

_PASSES: Final = 100
"""How often a prompt is read through, at most, before what stands in it is not captured."""
_LEAST_WORK: Final = 1 << 22
"""Characters that any request may have looked through: 400 texts in a prompt of 10 KB."""
_TEXT_WORK: Final = 1000
"""Characters that one text counts for, beside those it is looked for in."""

# CPython finds a text in linear time in 30,000 characters and more, but not in fewer.
_LINEAR: Final = 30_000
_SHORT: Final = 1000


class Search:
    """Looks texts up in the prompts of one request; of equal ones each is looked up once."""

    __slots__ = ("_known", "_work")

    def __init__(self) -> None:
        self._known: dict[str, dict[str, bool]] = {}
        self._work = _LEAST_WORK

    def found(self, texts: Sequence[str], prompt: str) -> list[bool] | None:
        """Per text whether it stands in the prompt; None where that is too much work."""
        known = self._known.get(prompt)
        if known is None:
            known = self._known[prompt] = {}
            self._work += _PASSES * len(prompt)
        self._work -= len(texts)
        return [known[text] for text in texts] if self._look(texts, prompt, known) else None

    def _look(self, texts: Sequence[str], prompt: str, known: dict[str, bool]) -> bool:
        """Look up what is not known, each from the place of the one before it on."""
        padded = prompt if len(prompt) < _SHORT else prompt.ljust(_LINEAR, "\0")
        after = 0
        for text in texts:
            if self._work < 0:
                return False
            if text in known:
                continue
            place = _place(text, padded, after)
            known[text] = 0 <= place <= len(prompt) - len(text)
            ahead = known[text] and place >= after
            self._work -= _TEXT_WORK + (place - after if ahead else len(prompt))
            after = place if known[text] else after
        return True


def _place(text: str, prompt: str, after: int) -> int:
    found = prompt.find(text, after)
    return found if found >= 0 else prompt.find(text, 0, after + len(text))
