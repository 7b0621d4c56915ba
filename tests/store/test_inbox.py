"""The inbox keeps what was acknowledged, in order, until it is forgotten."""

import gzip
import os
import random
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ragmon.errors import OverloadedError, StoreLockedError, StoreUnavailableError
from ragmon.model.flow import Body, Ends, Part, SpanPart
from ragmon.store.inbox import MemoryInbox, SqliteInbox
from ragmon.store.protocol import Inbox

LIMIT = 1 << 20


def body(content: bytes = b"spans", *, spans: int = 2, encoding: str = "", at: int = 7) -> Body:
    return Body(at, "application/x-protobuf", encoding, content, spans)


def contents(inbox: Inbox, limit: int = 100) -> list[bytes]:
    return [entry.body.content for entry in inbox.read(limit)]


@pytest.fixture(params=["file", "file without a tail", "memory"])
def inbox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Inbox]:
    """Each kind of inbox; one that reads everything back from its file."""
    if request.param == "memory":
        yield MemoryInbox(LIMIT)
        return
    tail_bytes = 0 if "without" in request.param else LIMIT
    with SqliteInbox(tmp_path, LIMIT, tail_bytes=tail_bytes) as opened:
        yield opened


def test_entries_come_in_order_and_once(inbox: Inbox) -> None:
    """A cursor walks from the oldest to the newest."""
    first = inbox.append([body(b"a"), body(b"b")])
    second = inbox.append([body(b"c")])
    assert sorted(first + second) == first + second
    entries = inbox.read(2)
    assert (first, [b"a", b"b"]) == (
        [entry.offset for entry in entries],
        [entry.body.content for entry in entries],
    )
    assert [b"c"] == contents(inbox)
    assert [] == inbox.read(10)


def test_an_entry_says_what_it_takes(inbox: Inbox) -> None:
    """The bytes of the entries read are the bytes of the inbox."""
    inbox.append([body(b"x" * 1000), body(gzip.compress(b"y"), encoding="gzip")])
    assert inbox.bytes == sum(entry.stored_bytes for entry in inbox.read(10)) > 0


def test_a_body_comes_back_equal(inbox: Inbox) -> None:
    """Content, encoding, media type, arrival and span count."""
    plain, zipped = body(b"x" * 1000), body(gzip.compress(b"y"), encoding="gzip", at=9)
    inbox.append([plain, zipped])
    assert [plain, zipped] == [entry.body for entry in inbox.read(10)]


def test_unread_spans_are_counted(inbox: Inbox) -> None:
    """From the append to the read."""
    inbox.append([body(spans=3), body(spans=4)])
    assert 7 == inbox.unread_spans
    inbox.read(1)
    assert 4 == inbox.unread_spans
    assert 0 == inbox.replayed_spans


def test_bytes_go_back_when_forgotten(inbox: Inbox) -> None:
    """Bytes are those of what is kept, and nothing kept is no bytes."""
    offsets = inbox.append([body(b"a" * 100), body(b"b" * 100)])
    full = inbox.bytes
    assert 0 < full <= 200
    inbox.read(10)
    inbox.forget(offsets[1])
    assert 0 < inbox.bytes < full
    inbox.forget(offsets[1] + 1)
    assert 0 == inbox.bytes


