"""The processor's configuration: its shape, its defaults, and reading it.

One YAML file, then `RAGMON_...` variables (double underscore for nesting), then flags;
the last wins. Units stand in the key. Unknown keys are faults that name the nearest key,
and every fault is reported at once.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Listen(_Section):
    """Where the processor listens."""

    host: str = Field("127.0.0.1", description="Address of every port.")
    otlp_grpc_port: int = Field(4317, ge=0, le=65535, description="OTLP over gRPC.")
    otlp_http_port: int = Field(4318, ge=0, le=65535, description="OTLP over HTTP and labels.")
    views_port: int = Field(9464, ge=0, le=65535, description="/metrics, /healthz, /readyz.")


class Limits(_Section):
    """What one sender may send."""

    body_bytes: int = Field(64 << 20, gt=0, description="Largest body, before and after gzip.")
    trace_spans: int = Field(10_000, gt=0, description="Most spans of one trace.")
    trace_bytes: int = Field(64 << 20, gt=0, description="Most bytes of one trace.")
    label_body_bytes: int = Field(16 << 20, gt=0, description="Largest body of labels.")


class Assembly(_Section):
    """When a trace is taken to be whole."""

    quiet_s: float = Field(6.0, gt=0, description="Quiet time after the request ended.")
    entry_quiet_s: float = Field(20.0, gt=0, description="Quiet time after an entry span ended.")
    idle_s: float = Field(60.0, gt=0, description="Quiet time of a trace without an end.")
    max_age_s: float = Field(600.0, gt=0, description="Longest a trace stays open.")
    open_bytes: int = Field(256 << 20, gt=0, description="Bytes of open traces in memory.")


class StoreConfig(_Section):
    """Where facts and results rest, and for how long."""

    path: str = Field("ragmon-state", description="Folder of the databases, or `memory`.")
    inbox: Literal["on", "off"] = Field("on", description="`off` loses open traces in a crash.")
    inbox_bytes: int = Field(1 << 30, gt=0, description="Most bytes waiting in the inbox.")
    keep: Literal["plain"] | None = Field(
        None, description="What is kept of a request's texts; required beyond loopback."
    )
    keep_s: float = Field(7 * 86400.0, gt=0, description="How long spans are kept, from settling.")
    retention_s: float = Field(30 * 86400.0, gt=0, description="How long results are kept.")


class ObjectiveConfig(_Section):
    """A promise about one metric of one pipeline."""

    name: str = Field(pattern=r"^[a-zA-Z0-9_-]+$", description="Name, the `slo` label.")
    pipeline: str = Field(description="The pipeline it is about.")
    metric: str = Field(pattern=r"^[a-z_]+\.[a-z0-9_]+$", description="`stage.metric`.")
    k: int | None = Field(None, ge=1, description="The cut-off, where the metric has one.")
    at_least: float | None = Field(None, description="Lower bound, in the metric's unit.")
    at_most: float | None = Field(None, description="Upper bound, in the metric's unit.")
    share: float | None = Field(None, gt=0, lt=1, description="Share of requests that keep it.")
    window: str = Field("30d", pattern=r"^\d+[smhd]$", description="The window of the promise.")


class MetricsConfig(_Section):
    """What is measured, and how it is exposed."""

    k: tuple[int, ...] = Field((5,), min_length=1, description="Cut-offs of ranked metrics.")
    windows: tuple[str, ...] = Field(("1h", "24h"), description="Windows of event-time gauges.")
    slo_max_age_s: float = Field(900.0, gt=0, description="Older values count as stale.")
    max_pipelines: int = Field(50, gt=0, description="Pipelines with series of their own.")


class LabelsConfig(_Section):
    """Where gold labels come from."""

    file: str | None = Field(None, description="JSONL file of labels read at start.")
