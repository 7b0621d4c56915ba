"""Posted documents on their way to the store, and from there into results."""

from pathlib import Path
from typing import Any

from ragmon.app.corpus import CorpusDesk
from ragmon.store.settings import StoreSettings
from ragmon.store.sqlite import SqliteStore

NOW_NS = 1_800_000_000 * 10**9


def posted(document_id: str = "d", **more: Any) -> dict[str, Any]:
    chunks = [{"id": f"{document_id}-0", "text": "two"}, {"id": f"{document_id}-1", "text": "no"}]
    return {"document_id": document_id, "text": "One two", "chunks": chunks, **more}


def test_usable_documents_are_registered_and_faults_named(tmp_path: Path) -> None:
    """By position; a chunk that is not found is counted."""
    with SqliteStore(tmp_path) as store:
        told = CorpusDesk(store, 99).post([posted(), 5, posted()], NOW_NS, "shop")
    assert told.outcomes == {"accepted": 1, "unchanged": 1}
    assert told.counts == {"touched": 0, "unlocated_chunks": 2}
    assert told.faults == ("document 1: a document must be a JSON object",)


def test_a_document_needs_a_pipeline(tmp_path: Path) -> None:
    """Of its own, of the request, or the only one with requests."""
    with SqliteStore(tmp_path) as store:
        told = CorpusDesk(store, 99).post([posted(), posted(pipeline="shop")], NOW_NS)
    assert told.outcomes == {"accepted": 1}
    assert told.faults == ("document 0: pipeline: must be given; none has had a request yet",)


def test_what_does_not_fit_is_refused_with_the_bound(tmp_path: Path) -> None:
    """A fault as any other, so that the sender hears of it."""
    with SqliteStore(tmp_path, StoreSettings(corpus_bytes=12)) as store:
        told = CorpusDesk(store, 12).post([posted("d"), posted("e")], NOW_NS, "shop")
    assert told.outcomes == {"accepted": 1}
    assert told.faults == (
        "document 1: the corpus has no room below 12 bytes (store.corpus_bytes)",
    )
