"""Declining to answer: by clause, with the context, in English."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragmon.text import Text
from ragmon.text.abstention import Decision, decide
from ragmon.text.clauses import clauses

DECLINES = """\
The provided context does not contain information about the CEO's salary.
Based on the information provided, it is not possible to determine the exact date.
I don't have access to that information.
There's no mention of the merger anywhere in these files.
Sorry, but none of the sources discuss the topic.
The text doesn't say.
It is unclear from the documents when the event took place.
Neither passage mentions the population of the city.
That detail is missing from the provided documents.
This is not in the reference.
The excerpts contain nothing relevant to your query.
The passage is about birds and does not mention fish.
The documents only discuss version 2. They do not mention version 3.
I'm sorry, I don\u2019t have that information. Let me know if I can help with anything else!
It's not mentioned.
The author's age is never given in the text.
n/a
?"""

ANSWERS = """\
The policy does not cover flood damage.
No, the museum is closed on Mondays.
There is no upper limit on file size.
The committee found no evidence of wrongdoing.
The function returns nothing when the list is empty.
If no documents are found, the list is empty.
The index does not contain deleted documents.
We do not provide refunds after 30 days.
The statement has no effect outside a loop.
The key is not present in the dictionary, so None is returned.
A class definition does not have to contain any statements.
Is it not mentioned in the documents?
Sorry.
None.
42"""

IN_PART = """\
The warranty lasts two years. The documents do not say whether it covers batteries.
Although the exact date is not given in the text, the battle took place in spring.
He was born in Vienna; I could not find his date of birth.
I don't have the exact number, but the report says it grew by 10 percent."""

OTHER_LANGUAGES = """\
Das steht nicht im Dokument.
Je ne sais pas.
No lo s\u00e9.
\u30d1\u30ea\u306f\u30d5\u30e9\u30f3\u30b9\u306e\u9996\u90fd\u3067\u3059\u3002
Pariisi p\u00e4\u00e4kaupunki Ranska kaupunki suuri joki silta torni museo katu talo puisto asema"""


@pytest.mark.parametrize("answer", ["", " \n", *DECLINES.splitlines()])
def test_declining_is_an_abstention(answer: str) -> None:
    """Who says that nothing is known or told, and nothing else, abstains."""
    assert Decision.ABSTAIN is decide(Text(answer))


@pytest.mark.parametrize("answer", ANSWERS.splitlines())
def test_a_negation_alone_declines_nothing(answer: str) -> None:
    """What is not so is an answer, as are conditions, questions and mere courtesy."""
    assert Decision.ANSWER is decide(Text(answer))


@pytest.mark.parametrize("answer", IN_PART.splitlines())
def test_an_answer_beside_a_refusal_is_partial(answer: str) -> None:
    """One clause that says something is enough for a part of an answer."""
    assert Decision.PARTIAL is decide(Text(answer))


@pytest.mark.parametrize("answer", OTHER_LANGUAGES.splitlines())
def test_other_languages_have_no_decision(answer: str) -> None:
    """A language without a rule is neither answered nor abstained."""
    assert decide(Text(answer)) is None


def test_what_the_context_says_is_no_refusal() -> None:
    """A clause of which four words of five stand in the context is told from there."""
    said = Text("No evidence of this was found in the records.")
    told = Text("The auditors wrote that no evidence of fraud was found in the old records.")
    elsewhere = Text("The auditors met on Monday.")
    decided = [decide(said, context) for context in ((), (elsewhere,), (elsewhere, told))]
    assert [Decision.ABSTAIN, Decision.ABSTAIN, Decision.ANSWER] == decided


def test_clauses_end_where_a_sentence_turns() -> None:
    """Line breaks, semicolons, contrasts and leading concessions part what is said."""
    text = (
        "It opens at 9;; taxes are extra, but tips are not.\nWhile it rains, we go. However, stay."
    )
    expected = ["It opens at 9", "taxes are extra", "tips are not.", "it rains", "we go.", "stay."]
    assert expected == list(clauses(text))


any_text = st.text(st.characters(exclude_categories=()), max_size=60)


@given(any_text, st.lists(st.text(max_size=20).map(Text), max_size=2))
def test_any_text_has_some_decision(text: str, context: list[Text]) -> None:
    """Whatever an answer holds, deciding gives one of the three or None."""
    assert decide(Text(text), context) in (*Decision, None)


HOSTILE = ("not given in ", "a; ", "no information ", "If no, ", "I not ", ", ", "\ud800 not ")


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_text_takes_time_in_line_with_its_length(unit: str) -> None:
    """Half a million characters are decided within seconds."""
    text = Text(unit * (500_000 // len(unit)) + " not")
    start = time.process_time()
    decide(text)
    assert time.process_time() - start < 5
