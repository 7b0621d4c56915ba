"""Compressed bodies are inflated whole, or not at all."""

import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragmon.errors import MalformedError, OverloadedError, TooLargeError
from ragmon.ingest.compression import DEFLATE, GZIP, IDENTITY, inflate

_COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    GZIP: gzip.compress,
    DEFLATE: zlib.compress,
    IDENTITY: bytes,
}
LIMIT = 8 << 20


@given(
    content=st.binary(max_size=300),
    encoding=st.sampled_from((GZIP, DEFLATE, IDENTITY)),
    step=st.integers(1, 50),
)
def test_round_trip(content: bytes, encoding: str, step: int) -> None:
    """However it is cut into chunks, the content comes back."""
    packed = _COMPRESS[encoding](content)
    chunks = [packed[start : start + step] for start in range(0, len(packed), step)]
    assert content == inflate(chunks, encoding, 300) == inflate(packed, encoding, 300)


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) + 1, (3 << 20) - 1, 8 << 20])
def test_whole_steps(size: int) -> None:
    """Content that fills the output steps exactly is not taken for a truncated one."""
    assert bytes(size) == inflate(gzip.compress(bytes(size)), GZIP, LIMIT)


def test_members() -> None:
    """Gzip members strung together are one body."""
    assert inflate(gzip.compress(b"a") + gzip.compress(b"b"), GZIP, 2) == b"ab"


def test_too_many_members() -> None:
    """A body of nothing but empty members is refused."""
    with pytest.raises(MalformedError, match="more than 10000 compressed members"):
        inflate(gzip.compress(b"") * 10_001, GZIP, LIMIT)


@pytest.mark.parametrize("encoding", [GZIP, DEFLATE, IDENTITY])
def test_limit(encoding: str) -> None:
    """The limit itself is allowed, one byte more is not."""
    packed = _COMPRESS[encoding](bytes(101))
    assert len(inflate(packed, encoding, 101)) == 101
    with pytest.raises(TooLargeError, match="over 100 bytes"):
        inflate(packed, encoding, 100)


def test_bomb() -> None:
    """A bomb is stopped at the limit, having taken no more than that."""
    member = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join([*(member.compress(bytes(1 << 20)) for _ in range(200)), member.flush()])
    taken: list[int] = []
    with pytest.raises(TooLargeError):
        inflate(bomb, GZIP, LIMIT, taken.append)
    assert sum(taken) == LIMIT


@pytest.mark.parametrize("encoding", [GZIP, DEFLATE])
@pytest.mark.parametrize("cut", [0, 1, 5, -1])
def test_truncated(encoding: str, cut: int) -> None:
    """A body that ends early is malformed, wherever it ends."""
    with pytest.raises(MalformedError, match="ends early"):
        inflate(_COMPRESS[encoding](b"hello")[:cut], encoding, LIMIT)


@pytest.mark.parametrize(
    "packed",
    [b"hello", gzip.compress(b"x") + b"rest", gzip.compress(b"x")[:-8] + bytes(8)],
    ids=["no gzip", "rest after the end", "wrong checksum"],
)
def test_damaged(packed: bytes) -> None:
    """Bytes that are no gzip, before or after a member, and a bad checksum are malformed."""
    with pytest.raises(MalformedError, match=r"damaged"):
        inflate(packed, GZIP, LIMIT)


def test_unknown_encoding() -> None:
    """An encoding that is not understood is malformed."""
    with pytest.raises(MalformedError, match="unknown content encoding 'br'"):
        inflate(b"", "br", LIMIT)


def test_reserve() -> None:
    """What is reserved is told before it is held, and a refusal stops the work."""

    def refuse(_size: int) -> None:
        raise OverloadedError("full")

    with pytest.raises(OverloadedError):
        inflate(gzip.compress(bytes(10)), GZIP, LIMIT, refuse)
