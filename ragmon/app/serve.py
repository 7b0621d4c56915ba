"""`ragmon serve`: everything started, run until a signal, and stopped in order."""

import asyncio
import logging
import signal
import time
from pathlib import Path

from ragmon.app.canaries import Canaries
from ragmon.app.faults import where_raised
from ragmon.app.intake import AppIntake, AppViews
from ragmon.app.keeping import keep_of
from ragmon.app.loop import Loop
from ragmon.app.wiring import Parts, assembled
from ragmon.config import Config
from ragmon.errors import ConfigError
from ragmon.model.keep import Keep
from ragmon.probe import Prober
from ragmon.server.listen import Ports, Servers, ServerSettings
from ragmon.telemetry import Room

_log = logging.getLogger("ragmon.app")
_DRAIN_S = 25.0


def serve(config: Config) -> int:
    """Run the processor until SIGTERM or SIGINT; returns the exit code.

    Raises:
        ConfigError: the configuration does not fit the registry, or a file is missing.
        PortInUseError: a port is taken.
        StoreError: the durable state cannot be used.
    """
    with assembled(config) as parts:
        _load_labels(config, parts)
        return asyncio.run(_serve(config, parts))


def _load_labels(config: Config, parts: Parts) -> None:
    if config.labels.file is None:
        return
    posted = parts.labels.load(Path(config.labels.file), time.time_ns())
    if posted.refused:
        # The faults quote the labels, which are a user's text and no matter for a log.
        _log.warning(
            "%s: %d labels were refused; `ragmon replay --labels` names their faults",
            config.labels.file,
            posted.refused,
        )
    counts = ", ".join(f"{count} {outcome}" for outcome, count in posted.outcomes.items())
    _log.info("labels of %s: %s", config.labels.file, counts or "none usable")


async def _serve(config: Config, parts: Parts) -> int:
    loop = Loop(
        parts.processor,
        parts.upkeep,
        time.time_ns,
        lambda: parts.exporter.error(Room.STORE),
        parts.settling,
    )
    canaries = Canaries(config, parts, time.time_ns)
    servers = Servers(_settings(config), AppIntake(parts), AppViews(parts, loop))
    stopping = _on_signals()
    ports = await servers.start()
    with loop, Prober(canaries.all, canaries.sent):
        _announce(config, ports)
        await stopping.wait()
        _log.info("stopping: intake closes, what is due is settled")
        await servers.stop_intake()
        code = await asyncio.to_thread(_stop, config, parts, loop)
        await servers.stop()
    return code


def _settings(config: Config) -> ServerSettings:
    listen, limits = config.listen, config.limits
    ports = Ports(listen.otlp_grpc_port, listen.otlp_http_port, listen.views_port)
    return ServerSettings(
        listen.host,
        ports,
        limits.body_bytes,
        limits.label_body_bytes,
        limits.corpus_body_bytes,
        limits.labels_per_s,
        _token(listen.token_file),
    )


def _token(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        token = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError((f"listen.token_file: {path}: cannot be read ({error})",)) from None
    if not token:
        raise ConfigError((f"listen.token_file: {path}: is empty",))
    return token


def _on_signals() -> asyncio.Event:
    stopping = asyncio.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(one, stopping.set)
    return stopping


def _announce(config: Config, ports: Ports) -> None:
    host = config.listen.host
    _log.info(
        "OTLP/gRPC %s:%d, OTLP/HTTP and labels http://%s:%d",
        host,
        ports.otlp_grpc,
        host,
        ports.otlp_http,
    )
    _log.info("metrics http://%s:%d/metrics", host, ports.views)
    if config.store.path == "memory":
        _log.info("state is kept in memory only")
        return
    _log.info("%s; numbers for %g days", kept_of(config), config.store.retention_s / 86400)


def kept_of(config: Config) -> str:
    """What is kept of texts, and for how long, in words."""
    store, keep = config.store, keep_of(config)
    days = f"{store.keep_s / 86400:g} days"
    if keep is Keep.PLAIN:
        return f"spans and their texts are kept in {store.path} for {days} from settling"
    what = "hashes of their words" if keep is Keep.HASHED else "ids"
    minutes = f"{store.reopen_s / 60:g} minutes"
    return f"texts are kept in {store.path} for {minutes} from settling, {what} for {days}"


def _stop(config: Config, parts: Parts, loop: Loop) -> int:
    """Let the batch under way end; without a durable inbox, settle what is open too."""
    deadline_s = time.monotonic() + _DRAIN_S
    if not loop.stop(_DRAIN_S):
        _log.error(
            "the batch under way did not end within %g s; the store stays locked until it does",
            _DRAIN_S,
        )
        return 1
    durable = config.store.inbox == "on" and config.store.path != "memory"
    last = parts.processor.step if durable else parts.processor.drain
    try:
        with parts.settling:
            last(time.time_ns(), lambda: time.monotonic() < deadline_s)
            parts.upkeep.refresh(time.time_ns())
    except Exception as error:  # noqa: BLE001 (what was acknowledged is in the inbox)
        _log.error("the last round failed (%s)", where_raised(error))
        return 1
    return 0 if durable else _lost(parts.processor.open_spans)


def _lost(spans: int) -> int:
    """Say how many spans a shutdown loses without a durable inbox; returns the exit code."""
    if not spans:
        return 0
    _log.error("%d spans could not be settled within %g s and are lost", spans, _DRAIN_S)
    return 1
