from collections.abc import Sequence

import pytest

from ragmon.demo.app import CANDIDATES, App
from ragmon.demo.corpus import Passage
from ragmon.demo.faults import Fault, break_search, break_writer
from ragmon.demo.generate import NOT_FOUND, Draft, extract
from ragmon.demo.gold import Gold
from ragmon.demo.pace import SEARCH_S, WRITE_S, paced_search, paced_writer
from ragmon.demo.prompt import CONTEXT_WORDS, build_prompt
from ragmon.demo.rerank import rerank
from ragmon.demo.retrieve import Index
from ragmon.demo.words import words

QUERY = "What is a lambda expression in Python?"


def never_sleep(seconds: float) -> None:
    raise AssertionError(f"slept for {seconds} s")


def answer(index: Index, fault: Fault, query: str = QUERY) -> str:
    naps: list[float] = []
    write = break_writer(fault, extract, naps.append)
    return App(break_search(fault, index), write).ask(query, "r-1")


def test_the_answer_is_made_of_the_reference(index: Index) -> None:
    """Without a model, the answer is sentences of the best passages."""
    said = answer(index, Fault.NONE)
    assert "anonymous functions" in said


def test_the_app_says_so_when_it_finds_nothing(index: Index) -> None:
    """A question that the reference does not answer is not answered."""
    asked = "Which airline offers the cheapest flights from Berlin to Lisbon?"
    assert NOT_FOUND == answer(index, Fault.NONE, asked)


def test_most_gold_is_among_the_candidates(index: Index, golds: tuple[Gold, ...]) -> None:
    """BM25 finds at least 80 % of the relevant passages in its first five."""
    shares = [
        len({hit.id for hit in index.search(gold.question.text, 5)} & set(gold.relevant_ids))
        / len(gold.relevant_ids)
        for gold in golds
        if gold.relevant_ids
    ]
    assert sum(shares) / len(shares) >= 0.8


def test_search_is_best_first_and_matches(index: Index) -> None:
    """Scores fall; words that stand nowhere find as many, without a score."""
    scores = [hit.score for hit in index.search(QUERY, CANDIDATES)]
    assert CANDIDATES == len(scores)
    assert sorted(scores, reverse=True) == scores
    assert [0.0] * CANDIDATES == [hit.score for hit in index.search("zzzz qqqq", CANDIDATES)]


def test_reranking_keeps_the_candidates(index: Index) -> None:
    """The reranker orders and drops nothing."""
    hits = index.search(QUERY, CANDIDATES)
    ranked = rerank(QUERY, hits)
    assert {hit.id for hit in hits} == {hit.id for hit in ranked}
    assert ranked == sorted(ranked, key=lambda passage: -passage.score)


def test_reranking_nothing_gives_nothing() -> None:
    """An empty list stays empty."""
    nothing: list[Passage] = []
    assert nothing == rerank(QUERY, nothing)


def test_the_context_keeps_to_its_budget(index: Index, golds: tuple[Gold, ...]) -> None:
    """Packed documents never have more words than allowed, and some are packed."""
    for gold in golds:
        _, packed = build_prompt(gold.question.text, index.search(gold.question.text, CANDIDATES))
        size = sum(len(words(document.text)) for document in packed)
        assert size <= CONTEXT_WORDS


def test_a_document_too_long_is_skipped() -> None:
    """The next one that fits is packed instead."""
    long, short = Passage("a#0", "pad " * (CONTEXT_WORDS + 1)), Passage("b#0", "A short one.")
    prompt, packed = build_prompt(QUERY, [long, short])
    assert [short] == packed
    assert prompt.endswith(f"A short one.\n\nQuestion: {QUERY}")


def test_slow_generation_waits_and_says_the_same(index: Index) -> None:
    """Under slow-generation the answer is the same, later by the chosen seconds."""
    naps: list[float] = []
    write = break_writer(Fault.SLOW_GENERATION, extract, naps.append, slow_s=2.5)
    said = App(index.search, write).ask(QUERY, "r-1")
    assert ([2.5], answer(index, Fault.NONE)) == (naps, said)


