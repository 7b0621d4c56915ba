"""What telemetry says about how good a request was, and the feedback that comes of it."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from ragmon.model.gold import MatchKey


class AnnotatorKind(StrEnum):
    """Who judged: a person, a model, a program; unknown where nobody said."""

    HUMAN = "human"
    LLM = "llm"
    CODE = "code"
    UNKNOWN = "unknown"


class Way(StrEnum):
    """On what an assessment came: a log event, or the attributes of a span."""

    EVENT = "event"
    ANNOTATION = "annotation"


class Sorting(StrEnum):
    """What became of an assessment, or of another log record: a closed set.

    `own` are ragmon's own scores that came back, `ignored` log records of other things. The
    rest after `feedback` are faults: without a name, without a request to point at, without a
    score or a short label, or with a value that its gold field cannot take.
    """

    GOLD = "gold"
    FEEDBACK = "feedback"
    OWN = "own"
    IGNORED = "ignored"
    NO_NAME = "no_name"
    NO_TARGET = "no_target"
    NO_VALUE = "no_value"
    UNFIT = "unfit"


FAULTS = frozenset((Sorting.NO_NAME, Sorting.NO_TARGET, Sorting.NO_VALUE, Sorting.UNFIT))
"""What a sender can mend."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """One evaluation as it came; whether it is gold is decided by the configuration.

    `key` None: it points at nothing. `stamped`: nobody said when, and `time_ns` is when it was
    received. `own`: it is a score of ragmon's that came back. `of_session`: it speaks of a
    whole session, and so can be the gold of no request.
    """

    key: MatchKey | None
    pipeline: str | None
    name: str | None
    score: float | None
    label: str | None
    kind: AnnotatorKind
    annotator: str | None
    time_ns: int
    stamped: bool = False
    own: bool = False
    of_session: bool = False


class FeedbackKind(StrEnum):
    """What form feedback has: a thumb, a number, or a word."""

    THUMBS_UP = "thumbs_up"
    THUMBS_DOWN = "thumbs_down"
    RATING = "rating"
    VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody thought of a request; it is shown, and never gold.

    `label` is a word of at most 64 characters. `annotator` only tells one voice from
    another, and is not kept. `stamped`: `given_ns` is when it was received.
    """

    key: MatchKey
    pipeline: str | None
    name: str
    kind: FeedbackKind
    score: float | None
    label: str | None
    source: AnnotatorKind
    annotator: str
    given_ns: int
    stamped: bool = False

    @property
    def identity(self) -> bytes:
        """What two versions of one voice on one thing share."""
        parts = (*self.key, self.pipeline or "", self.name, self.source, self.annotator)
        return blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=16).digest()

    @property
    def content(self) -> str:
        """What it says, as one text; the last tie-breaker between two versions."""
        return f"{self.kind}\0{self.score}\0{self.label}"

    @property
    def version(self) -> tuple[int, str]:
        """Orders the versions of one voice: time, then content."""
        return (self.given_ns, self.content)


class FeedbackGroup(NamedTuple):
    """What feedback is counted by."""

    pipeline: str
    source: AnnotatorKind
    kind: FeedbackKind


@dataclass(frozen=True, slots=True)
class FeedbackCount:
    """Feedback of one name from one kind of source on the requests of a window.

    `rating_mean` is the mean of `ratings` numbers in whatever scale they were given, None
    where there is none; thumbs are not among them.
    """

    pipeline: str
    name: str
    source: AnnotatorKind
    thumbs_up: int = 0
    thumbs_down: int = 0
    ratings: int = 0
    rating_mean: float | None = None
    verdicts: int = 0
