"""A configuration to the parts it describes, put together once."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragmon._version import __version__
from ragmon.app.assessments import AssessmentDesk, event_faults, event_rules
from ragmon.app.corpus import CorpusDesk
from ragmon.app.erasure import ErasureDesk
from ragmon.app.feedback import FeedbackDesk
from ragmon.app.keeping import Scrubs, Sealer, keep_of, load_hasher
from ragmon.app.label_views import LabelViews
from ragmon.app.labels import LabelDesk
from ragmon.app.ledger import Ledger
from ragmon.app.live import LiveReports
from ragmon.app.processor import Processor, ProcessorSettings
from ragmon.app.turn import Turn
from ragmon.app.upkeep import Upkeep
from ragmon.assemble import Assembler, AssemblySettings
from ragmon.config import Config, window_seconds
from ragmon.errors import ConfigError
from ragmon.export.exporter import Exporter
from ragmon.export.objectives import objective_faults
from ragmon.metrics.own import load_registry
from ragmon.metrics.registry import Registry
from ragmon.model.keep import Keep
from ragmon.model.objective import Objective
from ragmon.settle import TraceLimits
from ragmon.store.aside import AsideFolder, NoAside, SetAside
from ragmon.store.inbox import MemoryInbox, SqliteInbox
from ragmon.store.settings import StoreSettings
from ragmon.store.sqlite import SqliteStore
from ragmon.store.writer import InboxWriter
from ragmon.telemetry import Room
from ragmon.text.hashing import TokenHasher

_NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Parts:
    """What a processor consists of."""

    inbox: SqliteInbox | MemoryInbox
    writer: InboxWriter
    store: SqliteStore
    exporter: Exporter
    processor: Processor
    upkeep: Upkeep
    labels: LabelDesk
    corpus: CorpusDesk
    label_views: LabelViews
    live: LiveReports
    feedback: FeedbackDesk
    assessments: AssessmentDesk
    erasures: ErasureDesk
    settling: Turn


def check(config: Config) -> None:
    """Hold a configuration together and against the registry.

    Raises:
        ConfigError: with every fault.
    """
    objectives = objective_faults(_objectives(config), load_metrics(config))
    faults = config.faults() + event_faults(config) + objectives
    if faults:
        raise ConfigError(faults)


def load_metrics(config: Config) -> Registry:
    """The registry of ragmon's metrics and of those that the configuration names.

    Raises:
        ConfigError: a module of metrics cannot be used.
    """
    return load_registry(config.metrics.k, config.metrics.modules)


def _objectives(config: Config) -> tuple[Objective, ...]:
    return tuple(Objective(**one.model_dump()) for one in config.objectives)


def _exporter(config: Config, registry: Registry) -> Exporter:
    metrics = config.metrics
    return Exporter(
        registry, _objectives(config), metrics.slo_max_age_s, metrics.max_pipelines, __version__
    )


@contextmanager
def opened_store(config: Config) -> Iterator[tuple[SqliteStore, TokenHasher | None]]:
    """The store that a configuration names, locked, and what hashes words in it, if anything.

    Raises:
        ConfigError: the key of the hashes is none.
        StoreLockedError: another process holds it.
        StoreError: it cannot be used.
    """
    kept = config.store
    settings = StoreSettings(
        keep=keep_of(config),
        reopen_s=kept.reopen_s,
        keep_s=kept.keep_s,
        retention_s=kept.retention_s,
        corpus_bytes=kept.corpus_bytes,
        max_bytes=kept.max_bytes,
    )
    folder = store_folder(config)
    hasher = load_hasher(config, folder)
    with SqliteStore(folder, settings, hasher) as store:
        yield store, hasher if store.keyed else None


def trace_limits(config: Config) -> TraceLimits:
    """How large a stored trace may grow."""
    return TraceLimits(config.limits.trace_spans, config.limits.trace_bytes)


def store_folder(config: Config) -> Path | None:
    """The folder of the databases, None for a store in memory."""
    return None if config.store.path == "memory" else Path(config.store.path)


@contextmanager
def assembled(config: Config) -> Iterator[Parts]:
    """Every part of a processor, closed in the right order at the end.

    Raises:
        ConfigError: the configuration does not fit together; every fault is named.
        StoreError: the durable state cannot be used.
    """
    check(config)
    registry = load_metrics(config)
    exporter = _exporter(config, registry)
    with ExitStack() as closing:
        store, hasher = closing.enter_context(opened_store(config))
        inbox = _inbox(config)
        closing.callback(inbox.close)
        writer = closing.enter_context(InboxWriter(inbox))
        assembler = Assembler(_assembly(config))
        labels = LabelDesk(store, exporter)
        feedback = FeedbackDesk(store.feedback, exporter)
        assessments = AssessmentDesk(labels, feedback, exporter, event_rules(config))
        aside = _aside(config)
        processor = _processor(
            config, inbox, store, assembler, registry, exporter, hasher, assessments, aside
        )
        exporter.replayed(inbox.replayed_spans)
        _watch(exporter, processor, assembler, inbox, config)
        windows = {name: window_seconds(name) for name in config.metrics.windows}
        sealer = Sealer(
            store,
            keep_of(config),
            hasher,
            trace_limits(config),
            processor.holds,
            lambda: exporter.error(Room.STORE),
            Scrubs(store.erasure.scrub, inbox.scrub, time.perf_counter),
        )
        exporter.watch("ragmon_processor_store_bytes", lambda: float(store.bytes))
        upkeep = Upkeep(store, exporter, registry, windows, sealer, feedback.count_new)
        corpus = CorpusDesk(store, config.store.corpus_bytes)
        views = LabelViews(store, labels, assessments, feedback, windows)
        live = LiveReports(store, store.feedback, registry)
        settling = Turn()
        limits = trace_limits(config)
        erasures = ErasureDesk(store, store.erasure, inbox, processor, aside, limits, settling)
        yield Parts(
            *(inbox, writer, store, exporter, processor, upkeep, labels, corpus, views, live),
            feedback=feedback,
            assessments=assessments,
            erasures=erasures,
            settling=settling,
        )


def _inbox(config: Config) -> SqliteInbox | MemoryInbox:
    folder = store_folder(config)
    if folder is None or config.store.inbox == "off":
        return MemoryInbox(config.store.inbox_bytes)
    overwrites = keep_of(config) is not Keep.PLAIN
    return SqliteInbox(folder, config.store.inbox_bytes, overwrites=overwrites)


def _aside(config: Config) -> SetAside:
    folder = store_folder(config)
    return AsideFolder(folder / "aside") if folder else NoAside()


def _assembly(config: Config) -> AssemblySettings:
    assembly, limits = config.assembly, config.limits
    return AssemblySettings(
        quiet_s=assembly.quiet_s,
        entry_quiet_s=assembly.entry_quiet_s,
        idle_s=assembly.idle_s,
        max_age_s=assembly.max_age_s,
        open_bytes=assembly.open_bytes,
        inbox_bytes=config.store.inbox_bytes,
        trace_spans=limits.trace_spans,
        trace_bytes=limits.trace_bytes,
    )


def _processor(
    config: Config,
    inbox: SqliteInbox | MemoryInbox,
    store: SqliteStore,
    assembler: Assembler,
    registry: Registry,
    exporter: Exporter,
    hasher: TokenHasher | None,
    assessments: AssessmentDesk,
    aside: SetAside,
) -> Processor:
    settings = ProcessorSettings(
        limits=trace_limits(config),
        retention_ns=int(config.store.retention_s * _NANOSECONDS),
        hasher=hasher,
        read_annotations=assessments.of_spans,
    )
    return Processor(
        inbox, store, assembler, registry, Ledger(exporter), aside, settings, time.perf_counter
    )


def _watch(
    exporter: Exporter,
    processor: Processor,
    assembler: Assembler,
    inbox: SqliteInbox | MemoryInbox,
    config: Config,
) -> None:
    """Gauges are read where the thing is, at each scrape."""
    prefix = "ragmon_processor"
    exporter.watch(f"{prefix}_open_spans", lambda: float(processor.open_spans))
    exporter.watch(f"{prefix}_open_traces", lambda: float(assembler.open_traces))
    exporter.watch(f"{prefix}_open_bytes", lambda: float(assembler.open_bytes))
    exporter.watch(f"{prefix}_open_bytes_limit", lambda: float(config.assembly.open_bytes))
    exporter.watch(f"{prefix}_inbox_bytes", lambda: float(inbox.bytes))
    exporter.watch(f"{prefix}_inbox_bytes_limit", lambda: float(inbox.limit_bytes))
