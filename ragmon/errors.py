"""Every exception ragmon raises on purpose.

RagmonError
├── ConfigError        the operator's configuration, all faults in one message
├── InputError         what was given to be evaluated cannot be read (a ValueError too)
├── PortInUseError     a listening port is taken
├── StoreError
│   ├── StoreLockedError    another process holds the store or the inbox
│   └── StoreUnavailableError  the store cannot commit now; trying later may help
├── NotKeptError       a text was asked for of which only hashes, or nothing, is kept
├── MalformedError     bytes that are no OTLP or no label, and never will be
├── TooLargeError      a body, message or batch over its bound
├── OverloadedError    no room now; the sender should try again shortly
└── TooManyError       posted faster than the limit allows; later is soon enough
"""


class RagmonError(Exception):
    """The root of every error that ragmon raises on purpose."""


class ConfigError(RagmonError):
    """The configuration cannot be used; `faults` names every fault, one line each."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class InputError(RagmonError, ValueError):
    """What was given to be evaluated cannot be read; the message says where and why."""


class PortInUseError(RagmonError):
    """A port that ragmon was told to listen on is already in use."""


class StoreError(RagmonError):
    """The durable state cannot be used."""


class StoreLockedError(StoreError):
    """Another process holds the store; the message names it."""


class StoreUnavailableError(StoreError):
    """The store cannot commit at the moment (disk full, database locked)."""


class NotKeptError(RagmonError, AttributeError):
    """What is asked of a text is not kept of it any more."""


class MalformedError(RagmonError):
    """Bytes that can never be accepted; the message says where they are wrong."""


class TooLargeError(RagmonError):
    """A body or batch is over its bound; the message names the bound."""


class OverloadedError(RagmonError):
    """There is no room at the moment; `retry_after_s` says when to try again."""

    def __init__(self, message: str, retry_after_s: int = 1) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TooManyError(RagmonError):
    """More was posted than the limit of a rate allows; `retry_after_s` says when to go on."""

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
