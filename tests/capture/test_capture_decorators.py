import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.trace import StatusCode, get_current_span

import ragmon
from tests.capture.conftest import Spans

DECORATORS: dict[str, Any] = {
    "request": ragmon.request,
    "chunking": ragmon.chunking,
    "embedding": ragmon.embedding,
    "retrieval": ragmon.retrieval,
    "reranking": ragmon.reranking,
    "augmentation": ragmon.augmentation,
    "generation": ragmon.generation,
}
by_stage = pytest.mark.parametrize("stage", DECORATORS)


@by_stage
def test_decorator_stage_bare(stage: str, spans: Spans) -> None:
    """Each decorator works bare and writes its stage."""

    def work(text: str) -> None:
        """Docs."""

    captured = DECORATORS[stage](work)
    assert captured("x") is None
    assert spans.only()["ragmon.stage"] == stage
    assert spans.named(stage).name == f"{stage} work"


@by_stage
def test_decorator_stage_options(stage: str, spans: Spans) -> None:
    """Each decorator works with options, and `name` names the span."""
    captured = DECORATORS[stage](name="mine")(lambda: None)
    captured()
    assert spans.named("mine").attributes is not None


@by_stage
def test_decorator_keeps_the_function(stage: str) -> None:
    """Name, docstring, signature and kind of the function stay as they were."""

    def plain(a: int, *, b: str = "x") -> list[str]:
        """Docs."""
        return [b] * a

    async def later(a: int, *, b: str = "x") -> list[str]:
        """Docs."""
        return [b] * a

    def stream(a: int, *, b: str = "x") -> Any:
        """Docs."""
        yield [b] * a

    async def stream_later(a: int, *, b: str = "x") -> Any:
        """Docs."""
        yield [b] * a

    kinds: tuple[Callable[[object], bool], ...] = (
        inspect.iscoroutinefunction,
        inspect.isgeneratorfunction,
        inspect.isasyncgenfunction,
    )
    for function in (plain, later, stream, stream_later):
        captured = DECORATORS[stage](function)
        assert inspect.signature(captured) == inspect.signature(function)
        assert captured.__name__ == function.__name__
        assert captured.__doc__ == "Docs."
        assert [kind(captured) for kind in kinds] == [kind(function) for kind in kinds]


def test_decorator_methods(spans: Spans) -> None:
    """Methods, class methods and static methods are captured, generators as well."""

    class Searcher:
        prefix = "p"

        @ragmon.retrieval
        def search(self, query: str) -> list[str]:
            return [self.prefix + query]

        @ragmon.retrieval
        @classmethod
        def of_class(cls, query: str) -> list[str]:
            return [cls.prefix + query]

        @ragmon.retrieval
        @staticmethod
        def of_none(query: str) -> list[str]:
            return [query]

        @ragmon.generation
        def stream(self, prompt: str) -> Any:
            yield self.prefix + prompt

    searcher = Searcher()
    assert searcher.search("q") == ["pq"]
    assert Searcher.search(searcher, query="r") == ["pr"]
    assert searcher.of_class("c") == ["pc"]
    assert searcher.of_none("s") == ["s"]
    assert list(searcher.stream("g")) == ["pg"]
    queries = [(span.attributes or {}).get("gen_ai.retrieval.query.text") for span in spans.all()]
    assert queries == ["q", "r", "c", "s", None]
    assert spans.attributes("generation")["ragmon.answer"] == "pg"


def test_decorator_result_is_the_functions_own(spans: Spans) -> None:
    """The very object that the function returned comes back."""
    found = [{"id": "a", "text": "t"}]
    assert ragmon.retrieval(lambda: found)() is found


def test_decorator_error(spans: Spans) -> None:
    """The function's exception comes out unchanged; the span is an error of its type."""
    error = KeyError("secret")

    @ragmon.generation
    def fail(prompt: str) -> str:
        raise error

    with pytest.raises(KeyError) as caught:
        fail("p")
    assert caught.value is error
    assert caught.value.__context__ is None
    span = spans.named("generation")
    assert span.status.status_code is StatusCode.ERROR
    assert spans.only()["error.type"] == "KeyError"
    assert spans.only()["ragmon.prompt"] == "p"
    assert "ragmon.answer" not in spans.only()


