"""Example configurations of the programs around ragmon, with its own default ports."""

import json
from typing import Final

from ragmon.config import Listen
from ragmon.generate.origin import hash_comment

_LISTEN: Final = Listen()

_PROMETHEUS: Final = f"""\
# Prometheus beside ragmon on one machine. `promtool check config prometheus.yml` checks it.
# Start it with --enable-feature=exemplar-storage, so that panels can open traces.
global:
  scrape_interval: 15s
  evaluation_interval: 15s

rule_files:
  - rules/*.yml

alerting:
  alertmanagers:
    - static_configs:
        - targets: [127.0.0.1:9093]

scrape_configs:
  # The alert RagmonMonitorDown knows the job by this name: `ragmon generate --job NAME`.
  - job_name: $job
    # Some 330 series for each pipeline, with room for the 50 that have series of their own.
    # Above the limit a whole scrape fails: watch ragmon_processor_label_overflow_total.
    sample_limit: 50000
    static_configs:
      - targets: ["{_LISTEN.host}:{_LISTEN.views_port}"]
"""

ALERTMANAGER: Final = """\
# A page wakes somebody, a ticket waits for the morning. Replace both webhooks with what you
# use. `amtool check-config alertmanager.yml` checks it.
route:
  receiver: ticket
  group_by: [alertname, pipeline]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 12h
  routes:
    - receiver: page
      matchers: [severity = "page"]
      repeat_interval: 1h

inhibit_rules:
  # The fast burn of a budget is the slow one too.
  - source_matchers: [alertname = "RagmonErrorBudgetBurnFast"]
    target_matchers: [alertname = "RagmonErrorBudgetBurnSlow"]
    equal: [pipeline, slo]

receivers:
  - name: page
    webhook_configs:
      - url: http://127.0.0.1:9095/page
  - name: ticket
    webhook_configs:
      - url: http://127.0.0.1:9095/ticket
"""

COLLECTOR: Final = f"""\
# An OpenTelemetry Collector that sends every span twice: to ragmon and to your backend.
# All components are in the contrib distribution (otelcol-contrib) and, but for tail
# sampling, in the core one. `otelcol-contrib validate --config=collector.yml` checks it.
#
# Already have a Collector? Add the exporter otlp/ragmon and the pipeline traces/ragmon.
receivers:
  otlp:
    protocols:
      # {_LISTEN.otlp_grpc_port} and {_LISTEN.otlp_http_port} are ragmon's on this machine; \
a Collector on a machine of its own takes them.
      grpc:
        endpoint: 127.0.0.1:14317
      http:
        endpoint: 127.0.0.1:14318

processors:
  memory_limiter:
    check_interval: 1s
    limit_mib: 512
    spike_limit_mib: 128
  # Spans of a RAG service carry documents: the default of 8192 spans a batch would be
  # some 60 MB. Keep the timeout below ragmon's assembly.quiet_s.
  batch:
    send_batch_size: 256
    send_batch_max_size: 512
    timeout: 1s

exporters:
  otlp/ragmon:
    endpoint: {_LISTEN.host}:{_LISTEN.otlp_grpc_port}
    compression: gzip
    tls:
      insecure: true  # loopback; on a network use TLS and the token:
    # headers:
    #   authorization: Bearer ${{env:RAGMON_TOKEN}}
    # A full inbox answers "try again": the spans wait here, as many as the queue holds.
    retry_on_failure:
      max_elapsed_time: 0s
    sending_queue:
      queue_size: 1000
  otlp/backend:
    endpoint: ${{env:BACKEND_ENDPOINT}}

service:
  pipelines:
    traces/ragmon:
      receivers: [otlp]
      processors: [memory_limiter, batch]
      exporters: [otlp/ragmon]
    # Sampling belongs here alone: a sampler that keeps errors and slow requests would bend
    # every mean that ragmon computes.
    traces/backend:
      receivers: [otlp]
      processors: [memory_limiter, batch]
      exporters: [otlp/backend]
"""


def prometheus(job: str) -> str:
    """A configuration of Prometheus that scrapes ragmon as this job."""
    return _PROMETHEUS.replace("$job", json.dumps(job))


def files(job: str) -> dict[str, str]:
    """Path below deploy/ to text; job is the scrape job that reads ragmon."""
    return {
        "prometheus/prometheus.yml": hash_comment(prometheus(job)),
        "alertmanager/alertmanager.yml": hash_comment(ALERTMANAGER),
        "collector/collector.yml": hash_comment(COLLECTOR),
    }
