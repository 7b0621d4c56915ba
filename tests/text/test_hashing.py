"""Tokens by their keyed hashes: they compare as the tokens do, and nothing can be read."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragmon.errors import NotKeptError
from ragmon.text import Text
from ragmon.text.hashing import TokenHasher
from ragmon.text.reduced import HashedText, WithheldText, hashed, withheld

HASHER = TokenHasher(b"0123456789abcdef")
OTHER = TokenHasher(b"another key here")
WORDS = st.text("ab \u0130\u03a31,.-", max_size=12)
NUMBERS = st.lists(st.sampled_from(["3,000", "3000", "3.000", "3", "1,5", "1.5", "-3", "2%"])).map(
    " or ".join
)


@given(WORDS, WORDS)
def test_hashes_are_equal_where_tokens_are(first: str, second: str) -> None:
    """In order, word by word, in each of the three ways that texts are compared."""
    one, two = Text(first), Text(second)
    short, long = hashed(one, HASHER), hashed(two, HASHER)
    assert (one.words == two.words) is (short.words == long.words)
    assert (one.squad == two.squad) is (short.squad == long.squad)
    assert (first == second) is (short.identity == long.identity)
    assert len(short.words) == len(one.words)


@example("3.5M", "3500000")
@given(NUMBERS, NUMBERS)
def test_numbers_are_supported_as_before(answer: str, context: str) -> None:
    """What a context supports of an answer does not depend on the form of either."""
    stated, known = Text(answer), Text(context)
    by_hashes = hashed(known, HASHER).context_numbers
    assert [number.supported_by(known.context_numbers) for number in stated.answer_numbers] == [
        number.supported_by(by_hashes) for number in hashed(stated, HASHER).answer_numbers
    ]


def test_a_key_decides_every_hash() -> None:
    """Of two keys no hash, name or check is the same; of one all are."""

    def of(hasher: TokenHasher) -> tuple[str, ...]:
        return (hasher.token("alpha"), hasher.number("12"), hasher.name("alpha"), hasher.check)

    assert set(of(HASHER)).isdisjoint(of(OTHER))
    assert of(HASHER) == of(TokenHasher(b"0123456789abcdef"))


def test_a_name_is_no_hash_of_a_token() -> None:
    """A whole text cannot be mistaken for the one word that it consists of."""
    assert HASHER.name("alpha").startswith("#")
    assert HASHER.name("alpha") != HASHER.token("alpha")
    assert not HASHER.token("alpha").startswith("#")


@pytest.mark.parametrize("size", [0, 15, 65])
def test_a_key_has_16_to_64_bytes(size: int) -> None:
    """A shorter one can be guessed; the message says how long it is."""
    with pytest.raises(ValueError, match=f"key has {size} bytes"):
        TokenHasher(b"k" * size)


def test_half_a_pair_of_surrogates_is_hashed() -> None:
    """Whatever a text may hold, sealing it does not fail."""
    assert HASHER.token("\ud800") != HASHER.token("\ud801")
    assert hashed(Text("a \ud800"), HASHER).identity.startswith("#")


def test_what_is_not_kept_raises_and_is_no_empty_text() -> None:
    """So that no metric can take it for one."""
    text, none = hashed(Text("Alpha 10"), HASHER), withheld(Text("Alpha 10"), HASHER)
    for reduced, names in ((text, ["raw"]), (none, ["raw", "words", "squad", "answer_numbers"])):
        for name in names:
            with pytest.raises(NotKeptError, match=name):
                getattr(reduced, name)
    with pytest.raises(NotKeptError):
        none.alike(Text("Alpha"))


def test_no_form_shows_the_text() -> None:
    """Neither by its name, nor printed."""
    for reduced in (hashed(Text("Alpha"), HASHER), withheld(Text("Alpha"), HASHER)):
        assert "lpha" not in f"{reduced!r} {reduced} {vars(reduced)}"


def test_reducing_twice_changes_nothing() -> None:
    """A text that is reduced stays as it is, and hashes are not made of nothing."""
    text, none = hashed(Text("Alpha"), HASHER), withheld(Text("Alpha"), HASHER)
    assert text is hashed(text, HASHER)
    assert none is withheld(none, HASHER)
    assert text is withheld(text, HASHER)
    with pytest.raises(NotKeptError):
        hashed(none, HASHER)


def test_another_text_is_compared_by_hashes() -> None:
    """A reference answer takes the form of the answer it is compared with."""
    answer = hashed(Text("The Alpha"), HASHER)
    assert isinstance(answer, HashedText)
    assert answer.squad == answer.alike(Text("alpha!")).squad
    assert isinstance(withheld(Text("x"), HASHER), WithheldText)
