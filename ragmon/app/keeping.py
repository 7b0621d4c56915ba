"""What is kept of texts: the key that hashes them, and traces that are sealed in time."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragmon.app.faults import where_raised
from ragmon.config import Config
from ragmon.errors import ConfigError
from ragmon.model.flow import Kept, Sealable, Sealed, TraceState
from ragmon.model.keep import Keep
from ragmon.settle import TraceLimits, draft, seal
from ragmon.store.hash_key import is_in_use, load_key, make_key, new_key
from ragmon.store.protocol import Store
from ragmon.text.hashing import TokenHasher

_log = logging.getLogger("ragmon.app")
_BATCH = 64
_SCRUB_NS = 60_000_000_000
_SCRUB_SHARE = 30  # scrubbing takes at most a thirtieth of the time


def load_hasher(config: Config, folder: Path | None) -> TokenHasher | None:
    """The hasher of a configuration's key, None where nothing is to be hashed.

    A key beside the store is made where there is none, one is needed, and nothing was hashed
    with one that is lost. For a store in memory (folder: None) without a key file it is new.

    Raises:
        ConfigError: the key is no key.
        StoreError: it cannot be read or written.
    """
    needed = keep_of(config) is not Keep.PLAIN
    if config.store.hash_key_file is not None:
        return _hasher(load_key(Path(config.store.hash_key_file)), config.store.hash_key_file)
    if folder is None:
        return TokenHasher(new_key()) if needed else None
    path = folder / "hash.key"
    key = load_key(path)
    if key is None and needed and not is_in_use(folder):
        key = make_key(path)
    return None if key is None else _hasher(key, str(path))


def keep_of(config: Config) -> Keep:
    """What is kept; on loopback plain, unless it is said."""
    return Keep(config.store.keep or Keep.PLAIN)


def _hasher(key: bytes | None, path: str) -> TokenHasher:
    try:
        return TokenHasher(key or b"")
    except ValueError as error:
        raise ConfigError((f"store.hash_key_file: {path}: {error}",)) from None


@dataclass(frozen=True, slots=True)
class Scrubs:
    """What leaves no byte of what was deleted in the files of the store and of the inbox.

    stopwatch_s: a clock that never goes back, for how long that takes.
    """

    store: Callable[[], None]
    inbox: Callable[[], None]
    stopwatch_s: Callable[[], float]


class Sealer:
    """Lets the spans of settled traces go in time, unless plain ones are kept.

    holds: whether spans of a trace still wait to be settled. on_error: told of a trace whose
    records cannot be read. scrubs: called within a minute, and more rarely where they take long.
    One caller at a time.
    """

    def __init__(
        self,
        store: Store,
        keep: Keep,
        hasher: TokenHasher | None,
        limits: TraceLimits,
        holds: Callable[[str], bool],
        on_error: Callable[[], None],
        scrubs: Scrubs,
    ) -> None:
        self._store = store
        self._keep = keep
        self._hasher = hasher
        self._limits = limits
        self._holds = holds
        self._on_error = on_error
        self._scrubs = scrubs
        self._scrubbed_ns = 0
        self._pause_ns = _SCRUB_NS
        self._is_scrubbed = False  # a life before this one may have ended in between
        self._behind: Sealable | None = None

    def step(self, now_ns: int) -> int:
        """Seal a batch of what is due at `now_ns`; how many traces were.

        Raises:
            StoreUnavailableError: the store cannot commit now.
        """
        page = self._store.sealable(now_ns, _BATCH, self._behind)
        # What was passed over is looked at again once all the others were.
        self._behind = page[-1] if len(page) == _BATCH else None
        due = [one.trace_id for one in page if not self._holds(one.trace_id)]
        kept = [one for one in self._store.load(due).values() if one.state is TraceState.SETTLED]
        done = self._store.seal(list(self._sealed(kept))) if kept else 0
        self._is_scrubbed = self._is_scrubbed and not done
        is_due = abs(now_ns - self._scrubbed_ns) >= self._pause_ns
        if is_due and self._keep is not Keep.PLAIN:
            self._scrubbed_ns = now_ns
            self._scrub()
        return done

    def _scrub(self) -> None:
        """Texts leave the files: the inbox's once settled or dropped, the store's once sealed."""
        started_s = self._scrubs.stopwatch_s()
        self._scrubs.inbox()
        if not self._is_scrubbed:
            self._scrubs.store()
            self._is_scrubbed = True
        took_s = self._scrubs.stopwatch_s() - started_s
        self._pause_ns = max(_SCRUB_NS, int(_SCRUB_SHARE * took_s * 1e9))

    def _sealed(self, traces: Sequence[Kept]) -> Iterator[Sealed]:
        assert self._hasher is not None  # the store has it, else nothing is due
        for kept in traces:
            try:
                records = draft(kept, (), self._limits).records
                keep_hashes = self._keep is Keep.HASHED
                yield Sealed(kept, seal(records, self._hasher, keep_hashes=keep_hashes))
            except Exception as error:  # noqa: BLE001 (one trace may not cost the others)
                self._on_error()
                _log.error("trace %s cannot be sealed (%s)", kept.trace_id, where_raised(error))
