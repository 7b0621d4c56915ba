"""The monitor itself: down, stuck, dropping, late, full, failing."""

from ragmon.generate.alert import Alert, Group, Runbook, Severity
from ragmon.generate.promql import rate_share

_DOWN = Alert(
    name="RagmonMonitorDown",
    severity=Severity.PAGE,
    hold="5m",
    expr="up{job=$job} == 0 or absent(up{job=$job})",
    summary="ragmon cannot be scraped (job {{ $labels.job }})",
    description="{{ if $labels.instance }}The scrape of {{ $labels.instance }} fails (up ="
    " {{ $value }}).{{ else }}The job {{ $labels.job }} has no target.{{ end }}",
    runbook=Runbook(
        meaning="A target of the scrape job has not answered for five minutes, or the job has"
        " no target any more.",
        impact="Nothing is measured, and hardly any other alert can fire. Users are not"
        " affected; spans wait in the Collector's queue, then are lost.",
        first_look="The page *Targets* of Prometheus, then the process: its log, `/healthz`,"
        " `/readyz`.",
        causes=(
            "The process was stopped, or killed for its memory.",
            "It fails at start: the configuration, a port in use, a store that is held.",
            "The network or a policy blocks the port of the views.",
            "The scrape job has another name than the rule expects (`ragmon generate --job`).",
        ),
        mitigation=(
            "Start it; acknowledged spans are in its inbox and are measured then.",
            "Run `ragmon check-config` on the configuration.",
        ),
    ),
)

_STUCK = Alert(
    name="RagmonAssemblyStuck",
    severity=Severity.PAGE,
    hold="5m",
    # By instance: one stuck replica must not hide behind the others.
    expr="sum by (instance) (rate(ragmon_processor_spans_received_total[5m])) > 0\n"
    "unless sum by (instance) (rate(ragmon_processor_traces_released_total[5m])) > 0",
    summary="ragmon {{ $labels.instance }} receives spans and releases no trace",
    description='{{ $labels.instance }} receives {{ $value | printf "%.3g" }} spans a second and'
    " releases no trace.",
    runbook=Runbook(
        meaning="Spans arrive, but for five minutes no trace was released for measuring.",
        impact="Scores stand still or vanish, the inbox grows. The monitor is blind.",
        first_look="`ragmon_processor_open_traces`, `ragmon_processor_inbox_bytes` and"
        " `ragmon_processor_errors_total`; then the log.",
        causes=(
            "The store cannot commit: disk full, database locked.",
            "One trace never ends and is the only one (a stream of spans under one trace id).",
            "A fault of ragmon: the loop has died.",
        ),
        mitigation=(
            "Make room on the disk of the store.",
            "Restart the process: what was acknowledged is replayed from the inbox.",
            "Report it, with the log.",
        ),
    ),
)

_DROPPING = Alert(
    name="RagmonSpansDropped",
    severity=Severity.TICKET,
    hold="10m",
    expr="sum by (instance, reason) (rate(ragmon_processor_spans_dropped_total[10m])) > 0",
    summary="ragmon {{ $labels.instance }} drops spans: {{ $labels.reason }}",
    description='{{ $labels.instance }} drops {{ $value | printf "%.3g" }} spans a second with the'
    " reason {{ $labels.reason }}.",
    runbook=Runbook(
        meaning="Received spans were given up. The reason says why: `invalid` (no trace or span"
        " id), `trace_too_large` (over the bounds of one trace), `expired` (of a trace that is"
        " no longer kept), `failed` (settling it raised twice).",
        impact="The requests they belong to are measured in part or not at all.",
        first_look="The reason in the alert; for `failed` the log and"
        " `ragmon_processor_errors_total`.",
        causes=(
            "`invalid`: a broken exporter.",
            "`trace_too_large`: a batch job under one trace id; documents in every span.",
            "`expired`: a Collector delivers a backlog that is older than `keep_s`.",
            "`failed`: a fault of ragmon.",
        ),
        mitigation=(
            "Repair the sender, or raise `limits.trace_spans` and `limits.trace_bytes`.",
            "For `failed`, report it with the trace that was set aside.",
        ),
    ),
)

_TIMED_OUT = Alert(
    name="RagmonTracesTimedOut",
    severity=Severity.TICKET,
    hold="15m",
    expr=rate_share(
        'ragmon_processor_traces_released_total{reason=~"max_age|evicted"}',
        "ragmon_processor_traces_released_total",
        "15m",
        "instance",
    )
    + " > 0.10",
    summary="ragmon {{ $labels.instance }} releases traces before they are whole",
    description="{{ $value | humanizePercentage }} of the traces of {{ $labels.instance }} were"
    " released by age or to make room.",
    runbook=Runbook(
        meaning="More than a tenth of the traces were released because they were too old or"
        " because memory or inbox ran out of room, not because the request had ended.",
        impact="They are measured twice: first in part, again when the rest comes. First values"
        " in counters may be of the part; the store is right in the end.",
        first_look="`ragmon_processor_traces_released_total` by reason,"
        " `ragmon_processor_open_bytes` against its limit.",
        causes=(
            "`max_age`: traces that never fall quiet, such as one trace for a whole session.",
            "`evicted`: more bytes are open than `assembly.open_bytes` or the inbox allow.",
        ),
        mitigation=(
            "Start a trace per request in the application.",
            "Raise `assembly.open_bytes` and `store.inbox_bytes`, or add a replica.",
        ),
    ),
)

_LATE = Alert(
    name="RagmonLateSpans",
    severity=Severity.TICKET,
    hold="15m",
    expr=rate_share(
        'ragmon_processor_spans_settled_total{when="late"}',
        "ragmon_processor_spans_received_total",
        "15m",
        "instance",
    )
    + " > 0.02",
    summary="Spans reach ragmon {{ $labels.instance }} after their trace was measured",
    description="{{ $value | humanizePercentage }} of the spans that {{ $labels.instance }}"
    " receives come after the first release of their trace.",
    runbook=Runbook(
        meaning="More than 2 % of the spans came after their trace had been released once. They"
        " are joined and the trace is measured again.",
        impact="Results are right in the store and the window gauges; counters hold first"
        " values, which may lack what came late.",
        first_look="`ragmon_processor_traces_released_total` by reason, and the batch delays of"
        " the exporters and Collectors on the way.",
        causes=(
            "`assembly.quiet_s` is shorter than the batch delay of the slowest sender.",
            "Parts of a trace travel different ways, one of which queues.",
            "The list of replicas changed, so that halves of traces met different ones.",
        ),
        mitigation=("Raise `assembly.quiet_s` above the largest batch delay.",),
    ),
)

GROUPS = (Group("ragmon-monitor", (_DOWN, _STUCK, _DROPPING, _TIMED_OUT, _LATE)),)
