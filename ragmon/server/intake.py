"""What the servers ask of app: facts to take in, views to show."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from ragmon.model.assessment import Assessment
from ragmon.model.flow import Body, Refusal

Transport: TypeAlias = Literal["grpc", "http"]


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether something is well, and if not, why."""

    ok: bool
    reason: str = ""


class Posted(Protocol):
    """What became of posted labels, documents or erasures."""

    @property
    def outcomes(self) -> Mapping[str, int]:
        """How many had each outcome; those with faults are not among them."""

    @property
    def counts(self) -> Mapping[str, int]:
        """What else there is to count, by name: labels that are unmatched, traces touched."""

    @property
    def faults(self) -> Sequence[str]:
        """One line for each fault."""


class Assessed(Protocol):
    """What became of the evaluations of a request."""

    @property
    def rejected(self) -> int:
        """How many cannot be used."""

    @property
    def faults(self) -> Sequence[str]:
        """A line for each of the first of them."""


class Intake(Protocol):
    """Facts in. Every method is called from the servers' event loop."""

    def now_ns(self) -> int:
        """The time, in nanoseconds since the epoch."""

    async def accept(self, body: Body, transport: Transport) -> None:
        """Keep a body, and count its `span_count` as received; on return it is durable.

        It is never cancelled, so that what is kept is also counted.

        Raises:
            OverloadedError: there is no room now.
            StoreUnavailableError: it cannot be kept now.
        """

    def refuse(self, spans: int, transport: Transport) -> None:
        """Count spans of an acknowledged body as received and dropped as invalid."""

    async def post_labels(self, labels: Sequence[object], received_ns: int) -> Posted:
        """Keep posted labels; one that is no usable label is a fault, by its position.

        Raises:
            StoreUnavailableError: nothing was kept; post it again.
        """

    async def post_feedback(self, feedback: Sequence[object], received_ns: int) -> Posted:
        """Keep posted feedback; what is no usable feedback is a fault, by its position.

        Raises:
            StoreUnavailableError: nothing was kept; post it again.
        """

    async def post_assessments(
        self, assessments: Sequence[Assessment], ignored: int, received_ns: int
    ) -> Assessed:
        """Keep what came of the evaluations of log events; `ignored` other records came too.

        Raises:
            StoreUnavailableError: not all is kept; send it again.
        """

    def read_labels(self, chosen: Mapping[str, str]) -> Iterator[bytes]:
        """The chosen labels as lines of JSON, some at a time; any thread may go on with it.

        chosen: by the names `field`, `annotator`, `since`.

        Raises:
            MalformedError: a name or a value is none.
        """

    async def label_status(self) -> Mapping[str, object]:
        """How labels fare: outcomes, what waits, counts, coverage.

        Raises:
            StoreUnavailableError: it cannot be read now.
        """

    async def post_corpus(
        self, documents: Sequence[object], received_ns: int, pipeline: str | None
    ) -> Posted:
        """Register posted documents; one that is none is a fault, by its position.

        pipeline: of documents that name none.

        Raises:
            StoreUnavailableError: nothing was registered; post it again.
        """

    async def erase(self, targets: Sequence[object], received_ns: int) -> Posted:
        """Erase what posted targets reach; one that is none is a fault, by its position.

        Raises:
            OverloadedError: it cannot be told yet what they reach.
            StoreUnavailableError: not all was erased; post it again.
        """

    def refuse_body(self, reason: Refusal) -> None:
        """Count a body that was read and refused as a whole."""

    def failed(self, error: Exception) -> None:
        """Count an unexpected exception, which was answered and logged."""


class Views(Protocol):
    """Views out. Every method is called from the servers' event loop."""

    async def exposition(
        self, accept: str, accept_encoding: str
    ) -> tuple[bytes, Mapping[str, str]]:
        """The metrics in the format these request headers ask for, and the answer's headers."""

    async def summary(self, chosen: Mapping[str, str]) -> bytes:
        """What a window of live traffic says of each pipeline, as JSON.

        chosen: by the names `window`, `since`, `end`, `pipeline`.

        Raises:
            MalformedError: a name or a value is none.
            StoreUnavailableError: it cannot be read now.
        """

    def read_results(self, chosen: Mapping[str, str]) -> Iterator[bytes]:
        """The requests of a window as lines of JSON, some at a time; any thread may call it.

        Any thread may go on with it, too. chosen: as of a summary.

        Raises:
            MalformedError: a name or a value is none.
            StoreUnavailableError: it cannot be read now.
        """

    def healthy(self) -> Condition:
        """Whether the process does its work."""

    def ready(self) -> Condition:
        """Whether it takes facts in."""
