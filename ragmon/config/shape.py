"""The processor's configuration: its shape, its defaults, and what must fit together."""

import ipaddress
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal, Self

from pydantic import (
    Field,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from ragmon.config.canaries import Canary, CanaryName
from ragmon.config.events import LabelEvent
from ragmon.config.section import Section as _Section


def window_seconds(window: str) -> int:
    """Seconds of a window such as `90s`, `5m`, `1h` or `30d`.

    Raises:
        ValueError: if it is none.
    """
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    number, unit = window[:-1], window[-1:]
    if not number.isdecimal() or int(number) == 0 or unit not in units:
        raise ValueError(f"window {window!r} must be a number and s, m, h or d, such as 24h")
    return int(number) * units[unit]


_INT32 = (1 << 31) - 1
_DAY_S = 86_400
_LONG_S = 100 * 366 * _DAY_S
_LONGEST_WINDOW_S = 366 * _DAY_S


class Listen(_Section):
    """Where the processor listens."""

    host: str = Field(default="127.0.0.1", description="Address of every port.")
    otlp_grpc_port: int = Field(default=4317, ge=0, le=65535, description="OTLP over gRPC.")
    otlp_http_port: int = Field(
        default=4318, ge=0, le=65535, description="OTLP over HTTP, labels, corpus."
    )
    views_port: int = Field(
        default=9464, ge=0, le=65535, description="/metrics, /healthz, /readyz."
    )
    token_file: str | None = Field(
        default=None,
        description="File with the bearer token that senders must show; required beyond loopback.",
    )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the ports."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class Limits(_Section):
    """What one sender may send."""

    body_bytes: int = Field(
        default=64 << 20, gt=0, le=_INT32, description="Largest body, before and after gzip."
    )
    trace_spans: int = Field(
        default=10_000, gt=0, le=_INT32, description="Most spans of one trace."
    )
    trace_bytes: int = Field(
        default=64 << 20, gt=0, le=_INT32, description="Most bytes of one trace."
    )
    label_body_bytes: int = Field(
        default=16 << 20, gt=0, le=_INT32, description="Largest body of labels."
    )
    corpus_body_bytes: int = Field(
        default=64 << 20, gt=0, le=_INT32, description="Largest body of documents."
    )
    labels_per_s: float = Field(
        default=5_000.0,
        gt=0,
        le=_INT32,
        description="Labels and feedback posted a second, over time; beyond it 429.",
    )


class Assembly(_Section):
    """When a trace is taken to be whole."""

    quiet_s: float = Field(
        default=6.0, gt=0, le=_DAY_S, description="Quiet time after the request ended."
    )
    entry_quiet_s: float = Field(
        default=20.0, gt=0, le=_DAY_S, description="Quiet time after an entry span ended."
    )
    idle_s: float = Field(
        default=60.0, gt=0, le=_DAY_S, description="Quiet time of a trace without an end."
    )
    max_age_s: float = Field(
        default=600.0, gt=0, le=_DAY_S, description="Longest a trace stays open."
    )
    open_bytes: int = Field(
        default=256 << 20, gt=0, le=1 << 50, description="Bytes of open traces in memory."
    )


class StoreConfig(_Section):
    """Where facts and results rest, and for how long."""

    path: str = Field(
        default="ragmon-state", min_length=1, description="Folder of the databases, or `memory`."
    )
    inbox: Literal["on", "off"] = Field(
        default="on", description="`off` loses open traces in a crash."
    )
    inbox_bytes: int = Field(
        default=1 << 30, gt=0, le=1 << 50, description="Most bytes waiting in the inbox."
    )
    keep: Literal["plain", "hashed", "ids"] | None = Field(
        default=None,
        description="What is kept of a request's texts: the spans, `hashed` for keyed hashes of"
        " words, `ids` for none; must be said beyond loopback.",
    )
    reopen_s: float = Field(
        default=900.0,
        gt=0,
        le=_LONG_S,
        description="How long spans are kept with `hashed` and `ids`, from settling.",
    )
    hash_key_file: str | None = Field(
        default=None,
        description="Key of the hashes, 16 to 64 bytes; made as hash.key beside the store.",
    )
    keep_s: float = Field(
        default=7 * 86400.0,
        gt=0,
        le=_LONG_S,
        description="How long what is kept can be labelled, from settling.",
    )
    retention_s: float = Field(
        default=30 * 86400.0, gt=0, le=_LONG_S, description="How long results are kept."
    )
    max_bytes: int | None = Field(
        default=None,
        gt=0,
        le=1 << 50,
        description="Most bytes of the store; beyond it the oldest goes early.",
    )
    corpus_bytes: int = Field(
        default=1 << 30, gt=0, le=1 << 50, description="Most bytes of the corpus's tokens."
    )

    @model_validator(mode="before")
    @classmethod
    def _switch(cls, given: Any) -> Any:
        """YAML reads a bare on or off as a truth value."""
        if isinstance(given, Mapping) and isinstance(given.get("inbox"), bool):
            return {**given, "inbox": "on" if given["inbox"] else "off"}
        return given


class ObjectiveConfig(_Section):
    """A promise about one metric of one pipeline."""

    name: str = Field(pattern=r"^[a-zA-Z0-9_-]+$", description="Name, the `slo` label.")
    pipeline: str = Field(min_length=1, description="The pipeline it is about.")
    metric: str = Field(pattern=r"^[a-z_]+\.[a-z0-9_]+$", description="`stage.metric`.")
    k: int | None = Field(default=None, ge=1, description="The cut-off, where the metric has one.")
    at_least: float | None = Field(default=None, description="Lower bound, in the metric's unit.")
    at_most: float | None = Field(default=None, description="Upper bound, in the metric's unit.")
    share: float | None = Field(
        default=None, gt=0, lt=1, description="Share of requests that keep it."
    )
    window: str = Field(
        default="30d",
        pattern=r"^[1-9]\d{0,5}[smhd]$",
        description="The window of the promise, for its readers; burn-rate rules are made for 30d.",
    )

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("give exactly one of at_least and at_most")
        return self


class MetricsConfig(_Section):
    """What is measured, and how it is exposed."""

    k: tuple[int, ...] = Field(
        default=(5,), min_length=1, description="Cut-offs of ranked metrics."
    )
    modules: tuple[str, ...] = Field(
        default=(), description="Python modules with metrics of your own, beside installed ones."
    )
    windows: tuple[str, ...] = Field(
        default=("1h", "24h"), min_length=1, description="Windows of the event-time gauges."
    )
    slo_max_age_s: float = Field(
        default=900.0, gt=0, le=_LONG_S, description="Older values count as stale."
    )
    max_pipelines: int = Field(default=50, gt=0, description="Pipelines with series of their own.")

    @field_validator("k")
    @classmethod
    def _cut_offs(cls, given: tuple[int, ...]) -> tuple[int, ...]:
        if any(k < 1 for k in given) or len(set(given)) < len(given):
            raise ValueError("must hold different whole numbers from 1")
        return given

    @field_validator("windows")
    @classmethod
    def _periods(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(given)) < len(given):
            raise ValueError("must hold different windows")
        for window in given:
            if window_seconds(window) > _LONGEST_WINDOW_S:
                raise ValueError(f"window {window!r} is longer than a year")
        return given


class LabelsConfig(_Section):
    """Where gold labels come from."""

    file: str | None = Field(
        default=None,
        description="File of labels read at start: JSONL, CSV (also gzipped) or Parquet.",
    )
    events: dict[str, LabelEvent] = Field(
        default={}, description="Evaluations of telemetry that are gold, by their name."
    )


class Config(BaseSettings):
    """Everything an operator sets."""

    model_config = SettingsConfigDict(
        env_prefix="RAGMON_", env_nested_delimiter="__", extra="forbid", frozen=True
    )

    listen: Listen = Listen()
    limits: Limits = Limits()
    assembly: Assembly = Assembly()
    store: StoreConfig = StoreConfig()
    metrics: MetricsConfig = MetricsConfig()
    labels: LabelsConfig = LabelsConfig()
    objectives: tuple[ObjectiveConfig, ...] = ()
    canaries: dict[CanaryName, Canary] = {}

    def faults(self) -> tuple[str, ...]:
        """What does not fit together, although each key by itself is right."""
        return (
            *_beyond_loopback(self),
            *_unreadable(self),
            *_too_short(self.store),
            *_repeated(self.objectives),
        )


def _beyond_loopback(config: Config) -> Iterator[str]:
    if config.listen.is_loopback:
        return
    if config.store.keep is None:
        yield (
            f"store.keep: must be said when listen.host is {config.listen.host!r} (not loopback),"
            " so that nobody's text is kept by surprise: `plain` keeps spans for keep_s, `hashed`"
            " keyed hashes of words, `ids` none"
        )
    if config.listen.token_file is None:
        yield (
            f"listen.token_file: must be given when listen.host is {config.listen.host!r}"
            " (not loopback)"
        )


def _unreadable(config: Config) -> Iterator[str]:
    for key, path in (
        ("listen.token_file", config.listen.token_file),
        ("labels.file", config.labels.file),
        ("store.hash_key_file", config.store.hash_key_file),
        *((f"canaries.{name}.gold", one.gold) for name, one in config.canaries.items()),
    ):
        if path is not None and not os.access(path, os.R_OK):
            yield f"{key}: {path} cannot be read"


def _too_short(store: StoreConfig) -> Iterator[str]:
    if store.keep in ("hashed", "ids") and store.reopen_s > store.keep_s:
        yield f"store.keep_s: {store.keep_s:g} is shorter than store.reopen_s, {store.reopen_s:g}"


def _repeated(objectives: tuple[ObjectiveConfig, ...]) -> Iterator[str]:
    names = Counter((objective.pipeline, objective.name) for objective in objectives)
    for (pipeline, name), count in names.items():
        if count > 1:
            yield f"objectives: {name!r} of pipeline {pipeline!r} is given {count} times"
