from collections.abc import Iterator
from typing import Any

import ragmon
from tests.capture.conftest import Spans


def test_stream_chunk_forms(spans: Spans) -> None:
    """Text is read from the chunks of chat completions, and tokens from the last one."""

    @ragmon.generation
    def generate() -> Iterator[dict[str, Any]]:
        yield {"choices": [{"delta": {"role": "assistant"}}]}
        yield {"choices": [{"delta": {"content": "He"}}]}
        yield {"choices": [{"delta": {"content": "y"}, "finish_reason": "stop"}]}
        yield {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}

    list(generate())
    attributes = spans.only()
    assert attributes["ragmon.answer"] == "Hey"
    assert attributes["gen_ai.usage.input_tokens"] == 3
    assert attributes["gen_ai.usage.output_tokens"] == 2
    assert attributes["gen_ai.response.finish_reasons"] == ("stop",)


def test_stream_chunk_option(spans: Spans) -> None:
    """`chunk` says what text a chunk of one's own kind carries."""

    @ragmon.generation(chunk=lambda frame: frame[1])
    def generate() -> Iterator[tuple[int, str]]:
        yield 1, "a"
        yield 2, "b"

    list(generate())
    assert spans.only()["ragmon.answer"] == "ab"


def test_stream_unreadable_chunks(spans: Spans) -> None:
    """Chunks without text leave the answer uncaptured; a stream without chunks is empty."""

    @ragmon.generation
    def generate(count: int) -> Iterator[bytes]:
        for _ in range(count):
            yield b"\x00"

    list(generate(2))
    list(generate(0))
    answers = [(span.attributes or {}).get("ragmon.answer") for span in spans.all()]
    assert answers == [None, ""]
