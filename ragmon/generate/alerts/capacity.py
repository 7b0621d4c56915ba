"""The monitor's room and pace: inbox, failing metrics, lag, labels."""

from ragmon.generate.alert import Alert, Group, Runbook, Severity

_INBOX = Alert(
    name="RagmonInboxNearlyFull",
    severity=Severity.TICKET,
    hold="10m",
    expr="max by (instance) (ragmon_processor_inbox_bytes)"
    " / max by (instance) (ragmon_processor_inbox_bytes_limit) > 0.8",
    summary="The inbox of ragmon {{ $labels.instance }} is nearly full",
    description="The inbox of {{ $labels.instance }} is {{ $value | humanizePercentage }} full.",
    runbook=Runbook(
        meaning="Bytes that were acknowledged and are not yet measured fill more than 80 % of"
        " the inbox.",
        impact="When it is full, senders get 503 and must wait; a Collector then queues, and"
        " drops when its own queue is full. Nothing acknowledged is lost.",
        first_look="`ragmon_processor_settle_duration_seconds`,"
        " `ragmon_processor_release_lag_seconds`, the processor's CPU, the disk of the store.",
        causes=(
            "More traffic than one process can measure.",
            "The store cannot commit: then the inbox is the spill.",
            "Many traces stay open: see RagmonTracesTimedOut.",
        ),
        mitigation=(
            "Make room on the disk, or raise `store.inbox_bytes`.",
            "Add replicas behind a Collector that balances by trace id.",
        ),
    ),
)

_FAILING = Alert(
    name="RagmonEvaluationFailures",
    severity=Severity.TICKET,
    hold="15m",
    expr='sum by (stage, metric, k) (rate(ragmon_evaluations_total{result="failed"}[15m])) > 0',
    summary="The metric {{ $labels.stage }}.{{ $labels.metric }} raises",
    description="{{ $labels.stage }}.{{ $labels.metric }} fails"
    ' {{ $value | printf "%.3g" }} times a second.',
    runbook=Runbook(
        meaning="A metric raised an exception on some requests. Other metrics of the same"
        " requests are not affected.",
        impact="This metric has no value for those requests; its coverage falls.",
        first_look="`ragmon_not_measured_total` by reason names the class of the exception,"
        " the log its place.",
        causes=(
            "A metric of your own that does not expect some input.",
            "A fault of ragmon.",
        ),
        mitigation=(
            "Take a failing trace and run `ragmon replay` on it.",
            "Repair the metric, or report it with the class of the exception.",
        ),
    ),
)

_LAG = Alert(
    name="RagmonReleaseLagHigh",
    severity=Severity.TICKET,
    hold="15m",
    expr="histogram_quantile(0.95, sum by (instance, le)"
    " (rate(ragmon_processor_release_lag_seconds_bucket[10m]))) > 60",
    summary="ragmon {{ $labels.instance }} measures late",
    description="One trace in twenty of {{ $labels.instance }} is released"
    " {{ $value | humanizeDuration }} and more after its last span.",
    runbook=Runbook(
        meaning="For one trace in twenty more than a minute passes between the arrival of its"
        " last span and its release for measuring.",
        impact="Scores, and every alert on them, are late by as much.",
        first_look="`ragmon_processor_inbox_bytes`: a backlog? Else"
        " `ragmon_processor_traces_released_total` by reason: most traces by `idle`?",
        causes=(
            "A backlog: after a restart, or more traffic than can be measured.",
            "Request spans do not arrive, so that traces wait for `assembly.idle_s`.",
            "A Collector on the way queues.",
        ),
        mitigation=(
            "Wait for a backlog of a restart; add replicas for a lasting one.",
            "Send the request span too (the decorator `request`, or the server's span).",
        ),
    ),
)

_OVERFLOW = Alert(
    name="RagmonLabelOverflow",
    severity=Severity.TICKET,
    hold="0m",
    expr="sum by (label) (increase(ragmon_processor_label_overflow_total[1h])) > 0",
    summary="The label {{ $labels.label }} has more values than are kept apart",
    description='{{ $value | printf "%.3g" }} observations of the last hour went to'
    " {{ $labels.label }}=`other`.",
    runbook=Runbook(
        meaning="A label has more distinct values than its bound; further ones are counted"
        " under `other`.",
        impact="What is under `other` cannot be told apart in panels and alerts. The bound"
        " protects Prometheus.",
        first_look="The values of the label: `count by (pipeline) (ragmon_requests_total)`.",
        causes=(
            "An id of a user, session or deployment became a pipeline's name.",
            "There really are more pipelines or models than the bound.",
        ),
        mitigation=(
            "Give pipelines a few fixed names in the application.",
            "Raise `metrics.max_pipelines`; expect some 330 series for each pipeline.",
        ),
    ),
)

GROUPS = (Group("ragmon-capacity", (_INBOX, _FAILING, _LAG, _OVERFLOW)),)
