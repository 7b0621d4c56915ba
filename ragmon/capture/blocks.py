"""A span around a block of code, where there is no function to decorate."""

from contextvars import Token
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias, Unpack

from opentelemetry.context import Context, attach, detach

from ragmon.capture import faults
from ragmon.capture.notes import Notes, apply
from ragmon.capture.plan import Options, Plan
from ragmon.capture.recording import Recording, Unsampled
from ragmon.capture.stages import STAGES

StageName: TypeAlias = Literal[
    "request", "chunking", "embedding", "retrieval", "reranking", "augmentation", "generation"
]


class _Note:
    """An attribute that notes what is assigned to it; reading gives the last value."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, block: "StageSpan", value: object) -> None:
        block.note(self._name, value)

    def __get__(self, block: "StageSpan | None", owner: type | None = None) -> Any:
        return self if block is None else block.noted.get(self._name)


class StageSpan:
    """One stage as a `with` or `async with` block; made by `ragmon.span`.

    Assigning to `query`, `documents`, `input_documents`, `context`, `prompt` or `answer`
    records it; `annotate` takes everything that `ragmon.annotate` takes.
    """

    query = _Note()
    documents = _Note()
    input_documents = _Note()
    context = _Note()
    prompt = _Note()
    answer = _Note()

    def __init__(self, stage: StageName, name: str | None, notes: Notes) -> None:
        self._stage = stage
        self._name = name
        self.noted: dict[str, Any] = dict(notes)
        self._recording: Recording | Unsampled | None = None
        self._token: Token[Context] | None = None

    def annotate(self, **notes: Unpack[Notes]) -> None:
        """Record anything that `ragmon.annotate` takes on this very span."""
        self.noted.update(notes)
        self._apply(notes)

    def note(self, keyword: str, value: object) -> None:
        """Record one thing by its keyword."""
        self.noted[keyword] = value
        self._apply({keyword: value})

    def first_chunk(self) -> None:
        """Note that the first piece of a streamed answer has come."""
        if isinstance(self._recording, Recording):
            self._recording.first_chunk()

    def _apply(self, notes: Any) -> None:
        if isinstance(self._recording, Recording):
            try:
                apply(self._recording, notes)
            except Exception as fault:  # noqa: BLE001
                faults.report(fault, "annotating")

    def __enter__(self) -> Self:
        try:
            stage = STAGES[self._stage]
            plan = Plan(stage, Options(None, {}), (), self._name or stage.name)
            self._recording = plan.open((), {})
        except Exception as fault:  # noqa: BLE001
            faults.report(fault, "starting a span")
        if self._recording is not None:
            self._token = attach(self._recording.context)
        self._apply(self.noted)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None:
            detach(self._token)
        if isinstance(self._recording, Recording):
            if error is not None:
                self._recording.failed(error)
            self._recording.end()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, trace)


def span(stage: StageName, *, name: str | None = None, **notes: Unpack[Notes]) -> StageSpan:
    """Capture a block of code as one stage, where no function can be decorated.

    Args:
        stage: The stage, named as its decorator.
        name: The span's name; the stage's by default.
        **notes: What is known at the start: anything that `annotate` takes.

    Example:
        with ragmon.span("retrieval", query=question, top_k=5) as span:
            hits = index.search(question, 5)
            span.documents = hits
    """
    return StageSpan(stage, name, notes)
