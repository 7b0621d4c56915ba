"""Posted documents: what is read, and every fault named by its key."""

from typing import Any

import pytest

from ragmon.corpus import DocumentError, parse_document

NOW_NS = 1_800_000_000 * 10**9
GOOD: dict[str, Any] = {
    "document_id": "d",
    "text": "One two. Three.",
    "chunks": [{"id": "a", "start": 0, "end": 8}, {"id": "b", "text": "Three"}],
}


def test_a_document_is_read() -> None:
    """Chunks by their offsets or by their text, in code points."""
    read = parse_document(GOOD, NOW_NS)
    assert (read.pipeline, read.registered_ns) == (None, NOW_NS)
    assert read.document.document_id == "d"
    assert [(one.id, one.text.raw, one.span) for one in read.document.chunks] == [
        ("a", "One two.", (0, 8)),
        ("b", "Three", None),
    ]
    located = read.document.located
    assert located is not None
    assert located.spans == ((0, 8), (9, 14))


@pytest.mark.parametrize(
    ("moment", "seconds"),
    [
        ("2027-01-15T08:00:00Z", 1_800_000_000),
        ("2027-01-15T08:00:00", 1_800_000_000),
        ("2027-01-15T09:00:00.5+01:00", 1_800_000_000.5),
        (1_800_000_000, 1_800_000_000),
    ],
)
def test_the_time_of_registration(moment: object, seconds: float) -> None:
    """ISO 8601, UTC where no zone is given, or seconds."""
    read = parse_document({**GOOD, "registered_at": moment}, 5)
    assert read.registered_ns == int(seconds * 10) * 10**8


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ({"document_id": ""}, ["document_id"]),
        ({"document_id": 5}, ["document_id"]),
        ({"text": None}, ["text"]),
        ({"chunks": {"id": "a"}}, ["chunks"]),
        ({"txt": "x"}, ["txt"]),
        ({"pipeline": 1, "registered_at": "soon"}, ["pipeline", "registered_at"]),
        ({"registered_at": "1900-01-01"}, ["registered_at"]),
        ({"chunks": [{"id": "a"}]}, ["chunks.0"]),
        ({"chunks": [{"id": "a", "start": 1}]}, ["chunks.0"]),
        ({"chunks": [{"id": "a", "start": 3, "end": 2}]}, ["chunks.0.start"]),
        ({"chunks": [{"id": "a", "start": 3, "end": 99}]}, ["chunks.0.end"]),
        ({"chunks": [{"id": "a", "start": -1, "end": 2}]}, ["chunks.0.start"]),
        ({"chunks": [{"id": "a", "start": True, "end": 2}]}, ["chunks.0.start"]),
        ({"chunks": [{"start": 1, "end": 2}, 7]}, ["chunks.0.id", "chunks.1"]),
        ({"chunks": [*GOOD["chunks"], {"id": "a", "text": "x"}]}, ["chunks.2.id"]),
    ],
)
def test_every_fault_is_named(change: dict[str, Any], faults: list[str]) -> None:
    """By its key, and without the document's text."""
    with pytest.raises(DocumentError) as raised:
        parse_document({**GOOD, **change}, NOW_NS)
    assert [fault.partition(":")[0] for fault in raised.value.faults] == faults
    assert "One" not in str(raised.value)


def test_a_chunk_is_an_object() -> None:
    """It is told so, without a name of ours."""
    with pytest.raises(DocumentError) as raised:
        parse_document({**GOOD, "chunks": ["One two."]}, NOW_NS)
    assert raised.value.faults == ("chunks.0: must be an object",)


@pytest.mark.parametrize("posted", [None, 5, [], "d"])
def test_only_an_object_is_a_document(posted: object) -> None:
    """Whatever else the line holds."""
    with pytest.raises(DocumentError, match="JSON object"):
        parse_document(posted, NOW_NS)