def test_invented_numbers_stand_nowhere_in_the_reference(index: Index) -> None:
    """Under invented-numbers the answer gains two numbers that no passage holds."""
    plain, invented = answer(index, Fault.NONE), answer(index, Fault.INVENTED_NUMBERS)
    added = invented.removeprefix(plain)
    numbers = [word for word in words(added) if word.isdigit()]
    known = {word for passage in index.passages for word in words(passage.text)}
    assert plain != added
    assert (2, set()) == (len(numbers), set(numbers) & known)


def test_invented_numbers_are_the_same_each_time(index: Index) -> None:
    """A fault is as deterministic as the app."""
    once, again = (answer(index, Fault.INVENTED_NUMBERS) for _ in range(2))
    assert once == again


def test_wrong_documents_are_never_relevant(index: Index, golds: tuple[Gold, ...]) -> None:
    """Under wrong-documents as many are found, with the same scores, and none is relevant."""
    search = break_search(Fault.WRONG_DOCUMENTS, index)
    for gold in golds:
        right, wrong = (find(gold.question.text, CANDIDATES) for find in (index.search, search))
        assert [hit.score for hit in right] == [hit.score for hit in wrong]
        assert set() == {hit.id for hit in wrong} & {*gold.relevant_ids, *(h.id for h in right)}


def test_an_empty_index_finds_nothing(index: Index) -> None:
    """Under empty-index there is no document, and the app says that it has no answer."""
    assert [] == break_search(Fault.EMPTY_INDEX, index)(QUERY, CANDIDATES)
    assert NOT_FOUND == answer(index, Fault.EMPTY_INDEX)


@pytest.mark.parametrize("fault", [Fault.NONE, Fault.SLOW_GENERATION, Fault.INVENTED_NUMBERS])
def test_faults_of_generation_leave_search_alone(index: Index, fault: Fault) -> None:
    """What breaks the writer does not touch the index."""
    assert index.search(QUERY, 5) == break_search(fault, index)(QUERY, 5)


@pytest.mark.parametrize("fault", [Fault.NONE, Fault.WRONG_DOCUMENTS, Fault.EMPTY_INDEX])
def test_faults_of_retrieval_leave_the_writer_alone(fault: Fault) -> None:
    """What breaks the index does not touch the writer."""
    assert break_writer(fault, extract, never_sleep) is extract


def test_pauses_are_decided_by_seed_and_query(index: Index) -> None:
    """The same seed waits as long for the same query; another seed does not."""
    first, again, other = [naps_of(index, seed) for seed in (1, 1, 2)]
    assert first == again
    assert [] == [nap for nap in first if nap in other + naps_of(index, 1, "Why pass?")]


def test_pauses_keep_to_their_bounds(index: Index) -> None:
    """Searching and writing each take a while that a local program would not."""
    search_s, write_s = naps_of(index, seed=3)
    assert SEARCH_S[0] <= search_s <= SEARCH_S[1]
    assert WRITE_S[0] <= write_s <= WRITE_S[1]


def naps_of(index: Index, seed: int, query: str = QUERY) -> list[float]:
    naps: list[float] = []
    search = paced_search(index.search, naps.append, seed)
    App(search, paced_writer(extract, naps.append, seed)).ask(query, "r-1")
    return naps


def test_the_writer_reports_words_and_a_price() -> None:
    """The extractive writer counts words as tokens, and its cost grows with them."""
    draft = extract(QUERY, "one two three", [Passage("a#0", "A lambda expression is short.")])
    assert ("extractive", 3, 5) == (draft.model, draft.input_tokens, draft.output_tokens)
    assert draft.cost_usd == pytest.approx(8 * 2e-6)


def test_a_failing_writer_fails_the_request(index: Index) -> None:
    """What the writer raises reaches the caller unchanged."""

    def broken(query: str, prompt: str, documents: Sequence[Passage]) -> Draft:
        raise TimeoutError(query)

    with pytest.raises(TimeoutError):
        App(index.search, broken).ask(QUERY, "r-1")
