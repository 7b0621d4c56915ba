"""SQuAD normalisation against the plain statement of its rule."""

import re
import string

from hypothesis import example, given
from hypothesis import strategies as st

from ragmon.text.squad import squad_normalise, squad_tokens


def _reference(text: str) -> str:
    lowered = "".join(
        character for character in text.lower() if character not in string.punctuation
    )
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", lowered).split())


any_text = st.text(
    st.one_of(st.characters(), st.sampled_from("aAnthe_  -.\n\x00\x1c\x85—\u2019é\u0301\ud800")),
    max_size=60,
)


@given(any_text)
@example("a\x00the\x1can\x7fa")
@example("x—a—y the\u0301 a\u2019s ana")
def test_equals_the_rule_on_any_text(text: str) -> None:
    """Whatever the text, the fast form gives what the plain rule gives."""
    assert _reference(text) == squad_normalise(text)


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_equals_the_rule_on_ascii(text: str) -> None:
    """The path for ASCII texts gives what the plain rule gives."""
    assert tuple(_reference(text).split()) == squad_tokens(text)
