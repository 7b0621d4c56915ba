"""What a request asks of the corpus, and which registrations it is given."""

import dataclasses
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.metrics.sources import Corpus, sources_of, wanted
from ragmon.model.corpus import NO_SOURCES, CorpusDocument, Sources, TokenRange, Wanted
from ragmon.model.gold import Gold
from ragmon.model.record import ContextSource, Document, RequestRecord
from ragmon.text import Text
from ragmon.text.tokens import joined

MakeRecord = Callable[..., RequestRecord]


def _document(
    document_id: str, words: str, registered_ns: int, **chunks: tuple[int, int] | None
) -> CorpusDocument:
    entries = tuple(
        (chunk_id, lies and TokenRange(document_id, *lies)) for chunk_id, lies in chunks.items()
    )
    return CorpusDocument("tests", document_id, joined(words.split()), entries, registered_ns)


def _wanted(event_ns: int, *chunk_ids: str, **needs: tuple[str, ...]) -> Wanted:
    return Wanted("tests", event_ns, chunk_ids, **needs)


def test_a_request_asks_for_its_chunks_and_its_evidence(make_record: MakeRecord) -> None:
    """Each id once, with the documents that evidence names, and the words of what names none."""
    record = make_record(
        retrieved=(Document("a", None), Document(None, Text("x")), Document("a", None)),
        context=(Document("c", None), Document("a", None)),
    )
    gold = Gold(
        expected_evidence=(
            {"text": "Alpha, beta", "document": "d"},
            {"text": "of its own", "source": "Of its own."},
            {"text": "Gamma: 1", "document": "d"},
            {"text": "Don't!"},
            {"text": "don t"},
            {"text": "..."},
        )
    )
    expected = Wanted("tests", 7, ("a", "c"), ("d",), (" don t ",))
    assert expected == wanted(dataclasses.replace(record, event_ns=7), gold)


def test_the_prompt_asks_for_no_chunk(make_record: MakeRecord) -> None:
    """What was read from the prompt is no chunk, and a request may need nothing at all."""
    context = (Document("prompt", Text("x")),)
    record = make_record(retrieved=None, context=context, context_source=ContextSource.PROMPT)
    assert Wanted("tests", 0, ()) == wanted(record, Gold())
    assert NO_SOURCES == sources_of([], wanted(record, Gold()))


def test_a_request_reads_the_newest_entry_not_later_than_itself() -> None:
    """Registrations after a request do not change what it read."""
    documents = [
        _document("d", "a b", 10, c=(0, 1)),
        _document("d", "a b c", 20, c=(1, 3)),
        _document("d", "a b c d", 30, c=(2, 4)),
    ]
    expected = Sources({"c": TokenRange("d", 1, 3)}, {"d": " a b c "})
    assert expected == sources_of(documents, _wanted(29, "c"))
    assert expected == sources_of(documents, _wanted(20, "c"))


def test_a_request_before_every_registration_reads_the_oldest() -> None:
    """Requests that came before their corpus are measured all the same."""
    documents = [_document("d", "a b", 30, c=(0, 2)), _document("d", "a", 20, c=(0, 1))]
    expected = Sources({"c": TokenRange("d", 0, 1)}, {"d": " a "})
    assert expected == sources_of(documents, _wanted(5, "c"))


def test_a_chunk_may_move_to_another_document() -> None:
    """An entry belongs to the chunk: its newest one counts, wherever it lies."""
    documents = [_document("d", "a b", 10, c=(0, 2)), _document("e", "x y z", 20, c=(0, 3))]
    expected = Sources({"c": TokenRange("e", 0, 3)}, {"e": " x y z "})
    assert expected == sources_of(documents, _wanted(20, "c"))
    assert Sources({"c": TokenRange("d", 0, 2)}, {"d": " a b "}) == sources_of(
        documents, _wanted(19, "c")
    )


def test_positions_of_two_registrations_never_collide() -> None:
    """An old chunk of a changed document points into the old tokens, under a name of its own."""
    documents = [
        _document("d", "a b c", 10, old=(0, 2)),
        _document("d", "x a b c", 20, new=(0, 2)),
    ]
    expected = Sources(
        {"old": TokenRange("d@10", 0, 2), "new": TokenRange("d", 0, 2)},
        {"d@10": " a b c ", "d": " x a b c "},
        {" b c ": "d"},
    )
    assert expected == sources_of(documents, _wanted(20, "old", "new", evidence=(" b c ",)))
    alone = Sources({"old": TokenRange("d", 0, 2)}, {"d": " a b c "}, {" x ": None})
    assert alone == sources_of(documents, _wanted(20, "old", evidence=(" x ",)))


def test_registering_the_same_text_again_changes_nothing() -> None:
    """Chunks of two registrations with the same tokens lie in one document."""
    documents = [_document("d", "a b c", 10, old=(0, 2)), _document("d", "a b c", 20, new=(1, 3))]
    chunks = {"old": TokenRange("d", 0, 2), "new": TokenRange("d", 1, 3)}
    assert Sources(chunks, {"d": " a b c "}) == sources_of(documents, _wanted(20, "old", "new"))


