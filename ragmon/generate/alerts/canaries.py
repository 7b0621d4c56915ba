"""Canaries: ragmon's own queries, which the service does not answer."""

from ragmon.generate.alert import Alert, Group, Runbook, Severity
from ragmon.generate.promql import rate_share

_SENT = "ragmon_canary_requests_total"

_UNANSWERED = Alert(
    name="RagmonCanaryUnanswered",
    severity=Severity.TICKET,
    hold="10m",
    expr=rate_share(f'{_SENT}{{result!="ok"}}', _SENT, "1h", "canary")
    + f" > 0.5\nand sum by (canary) (increase({_SENT}[1h])) >= 2",
    summary="Canary {{ $labels.canary }} is not answered",
    description="{{ $value | humanizePercentage }} of the requests of canary"
    " {{ $labels.canary }} within an hour got no good answer.",
    runbook=Runbook(
        meaning="More than half of the queries of this gold set that were sent within an hour were"
        " refused, timed out or reached nobody.",
        impact="Its gold metrics stand still or rest on few queries; users may get no answers"
        " either.",
        first_look="`sum by (result) (increase(ragmon_canary_requests_total[1h]))`: `refused` is"
        " a status other than 2xx, `unreachable` a connection that failed.",
        causes=(
            "The service is down, or does not answer within `timeout_s`.",
            "The endpoint moved, or wants another body, header or token.",
            "The service limits its senders, and this one with them.",
        ),
        mitigation=(
            "Send one of the queries by hand, as `canaries` in the configuration has it.",
            "Mend `url`, `body` or `headers`; a variable of a header is read at start.",
        ),
    ),
)

GROUPS = (Group("ragmon-canaries", (_UNANSWERED,)),)
