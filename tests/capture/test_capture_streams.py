import asyncio
import contextvars
import gc
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import StatusCode, get_current_span

import ragmon
from tests.capture.conftest import Spans


def nothing_is_current() -> bool:
    return not get_current_span().get_span_context().is_valid


@ragmon.generation
def letters(prompt: str) -> Iterator[str]:
    yield from prompt


@ragmon.generation
async def letters_later(prompt: str) -> AsyncGenerator[str, None]:
    for letter in prompt:
        await asyncio.sleep(0)
        yield letter


def test_stream_whole(spans: Spans) -> None:
    """A stream read to its end gives the whole answer and the time to its first chunk."""
    assert list(letters("abc")) == ["a", "b", "c"]
    attributes = spans.only()
    assert attributes["ragmon.prompt"] == "abc"
    assert attributes["ragmon.answer"] == "abc"
    assert attributes["gen_ai.response.time_to_first_chunk"] >= 0
    assert "ragmon.abandoned" not in attributes
    assert list(attributes)[-2:] == ["ragmon.stage", "gen_ai.operation.name"]


async def test_stream_whole_async(spans: Spans) -> None:
    """The same for an asynchronous stream."""
    assert [letter async for letter in letters_later("abc")] == ["a", "b", "c"]
    assert spans.only()["ragmon.answer"] == "abc"
    assert "gen_ai.response.time_to_first_chunk" in spans.only()


def test_stream_span_is_not_current_in_the_consumer(spans: Spans) -> None:
    """The span is current inside the generator, and never between its yields."""
    seen: list[trace.SpanContext] = []

    @ragmon.generation
    def generate() -> Iterator[str]:
        seen.append(get_current_span().get_span_context())
        yield "a"
        seen.append(get_current_span().get_span_context())

    for _ in generate():
        assert nothing_is_current()
    span = spans.named("generation")
    assert seen == [span.context, span.context]
    assert nothing_is_current()


async def test_stream_span_is_not_current_in_the_consumer_async(spans: Spans) -> None:
    """The same for an asynchronous stream."""
    stream = letters_later("ab")
    async for _ in stream:
        assert nothing_is_current()
    assert len(spans.all()) == 1


def test_stream_unread_makes_no_span(spans: Spans) -> None:
    """A stream that nobody reads has done nothing and makes no span."""
    stream = letters("abc")
    del stream
    gc.collect()
    assert spans.all() == []


def test_stream_closed(spans: Spans) -> None:
    """A consumer that closes the stream has abandoned it; what came is kept, no error."""
    stream = letters("abc")
    assert next(stream) == "a"
    stream.close()  # type: ignore[attr-defined]
    assert spans.only()["ragmon.answer"] == "a"
    assert spans.only()["ragmon.abandoned"] is True
    assert spans.named("generation").status.status_code is StatusCode.UNSET


def test_stream_dropped(spans: Spans) -> None:
    """A stream that is dropped half read makes its span as well."""
    stream = letters("abc")
    next(stream)
    del stream
    gc.collect()
    assert spans.only()["ragmon.abandoned"] is True


async def test_stream_cancelled(spans: Spans) -> None:
    """A task that is cancelled while it waits for a chunk has abandoned the stream."""
    waiting = asyncio.Event()

    @ragmon.generation
    async def generate(prompt: str) -> AsyncGenerator[str, None]:
        yield "a"
        waiting.set()
        await asyncio.Event().wait()

    async def read() -> None:
        async for _ in generate("p"):
            pass

    task = asyncio.create_task(read())
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert spans.only()["ragmon.abandoned"] is True
    assert spans.only()["ragmon.answer"] == "a"


async def test_stream_closed_in_another_task(
    spans: Spans, caplog: pytest.LogCaptureFixture
) -> None:
    """A stream may be closed in another task than the one that read it."""
    stream = letters_later("abc")
    await anext(stream)
    await asyncio.create_task(stream.aclose(), context=contextvars.Context())
    assert spans.only()["ragmon.abandoned"] is True
    assert caplog.records == []


