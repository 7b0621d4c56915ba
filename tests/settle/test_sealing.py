"""Records as bytes and back: nothing is lost of them but their texts."""

from dataclasses import MISSING, fields, replace

import pytest

from ragmon.labels import match_keys
from ragmon.model.gold import TargetKind
from ragmon.model.record import (
    Absence,
    ContextSource,
    Document,
    ModelUsage,
    Outcome,
    RequestRecord,
    Stage,
    StageRun,
)
from ragmon.settle.sealing import seal, unseal
from ragmon.text import Text
from ragmon.text.hashing import TokenHasher
from ragmon.text.reduced import HashedText, WithheldText

HASHER = TokenHasher(b"the key of tests")
FULL = RequestRecord(
    trace_id="1" * 32,
    span_id="2" * 16,
    span_ids=("2" * 16, "3" * 16),
    dialect="ragmon",
    pipeline="shop",
    event_ns=1_800_000_000_123_456_789,
    outcome=Outcome.ANSWERED,
    pipeline_version="v7",
    request_id="m-1",
    latency_s=1.25,
    error_type="TimeoutError",
    query=Text("Which secret?"),
    retrieved=(Document("a", Text("Secret 10."), 0.1), Document(None, None, None)),
    reranked=(),
    context=(Document("a", Text("Secret 10.")),),
    context_source=ContextSource.PACKED,
    max_context_tokens=100,
    prompt=Text("Say the secret"),
    answer=Text("Secret 10."),
    citations=("a", "ü"),
    model="m",
    usage=(ModelUsage("m", 10, None, 0.001), ModelUsage(None, 0, 2, None)),
    time_to_first_token_s=0.5,
    stages={Stage.RETRIEVAL: StageRun(0.25), Stage.GENERATION: StageRun(None, "E")},
    absent={"prompt": Absence.MASKED},
    weight=10.0,
    clock_faults=("ahead",),
    canary=True,
)
EMPTY = RequestRecord("1" * 32, "4" * 16, (), "ragmon", "shop", 0, Outcome.UNKNOWN)
TEXTS = {"query", "answer", "retrieved", "context", "prompt"}


@pytest.mark.parametrize("keep_hashes", [True, False])
def test_every_field_comes_back(keep_hashes: bool) -> None:
    """But for the prompt, which is too long to keep; of a text its name comes back."""
    full, empty = unseal(seal([FULL, EMPTY], HASHER, keep_hashes=keep_hashes), HASHER)
    assert empty == EMPTY
    for one in fields(RequestRecord):
        assert getattr(FULL, one.name) != one.default or one.default is MISSING, one.name
        if one.name not in TEXTS:
            assert getattr(FULL, one.name) == getattr(full, one.name), one.name
    assert full.prompt is None


def test_documents_keep_their_ids_scores_and_places() -> None:
    """One that was not captured stays so; equal texts stay one text."""
    (full,) = unseal(seal([FULL], HASHER, keep_hashes=True), HASHER)
    assert full.retrieved is not None
    assert full.context is not None
    assert full.answer is not None
    assert [("a", 0.1), (None, None)] == [(one.id, one.score) for one in full.retrieved]
    assert full.retrieved[1].text is None
    assert full.retrieved[0].text is full.context[0].text is full.answer


def test_what_is_kept_follows_from_the_mode() -> None:
    """Hashes with `hashed`, nothing but names with `ids`."""
    kinds = [
        type(record.answer)
        for keep_hashes in (True, False)
        for record in unseal(seal([FULL], HASHER, keep_hashes=keep_hashes), HASHER)
    ]
    assert [HashedText, WithheldText] == kinds


@pytest.mark.parametrize("keep_hashes", [True, False])
def test_no_word_is_in_the_bytes(keep_hashes: bool) -> None:
    """Neither of a query, an answer, a document nor a prompt, in any case."""
    written = seal([FULL], HASHER, keep_hashes=keep_hashes).decode().lower()
    assert "secret" not in written
    assert "which" not in written


def test_a_sealed_request_is_found_as_before() -> None:
    """Its match keys, the one of its query among them, are those of the plain record."""
    (full,) = unseal(seal([FULL], HASHER, keep_hashes=False), HASHER)
    keys = match_keys(full, HASHER)
    assert match_keys(FULL, HASHER) == keys
    assert TargetKind.QUERY in {key.kind for key in keys}


def test_a_sealed_record_can_be_sealed_again() -> None:
    """Nothing is lost or added by it."""
    (hashed,) = unseal(seal([FULL], HASHER, keep_hashes=True), HASHER)
    assert seal([FULL], HASHER, keep_hashes=True) == seal([hashed], HASHER, keep_hashes=True)


def test_odd_texts_are_sealed() -> None:
    """Half a pair of surrogates, an empty text, and one without a word."""
    for raw in ("\ud800 x", "", "€"):
        record = replace(FULL, answer=Text(raw), request_id="\ud800")
        (read,) = unseal(seal([record], HASHER, keep_hashes=True), HASHER)
        assert isinstance(read.answer, HashedText)
        assert read.answer.words == HASHER.words(raw)
        assert read.request_id == "\ud800"