def test_a_chunk_without_a_place_is_registered_all_the_same() -> None:
    """That a chunk could not be located is known; that it is not registered is another thing."""
    documents = [_document("d", "a b", 10, lost=None)]
    expected = Sources({"lost": None}, {"d": " a b "})
    assert expected == sources_of(documents, _wanted(10, "lost", "stranger"))


def test_evidence_brings_the_document_that_it_names() -> None:
    """By the same rule of time; a document that is not registered is not there."""
    documents = [_document("d", "a", 10), _document("d", "a b", 20), _document("d", "a b c", 30)]
    expected = Sources({}, {"d": " a b "})
    assert expected == sources_of(documents, _wanted(25, documents=("d", "e")))


def test_evidence_without_a_document_is_in_the_first_that_holds_it() -> None:
    """The smallest id counts, whole words only, and only what stands at that time."""
    documents = [
        _document("f", "a b c", 10),
        _document("e", "a b", 10),
        _document("d", "a b", 10),
        _document("d", "ab b a", 20),
    ]
    needs = _wanted(20, evidence=(" a b ", " ab b ", " c a "))
    expected = Sources(
        {}, {"e": " a b ", "d": " ab b a "}, {" a b ": "e", " ab b ": "d", " c a ": None}
    )
    assert expected == sources_of(documents, needs)


def test_pipelines_do_not_see_each_other() -> None:
    """A corpus belongs to one pipeline; without it nothing is said of evidence."""
    other = dataclasses.replace(_document("d", "a b", 10, c=(0, 2)), pipeline="other")
    assert NO_SOURCES == sources_of([other], _wanted(10, "c", documents=("d",), evidence=(" a ",)))


def test_a_chunk_id_twice_keeps_its_first_place() -> None:
    """Of one registration the first entry of an id counts; of one time the greater document."""
    twice = CorpusDocument(
        "tests", "d", " a b ", (("c", TokenRange("d", 0, 1)), ("c", TokenRange("d", 1, 2))), 10
    )
    assert TokenRange("d", 0, 1) == sources_of([twice], _wanted(10, "c")).chunks["c"]
    again = _document("e", "x", 10, c=(0, 1))
    for documents in ([twice, again], [again, twice]):
        assert TokenRange("e", 0, 1) == sources_of(documents, _wanted(10, "c")).chunks["c"]


words = st.lists(st.sampled_from("ab"), max_size=5)
times = st.integers(0, 4)
registrations = st.lists(
    st.builds(
        lambda document_id, tokens, ns, chunk_ids: CorpusDocument(
            "tests",
            document_id,
            joined(tokens),
            tuple(
                (one, TokenRange(document_id, 0, len(tokens)) if one != "lost" else None)
                for one in chunk_ids
            ),
            ns,
        ),
        st.sampled_from("de"),
        words,
        times,
        st.lists(st.sampled_from(["v", "w", "lost"]), unique=True),
    ),
    max_size=8,
    unique_by=lambda one: (one.document_id, one.registered_ns),
)
requests = st.builds(
    lambda event_ns, chunk_ids, documents, runs: Wanted(
        "tests", event_ns, tuple(chunk_ids), tuple(documents), tuple(map(joined, runs))
    ),
    times,
    st.lists(st.sampled_from(["v", "w", "lost", "stranger"]), unique=True),
    st.lists(st.sampled_from("def"), unique=True),
    st.lists(words.filter(bool).map(tuple), max_size=2, unique=True),
)


def _rule(found: list[CorpusDocument], event_ns: int) -> CorpusDocument | None:
    """The rule of time, step by step."""
    order = sorted(found, key=lambda one: (one.registered_ns, one.document_id))
    past = [one for one in order if one.registered_ns <= event_ns]
    return past[-1] if past else next(iter(order), None)


@settings(max_examples=60)
@given(registrations, requests, st.randoms(use_true_random=False))
def test_sources_are_those_of_the_rule(
    documents: list[CorpusDocument], needs: Wanted, shuffle: Any
) -> None:
    """Any order of registrations gives the same, each chunk with the tokens of its own entry."""
    sources = sources_of(documents, needs)
    read_again = Corpus(documents)
    shuffle.shuffle(documents)
    assert sources == sources_of(documents, needs) == read_again.sources(needs)
    chosen = {}
    for chunk_id in needs.chunk_ids:
        found = [one for one in documents if chunk_id in dict(one.chunks)]
        entry = _rule(found, needs.event_ns)
        if entry is not None:
            chosen[chunk_id] = entry
    assert chosen.keys() == sources.chunks.keys()
    for chunk_id, document in chosen.items():
        lies = sources.chunks[chunk_id]
        assert (lies is None) == (chunk_id == "lost")
        assert lies is None or sources.documents[lies.document_id] == document.tokens
    for name in needs.documents:
        newest = max(
            (one for one in chosen.values() if one.document_id == name),
            key=lambda one: one.registered_ns,
            default=_rule([one for one in documents if one.document_id == name], needs.event_ns),
        )
        assert sources.documents.get(name) == (newest and newest.tokens)
    for run, holder in sources.evidence.items():
        assert holder is None or run in sources.documents[holder]
    assert bool(documents and needs.evidence) == bool(sources.evidence)