def test_a_full_inbox_takes_all_or_nothing(inbox: Inbox) -> None:
    """It asks to try again in a second, and takes again once there is room."""
    noise = random.Random(1).randbytes(LIMIT * 2 // 3)
    (offset,) = inbox.append([body(noise)])
    with pytest.raises(OverloadedError, match="full") as refused:
        inbox.append([body(b"small"), body(noise)])
    assert 1 == refused.value.retry_after_s
    assert [noise] == contents(inbox)
    inbox.forget(offset + 1)
    inbox.append([body(noise)])
    assert [noise] == contents(inbox)


def test_forgetting_more_than_a_transaction(inbox: Inbox) -> None:
    """Any number of entries goes, and the next ones are untouched."""
    offsets = inbox.append([body(b"%d" % number) for number in range(600)])
    inbox.read(600)
    inbox.append([body(b"next")])
    inbox.forget(offsets[-1] + 1)
    assert [b"next"] == contents(inbox)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that does not exist yet."""
    return tmp_path / "state"


def test_what_was_appended_survives(folder: Path) -> None:
    """After a restart the cursor starts at the oldest kept, and the spans count as replayed."""
    with SqliteInbox(folder, LIMIT) as inbox:
        offsets = inbox.append([body(b"a"), body(b"b"), body(b"c", spans=5)])
        inbox.read(2)
        inbox.forget(offsets[1])
        size = inbox.bytes
    with SqliteInbox(folder, LIMIT) as inbox:
        assert (7, 7, size) == (inbox.replayed_spans, inbox.unread_spans, inbox.bytes)
        assert [b"b", b"c"] == contents(inbox)
        assert [offsets[-1] + 1] == inbox.append([body()])


def test_parts_of_recent_bodies_are_kept_in_memory(folder: Path) -> None:
    """What was split before it was appended need not be split again, up to a bound."""
    span = SpanPart("t", "s", None, Ends.NOTHING, 1, 1, b"", b"x" * 500)
    split = Body(1, "application/json", "", b"c", 1, (Part("t", (span,)),))
    with SqliteInbox(folder, LIMIT, tail_bytes=1000) as inbox:
        inbox.append([split, split, split])
        assert [True, False, False] == [entry.body.parts is not None for entry in inbox.read(9)]
        inbox.append([split])
        assert [True] == [entry.body.parts is not None for entry in inbox.read(9)]


def read_all(inbox: Inbox, step: int) -> list[bytes]:
    found: list[bytes] = []
    while more := contents(inbox, step):
        found += more
    return found


@pytest.mark.parametrize("step", [1, 2, 100])
def test_gaps_in_the_memory_are_read_from_the_file(folder: Path, step: int) -> None:
    """Bodies too large for the memory stand between smaller ones; none is lost or repeated."""
    sizes = (10, 2000, 20, 2000, 2000, 30)
    given = [b"%d" % number * size for number, size in enumerate(sizes)]
    with SqliteInbox(folder, LIMIT, tail_bytes=500) as inbox:
        inbox.append([body(content) for content in given])
        assert given == read_all(inbox, step)


def test_content_is_compressed_at_rest(folder: Path) -> None:
    """What came plain is kept small; what came gzipped is kept as it came."""
    zipped = gzip.compress(b"b" * 100_000)
    with SqliteInbox(folder, LIMIT) as inbox:
        inbox.append([body(b"a" * 100_000)])
        assert inbox.bytes < 1000
        before = inbox.bytes
        inbox.append([body(zipped, encoding="gzip")])
        assert len(zipped) == inbox.bytes - before


def test_files_are_their_owners_alone(folder: Path) -> None:
    """Folder 0700, every file in it 0600."""
    with SqliteInbox(folder, LIMIT) as inbox:
        inbox.append([body()])
        modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
        assert {"inbox.db", "inbox.db-wal", "inbox.db.lock", "inbox.ballast"} <= modes.keys()
        assert {0o600} == set(modes.values())
        assert 0o700 == folder.stat().st_mode & 0o777


def test_a_second_inbox_is_refused(folder: Path) -> None:
    """The message names who holds the file."""
    with (
        SqliteInbox(folder, LIMIT),
        pytest.raises(StoreLockedError, match=f"held by process {os.getpid()} "),
    ):
        SqliteInbox(folder, LIMIT)
    SqliteInbox(folder, LIMIT).close()


def test_a_damaged_row_costs_no_other(folder: Path) -> None:
    """Its body comes without media type, so that the reader can count it and go on."""
    with SqliteInbox(folder, LIMIT) as inbox:
        inbox.append([body(b"one"), body(b"two")])
    with sqlite3.connect(folder / "inbox.db") as database:
        database.execute("update body set content = x'00' where offset = 1")
    database.close()
    with SqliteInbox(folder, LIMIT) as inbox:
        damaged, whole = (entry.body for entry in inbox.read(10))
    assert ("", b"\0", 2) == (damaged.media_type, damaged.content, damaged.span_count)
    assert body(b"two") == whole


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MB of its own."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(mounted)]
    if os.geteuid() or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("needs root, to mount a small file system")
    yield mounted
    subprocess.run(["umount", str(mounted)], check=True)


def fill(inbox: SqliteInbox) -> Sequence[int]:
    """Append noise until the disk is full; the offsets that were acknowledged."""
    offsets: list[int] = []
    with pytest.raises(StoreUnavailableError, match="no room"):
        append_noise(inbox, offsets)
    return offsets


def append_noise(inbox: SqliteInbox, offsets: list[int]) -> None:
    noise = random.Random(2)
    while True:
        offsets += inbox.append([body(noise.randbytes(40_000))])


def test_a_full_disk_can_be_emptied(small_disk: Path) -> None:
    """Forgetting works while the disk is full, and then the inbox takes again."""
    with SqliteInbox(small_disk, 1 << 30) as inbox:
        offsets = fill(inbox)
        with pytest.raises(OSError, match="No space"):
            (small_disk / "other").write_bytes(bytes(16 << 20))
        assert list(offsets) == [entry.offset for entry in inbox.read(100_000)]
        inbox.forget(offsets[-1] + 1)
        assert 0 == inbox.bytes
        inbox.append([body(b"again")])
        assert [b"again"] == contents(inbox)


def test_a_full_disk_loses_nothing_acknowledged(small_disk: Path) -> None:
    """Every acknowledged offset is there after a restart, and nothing else."""
    with SqliteInbox(small_disk, 1 << 30) as inbox:
        offsets = fill(inbox)
    with SqliteInbox(small_disk, 1 << 30) as inbox:
        assert list(offsets) == [entry.offset for entry in inbox.read(100_000)]