def test_decorator_error_of_a_module(spans: Spans) -> None:
    """An exception that is no built-in is named with its module."""

    @ragmon.request
    async def fail() -> None:
        raise asyncio.QueueFull

    with pytest.raises(asyncio.QueueFull):
        asyncio.run(fail())
    assert spans.only()["error.type"] == "asyncio.queues.QueueFull"


async def test_decorator_cancelled(spans: Spans) -> None:
    """A cancelled call is abandoned, no error, and the cancellation goes on."""
    started = asyncio.Event()

    @ragmon.request
    async def wait(question: str) -> str:
        started.set()
        await asyncio.Event().wait()
        return "never"

    task = asyncio.create_task(wait("q"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert spans.only()["ragmon.abandoned"] is True
    assert spans.only()["ragmon.query"] == "q"
    assert spans.named("request").status.status_code is StatusCode.UNSET


def test_decorator_nesting(spans: Spans) -> None:
    """Stages called inside a request are its children, in one trace."""

    @ragmon.retrieval
    def search(query: str) -> list[str]:
        return [query]

    @ragmon.request
    def answer(question: str) -> str:
        return search(question)[0]

    assert answer("q") == "q"
    child, root = spans.named("retrieval"), spans.named("request")
    assert child.parent is not None
    assert root.context is not None
    assert child.parent.span_id == root.context.span_id
    assert not get_current_span().get_span_context().is_valid


async def test_decorator_concurrency(spans: Spans) -> None:
    """Requests that run at the same time do not mix."""

    @ragmon.retrieval
    async def search(query: str) -> list[str]:
        await asyncio.sleep(0)
        return [query]

    @ragmon.request
    async def answer(question: str) -> str:
        await asyncio.sleep(0)
        found = await asyncio.gather(search(question), search(question + "?"))
        return found[0][0]

    await asyncio.gather(*(answer(f"q{n}") for n in range(5)))
    by_trace: dict[int, set[str]] = {}
    for span in spans.all():
        attributes = span.attributes or {}
        asked = attributes.get("ragmon.query") or attributes["gen_ai.retrieval.query.text"]
        assert span.context is not None
        by_trace.setdefault(span.context.trace_id, set()).add(str(asked))
    assert sorted(map(sorted, by_trace.values())) == [[f"q{n}", f"q{n}?"] for n in range(5)]


def test_decorator_positional_keyword_default(spans: Spans) -> None:
    """An argument is found by position, by keyword, and as a default."""

    @ragmon.retrieval
    def search(first: int, query: str = "default", /, *, top_k: int = 7) -> list[str]:
        return []

    search(1, "q", top_k=3)
    search(1)
    asked = [
        (
            (span.attributes or {})["gen_ai.retrieval.query.text"],
            (span.attributes or {})["gen_ai.retrieval.top_k"],
        )
        for span in spans.all()
    ]
    assert asked == [("q", 3), ("default", 7)]


def test_decorator_identity_survives_full_span(spans: Spans) -> None:
    """Attributes that identify a span are set last: the SDK drops the oldest above 128."""

    @ragmon.retrieval
    def search(query: str) -> list[str]:
        for place in range(200):
            get_current_span().set_attribute(f"mine.{place}", place)
        return ["d"]

    search("q")
    attributes = spans.only()
    assert attributes["ragmon.stage"] == "retrieval"
    assert attributes["gen_ai.retrieval.query.text"] == "q"
    assert attributes["ragmon.documents.text"] == ("d",)
    assert list(attributes)[-2:] == ["ragmon.stage", "gen_ai.operation.name"]


def test_decorator_sampler_sees_the_request(spans: Spans) -> None:
    """A request's span starts with its stage, so that a sampler can decide on it."""

    @ragmon.request
    def answer(question: str) -> str:
        started = getattr(get_current_span(), "attributes", {})
        assert started["ragmon.stage"] == "request"
        return "a"

    answer("q")


def test_a_property_stays_one(spans: Spans) -> None:
    """In the wrong order too, the value is that of the property, and its calls are captured."""

    class Report:
        @ragmon.generation  # type: ignore[prop-decorator]
        @property
        def summary(self) -> str:
            return "short"

    assert Report().summary == "short"
    assert spans.attributes("generation")["ragmon.answer"] == "short"
