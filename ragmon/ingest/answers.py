"""The one table of what each error answers, over HTTP and over gRPC."""

from dataclasses import dataclass
from typing import Final

from ragmon.errors import (
    MalformedError,
    OverloadedError,
    StoreError,
    TooLargeError,
    TooManyError,
)
from ragmon.model.flow import Refusal

INVALID_ARGUMENT: Final = 3
RESOURCE_EXHAUSTED: Final = 8
UNAVAILABLE: Final = 14

_MESSAGE_LENGTH: Final = 1_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a sender is told.

    `grpc_code` is a google.rpc code, also in the body of an HTTP answer. `retry_after_s`
    None means that trying again cannot help.
    """

    http_status: int
    grpc_code: int
    retry_after_s: int | None
    message: str
    refusal: Refusal


def answer(error: Exception) -> Answer:
    """The answer to an exception.

    A fault of our own is answered as unavailable, since every other code makes senders
    drop their spans, and its text is kept back.
    """
    text = str(error)[:_MESSAGE_LENGTH]
    match error:
        case MalformedError():
            return Answer(400, INVALID_ARGUMENT, None, text, Refusal.MALFORMED)
        case TooLargeError():
            return Answer(413, RESOURCE_EXHAUSTED, None, text, Refusal.TOO_LARGE)
        case OverloadedError():
            return Answer(503, UNAVAILABLE, error.retry_after_s, text, Refusal.OVERLOADED)
        case TooManyError():
            return Answer(429, RESOURCE_EXHAUSTED, error.retry_after_s, text, Refusal.TOO_MANY)
        case StoreError():
            message = "the store cannot take it now"
            return Answer(503, UNAVAILABLE, 1, message, Refusal.UNAVAILABLE)
        case _:
            return Answer(503, UNAVAILABLE, 1, "internal error", Refusal.ERROR)
