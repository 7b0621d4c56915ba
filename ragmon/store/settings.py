"""How long a store keeps what."""

from dataclasses import dataclass

from ragmon.model.keep import Keep


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """How long what is kept, in seconds: content from the first settle, numbers from the event.

    keep: what is kept as content; unless plain, the spans go after reopen_s. corpus_bytes:
    bound of the tokens of registered documents. max_bytes: bound of the whole, None for none.
    """

    keep: Keep = Keep.PLAIN
    reopen_s: float = 900.0
    keep_s: float = 7 * 86400.0
    retention_s: float = 30 * 86400.0
    corpus_bytes: int = 1 << 30
    max_bytes: int | None = None