def test_stream_error(spans: Spans) -> None:
    """An exception of the generator comes out unchanged, and what came before is kept."""
    error = ValueError("no")

    @ragmon.generation
    def generate() -> Iterator[str]:
        yield "a"
        raise error

    stream = generate()
    assert next(stream) == "a"
    with pytest.raises(ValueError, match="no") as caught:
        next(stream)
    assert caught.value is error
    assert spans.only()["error.type"] == "ValueError"
    assert spans.only()["ragmon.answer"] == "a"
    assert spans.named("generation").status.status_code is StatusCode.ERROR


def echo() -> Generator[Any, Any, str]:
    """Uses every part of the protocol."""
    received: Any = "first"
    while received != "stop":
        try:
            received = yield received
        except KeyError as error:
            received = f"caught {error.args[0]}"
    return "value"


def converse(make: Callable[[], Generator[Any, Any, Any]]) -> list[Any]:
    """A conversation with a generator, as a list of what it answered."""
    stream = make()
    said = [next(stream), stream.send("x"), stream.throw(KeyError("k")), stream.send(None)]
    try:
        stream.send("stop")
    except StopIteration as stop:
        said.append(stop.value)
    return said


def test_stream_protocol(spans: Spans) -> None:
    """send, throw and the return value behave as without the decorator."""
    assert converse(ragmon.generation(echo)) == converse(echo)


def test_stream_refuses_to_close(spans: Spans) -> None:
    """A generator that ignores its closing fails as it would without the decorator."""

    def stubborn() -> Iterator[str]:
        try:
            yield "a"
        except GeneratorExit:
            yield "b"

    captured = ragmon.generation(stubborn)
    for make in (stubborn, captured):
        stream = make()
        next(stream)
        with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
            stream.close()  # type: ignore[attr-defined]
        del stream
        gc.collect()


async def test_stream_protocol_async(spans: Spans) -> None:
    """asend, athrow and aclose behave as without the decorator."""

    @ragmon.generation
    async def generate() -> AsyncGenerator[Any, Any]:
        received: Any = "first"
        while True:
            try:
                received = yield received
            except KeyError as error:
                received = f"caught {error.args[0]}"

    stream = generate()
    assert await anext(stream) == "first"
    assert await stream.asend("x") == "x"
    assert await stream.athrow(KeyError("k")) == "caught k"
    await stream.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


def test_stream_wrong_arguments() -> None:
    """Arguments that do not fit fail at the call, as without the decorator."""
    with pytest.raises(TypeError):
        letters()  # type: ignore[call-arg]


def test_stream_read_after_its_request(spans: Spans) -> None:
    """A stream that is read after its request returned still belongs to it."""

    @ragmon.request
    def answer(question: str) -> Iterator[str]:
        return letters(question)

    # The decorated function itself is no generator: its span ends when it returns.
    stream = answer("ab")
    assert list(stream) == ["a", "b"]
    request, generation = spans.named("request"), spans.named("generation")
    assert request.context is not None
    assert generation.parent is not None
    assert generation.parent.span_id == request.context.span_id


def test_stream_request_with_stages_inside(spans: Spans) -> None:
    """A streaming request is the parent of what runs inside it."""

    @ragmon.retrieval
    def search(query: str) -> list[str]:
        return [query]

    @ragmon.request
    def answer(question: str) -> Iterator[str]:
        (found,) = search(question)
        yield from letters(found)

    assert "".join(answer("abc")) == "abc"
    request = spans.named("request")
    assert request.context is not None
    parents = {span.parent.span_id for span in spans.all() if span.parent is not None}
    assert parents == {request.context.span_id}
    assert spans.attributes("request")["ragmon.answer"] == "abc"


def test_stream_annotated_inside(spans: Spans) -> None:
    """`annotate` inside a stream goes to the stream's span, at any step."""

    @ragmon.generation
    def generate() -> Iterator[str]:
        yield "a"
        ragmon.annotate(output_tokens=1)

    list(generate())
    assert spans.only()["gen_ai.usage.output_tokens"] == 1
