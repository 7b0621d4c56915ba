"""One open ragmon span: what is known of it so far, written to it once, at its end.

Attributes are gathered in a dictionary and set in one call when the span ends, the
identifying ones last: the SDK throws away the oldest above its limit.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from time import perf_counter
from typing import Any, Final, NamedTuple

from opentelemetry.context import Context, create_key, get_current
from opentelemetry.trace import Span, Status, StatusCode, set_span_in_context

from ragmon import semconv
from ragmon.capture import faults
from ragmon.capture.columns import Documents, encodable
from ragmon.capture.documents import read_documents
from ragmon.capture.settings import LIST_TEXTS, MAX_DOCUMENTS, Settings, active

_CURRENT: Final = create_key("ragmon-recording")
_MOST_CROSSED: Final = 10_000
_NOTHING: Final = Context()
"""In place of a context that is over: it holds its recording, which would be a cycle."""
_ERROR: Final = Status(StatusCode.ERROR)
GONE: Final = ("GeneratorExit", "CancelledError", "Cancelled")
"""Exceptions that say the caller went away; they are no fault of the function."""

Value = str | int | float | bool | bytes | Sequence[str] | Sequence[float]


class Columns(NamedTuple):
    """The attributes that one kind of document list is written to."""

    ids: str
    texts: str
    scores: str | None = None
    length: str | None = None


DOCUMENTS: Final = Columns(
    semconv.DOCUMENTS_ID,
    semconv.DOCUMENTS_TEXT,
    semconv.DOCUMENTS_SCORE,
    semconv.DOCUMENTS_COUNT,
)
INPUT_DOCUMENTS: Final = Columns(semconv.INPUT_DOCUMENTS_ID, semconv.INPUT_DOCUMENTS_TEXT)
CONTEXT: Final = Columns(semconv.CONTEXT_ID, semconv.CONTEXT_TEXT)


class Recording:
    """What one ragmon span will carry. Owned by the call it belongs to.

    `request` is the recording of the request around it; None for a request's own, and
    outside of one. `crossed` is there for a request only: the texts that were sent, by id.
    """

    __slots__ = (
        "attributes",
        "context",
        "crossed",
        "identity",
        "marks",
        "pipeline",
        "request",
        "settings",
        "span",
        "started_s",
    )

    def __init__(self, span: Span, identity: Mapping[str, str], parent: Context) -> None:
        self.span = span
        self.identity = identity
        self.settings: Settings = active.settings
        self.attributes: dict[str, Value] = {}
        # Allocated on the first text that is cut or withheld: nearly always never.
        self.marks: dict[str, list[str]] | None = None
        self.crossed: dict[str, str | None] | None = None
        self.started_s = perf_counter()
        self.pipeline = self.settings.pipeline
        self.request: Recording | None = None
        if identity.get(semconv.STAGE) == "request":
            self.crossed = {}
        else:
            self._join(parent.get(_CURRENT))
        self.context = set_span_in_context(span, parent)
        # A context is never changed once it is attached; this one is still ours alone, and
        # a second copy of it would be a tenth of what ragmon adds to a call.
        dict.__setitem__(self.context, _CURRENT, self)

    def _join(self, enclosing: object) -> None:
        if isinstance(enclosing, Recording):
            above = enclosing if enclosing.crossed is not None else enclosing.request
            if above is not None:
                self.request = above
                self.pipeline = above.pipeline

    # --- what it carries ------------------------------------------------------------

    def put(self, attribute: str, value: Value) -> None:
        """Set an attribute that is no content."""
        self.attributes[attribute] = value

    def put_text(self, attribute: str, text: str, times: int = 1) -> None:
        """Set a text: cut where it is over its bound, withheld where content is off.

        times: how many texts of the greatest length it may be as long as.
        """
        if self.settings.content == "off":
            self.withhold(attribute)
            return
        limit = self.settings.max_text_chars * times
        self.attributes[attribute] = encodable(
            text if len(text) <= limit else self._cut(attribute, text, limit)
        )

    def withhold(self, attribute: str) -> None:
        """Note that an attribute is not sent though there is something to send."""
        self._mark(semconv.MASKED, attribute)

    def put_ids(self, attribute: str, ids: Iterable[object]) -> None:
        """Set ids that are of no use unless all of them are there."""
        texts = tuple([encodable(str(id_)) for id_ in islice(ids, MAX_DOCUMENTS + 1)])
        if len(texts) > MAX_DOCUMENTS:
            self.withhold(attribute)
        else:
            self.attributes[attribute] = texts

    def put_documents(self, columns: Columns, value: Any) -> None:
        """Set a list of documents as parallel arrays; nothing where it is no such list."""
        documents = read_documents(value)
        if documents is None:
            return
        put = self.attributes
        if columns.length is not None:
            put[columns.length] = len(documents.ids)
        if len(documents.ids) > MAX_DOCUMENTS:
            documents = self._shortened(columns.ids, documents)
        put[columns.ids] = documents.ids
        if columns.scores is not None and documents.scores is not None:
            put[columns.scores] = documents.scores
        if documents.texts is not None:
            self._put_texts(columns.texts, documents)

    def _shortened(self, attribute: str, documents: Documents) -> Documents:
        self._mark(semconv.TRUNCATED, f"{attribute}={len(documents.ids)}")
        ids, texts, scores, chars = documents
        most = slice(MAX_DOCUMENTS)
        return Documents(ids[most], texts and texts[most], scores and scores[most], chars)

    def put_usage(
        self,
        input_tokens: int | None,
        output_tokens: int | None,
        model: str | None,
        finish_reason: str | None,
    ) -> None:
        """Set what a response said about itself, where nothing was said before."""
        for attribute, value in (
            (semconv.GEN_AI_USAGE_INPUT_TOKENS, input_tokens),
            (semconv.GEN_AI_USAGE_OUTPUT_TOKENS, output_tokens),
            (semconv.GEN_AI_RESPONSE_MODEL, model),
        ):
            if value is not None:
                self.attributes.setdefault(attribute, value)
        if finish_reason is not None:
            self.attributes.setdefault(semconv.GEN_AI_RESPONSE_FINISH_REASONS, (finish_reason,))

    def first_chunk(self) -> None:
        """Note the time to the first chunk of a stream, once."""
        self.attributes.setdefault(
            semconv.GEN_AI_TIME_TO_FIRST_CHUNK, perf_counter() - self.started_s
        )

    def _put_texts(self, attribute: str, documents: Documents) -> None:
        texts = documents.texts or ()
        if self.settings.content == "off":
            self.withhold(attribute)
        elif self._new_texts(documents.ids, texts):
            fits = documents.chars <= self.settings.max_text_chars
            self.attributes[attribute] = texts if fits else self._bounded(attribute, texts)

    def _new_texts(self, ids: Sequence[str], texts: Sequence[str]) -> bool:
        """Whether any of these texts has not crossed in this request under its id."""
        crossed = (self.request or self).crossed
        if crossed is None:
            return True
        known = crossed.get
        new = not ids
        for id_, text in zip(ids, texts, strict=True):
            sent = known(id_)
            if sent is text or (sent is not None and sent == text):
                continue
            new = True
            if id_ and len(crossed) < _MOST_CROSSED:
                # An id that stands for two texts can never stand for one of them.
                crossed[id_] = None if id_ in crossed else text
        return new

    def _bounded(self, attribute: str, texts: Sequence[str]) -> Sequence[str]:
        limit = self.settings.max_text_chars
        room = limit * LIST_TEXTS
        bounded = []
        for text in texts:
            allowed = min(limit, max(room, 0))
            bounded.append(text if len(text) <= allowed else self._cut(attribute, text, allowed))
            room -= len(bounded[-1])
        return bounded

    def _cut(self, attribute: str, text: str, limit: int) -> str:
        self._mark(semconv.TRUNCATED, f"{attribute}={len(text)}")
        return text[: max(limit - len(semconv.TRUNCATION_MARK), 0)] + semconv.TRUNCATION_MARK

    def _mark(self, mark: str, entry: str) -> None:
        if self.marks is None:
            self.marks = {}
        self.marks.setdefault(mark, []).append(entry)

    # --- how it ends ----------------------------------------------------------------

    def failed(self, error: BaseException) -> None:
        """Note the exception that the user's function raised."""
        name = type(error).__name__
        if name in GONE:
            self.attributes[semconv.ABANDONED] = True
            return
        try:
            self.attributes[semconv.ERROR_TYPE] = _full_name(type(error))
            self.span.set_status(_ERROR)
            if self.settings.content == "on":
                self.span.record_exception(error)
        except Exception as fault:  # noqa: BLE001 -- the user's exception goes on, not ours
            faults.report(fault, "recording an exception")

    def end(self) -> None:
        """Write everything to the span and end it."""
        try:
            self.write()
        except Exception as fault:  # noqa: BLE001
            faults.report(fault, "writing a span")
        finally:
            self.context = _NOTHING
            self.span.end()

    def write(self) -> None:
        """Set on the span everything that was gathered."""
        attributes = self.attributes
        if self.marks is not None:
            attributes.update({mark: tuple(entries) for mark, entries in self.marks.items()})
        if self.settings.pipeline_version is not None:
            attributes[semconv.PIPELINE_VERSION] = self.settings.pipeline_version
        if self.pipeline is not None:
            attributes[semconv.PIPELINE] = self.pipeline
        attributes.update(self.identity)
        self.span.set_attributes(attributes)


class Unsampled:
    """A span that the sampler declined: nothing is recorded, but its children must see it."""

    __slots__ = ("context",)

    def __init__(self, span: Span, parent: Context | None) -> None:
        self.context = set_span_in_context(span, parent)

    @classmethod
    def of(cls, span: Span, parent: Context | None) -> "Unsampled | None":
        """None where there is no SDK, and so nothing to hand on."""
        return cls(span, parent) if span.get_span_context().is_valid else None


def current() -> Recording | None:
    """The innermost ragmon span that is open here."""
    found = get_current().get(_CURRENT)
    return found if isinstance(found, Recording) else None


def _full_name(kind: type) -> str:
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
