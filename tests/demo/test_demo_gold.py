from collections import Counter

from ragmon.demo.app import index_passages
from ragmon.demo.corpus import Corpus, load_corpus
from ragmon.demo.gold import Gold, locate
from ragmon.demo.questions import Evidence, Question, QuestionKind, load_questions
from ragmon.demo.retrieve import Index
from ragmon.demo.words import words

PADDING = "\n\n".join(f"Paragraph {number} " + "pad " * 100 for number in range(3))


def ask(*evidence: Evidence) -> Question:
    return Question("Where?", QuestionKind.HOW, evidence, ("There.",))


def located(question: Question, corpus: Corpus) -> Gold:
    return locate([question], corpus, index_passages(corpus))[0]


def test_there_are_many_questions_of_every_kind() -> None:
    """At least 60 questions, some of each kind, at least 8 without an answer."""
    questions = load_questions()
    kinds = Counter(question.kind for question in questions)
    assert len(questions) >= 60
    assert set(QuestionKind) == set(kinds)
    assert kinds[QuestionKind.UNANSWERABLE] >= 8


def test_no_question_is_asked_twice() -> None:
    """A label on a question's words belongs to one question."""
    counts = Counter(words(question.text) for question in load_questions())
    assert [] == [text for text, count in counts.items() if count > 1]


def test_answerable_questions_have_evidence_and_answer() -> None:
    """Gold is whole where there is an answer, and absent where there is none."""
    for question in load_questions():
        assert question.answerable == bool(question.evidence)
        assert question.answerable == bool(question.answers)


def test_nearly_all_evidence_is_located(golds: tuple[Gold, ...]) -> None:
    """At least 95 % of the evidence stands in the reference of this CPython."""
    missing = sum(len(gold.not_found) for gold in golds)
    total = sum(len(gold.question.evidence) for gold in golds)
    assert missing <= 0.05 * total


def test_reference_answers_are_not_copied(golds: tuple[Gold, ...]) -> None:
    """No reference answer of more than four words stands word for word in its evidence."""
    for gold in golds:
        for answer in gold.question.answers:
            said = " ".join(words(answer))
            copied = [text for _, text in gold.evidence if f" {said} " in " ".join(words(text))]
            assert len(words(answer)) <= 4 or [] == copied


def test_relevant_passages_hold_the_evidence(golds: tuple[Gold, ...], index: Index) -> None:
    """Together the relevant passages hold every word of the evidence."""
    texts = {passage.id: passage.text for passage in index.passages}
    for gold in golds:
        spoken = {word for id_ in gold.relevant_ids for word in words(texts[id_])}
        assert all(set(words(text)) <= spoken for _, text in gold.evidence)


def test_evidence_is_found_whatever_its_line_breaks() -> None:
    """Case, punctuation and line breaks do not matter, the sequence of words does."""
    corpus = load_corpus({"t": f'{PADDING}\n\nThe "Cat"\nsat on\nthe mat.\n\n{PADDING}'})
    gold = located(ask(Evidence("t", "the cat", "the mat")), corpus)
    assert (("t", 'The "Cat"\nsat on\nthe mat'),) == gold.evidence
    assert ("t#2",) == gold.relevant_ids


def test_reworded_evidence_is_not_found() -> None:
    """What another CPython says in other words is counted, not guessed."""
    evidence = Evidence("t", "the dog", "the mat")
    gold = located(ask(evidence), load_corpus({"t": "The cat sat on the mat."}))
    assert ((evidence,), ()) == (gold.not_found, gold.relevant_ids)


def test_evidence_of_a_missing_topic_is_not_found() -> None:
    """A CPython without the topic has no evidence for it."""
    evidence = Evidence("gone", "the cat", "the mat")
    assert (evidence,) == located(ask(evidence), load_corpus({"t": "The cat."})).not_found


def test_evidence_of_a_topic_left_out_stands_where_it_is_quoted() -> None:
    """A topic that another contains is located there, in every place."""
    quoted = "The cat sat on the mat and looked at the dog for long."
    corpus = load_corpus({"t": quoted, "whole": f"{quoted}\n\n{PADDING}\n\n{quoted}"})
    gold = located(ask(Evidence("t", "the cat", "the mat")), corpus)
    assert ("whole#0", "whole#4") == gold.relevant_ids


def test_a_later_beginning_is_taken_where_the_first_leads_nowhere() -> None:
    """The first words may stand elsewhere too; the last words decide."""
    far = "pad " * 300
    corpus = load_corpus({"t": f"The cat slept. {far} The cat sat on the mat."})
    gold = located(ask(Evidence("t", "the cat", "the mat")), corpus)
    assert (("t", "The cat sat on the mat"),) == gold.evidence
