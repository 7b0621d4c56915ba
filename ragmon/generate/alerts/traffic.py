"""Requests: none at all, without documents, dearer than before."""

from ragmon.generate.alert import Alert, Group, Runbook, Severity
from ragmon.generate.promql import rate_share, share

_PRICED = 'ragmon_evaluations_total{stage="end_to_end",metric="cost_usd",result=~"measured.*"}'

_EMPTY = Alert(
    name="RagmonEmptyRetrievals",
    severity=Severity.PAGE,
    hold="5m",
    expr=rate_share(
        "ragmon_empty_retrievals_total", "ragmon_retrieved_chunks_count", "10m", "pipeline"
    )
    + " > 0.10\nand sum by (pipeline) (increase(ragmon_requests_total[10m])) >= 20",
    summary="Retrieval of pipeline {{ $labels.pipeline }} often finds nothing",
    description="{{ $value | humanizePercentage }} of the retrievals of pipeline"
    " {{ $labels.pipeline }} returned no document.",
    runbook=Runbook(
        meaning="More than a tenth of the retrievals of the last ten minutes returned an empty"
        " list, at 20 requests or more. Requests whose documents were not captured do not count.",
        impact="Users get refusals, or answers that stand on nothing.",
        first_look="Dashboard **RAG / Overview**, tile *No chunk found*, then *Grounding* and"
        " *Latency by stage*: an empty index answers very fast.",
        causes=(
            "The index is empty, is being rebuilt, or another one is read (wrong name, tenant).",
            "A filter or score threshold lets nothing through.",
            "The embedding model changed and no longer fits the index.",
            "The vector store fails and the application treats that as no hits.",
        ),
        mitigation=(
            "Point the service back at the last good index.",
            "Count the documents in the index; run one known query by hand.",
            "Loosen the filter or threshold that was changed last.",
        ),
    ),
)

_NONE = Alert(
    name="RagmonNoTraffic",
    severity=Severity.TICKET,
    hold="10m",
    expr="sum by (pipeline) (increase(ragmon_requests_total[30m])) == 0\n"
    "and sum by (pipeline) (increase(ragmon_requests_total[30m] offset 1d)) > 10",
    summary="No request of pipeline {{ $labels.pipeline }} arrives any more",
    description="No request of pipeline {{ $labels.pipeline }} was measured within 30 minutes;"
    " a day ago there were more than 10.",
    runbook=Runbook(
        meaning="Not one request was measured within 30 minutes, though more than 10 were at"
        " this time yesterday.",
        impact="Either users get nothing, or they do and the monitor does not see it.",
        first_look="Does the service itself have traffic (its own metrics, the load balancer)?"
        " If it does, follow the spans: application, Collector, ragmon"
        " (`ragmon_processor_spans_received_total`).",
        causes=(
            "The service is down, or its clients stopped calling (a weekend, a holiday).",
            "The spans no longer arrive: endpoint, network policy, Collector, sampling.",
            "The pipeline was renamed: its requests count under another label.",
        ),
        mitigation=(
            "Bring the service or the path of the spans back.",
            "After a rename, silence the alert for a day; it ends by itself.",
        ),
    ),
)

_COST = Alert(
    name="RagmonCostPerRequestUp",
    severity=Severity.TICKET,
    hold="30m",
    expr=f"({rate_share('ragmon_cost_usd_total', _PRICED, '1h', 'pipeline')})\n"
    "> 2 * ("
    + share(
        "sum by (pipeline) (rate(ragmon_cost_usd_total[1d] offset 1d))",
        f"sum by (pipeline) (rate({_PRICED}[1d] offset 1d))",
    )
    + f")\nand sum by (pipeline) (increase({_PRICED}[1h])) >= 30",
    summary="A request of pipeline {{ $labels.pipeline }} costs twice what it did",
    description="A request of pipeline {{ $labels.pipeline }} costs"
    ' {{ $value | printf "%.3g" }} USD, more than twice what it cost in the day that ended a day'
    " ago.",
    runbook=Runbook(
        meaning="Over the last hour, of at least 30 requests with a known cost, the mean cost is"
        " more than twice that of the day that ended a day ago.",
        impact="Money. Users may not notice.",
        first_look="Dashboard **RAG / Overview**, *Cost per request*; then"
        " `ragmon_tokens_total` by model and direction: a dearer model, or more tokens?",
        causes=(
            "A dearer model, or a fallback that has become the rule.",
            "More or longer documents in the prompt; a conversation history that grows.",
            "Retries: several model calls for one request.",
        ),
        mitigation=(
            "Go back to the former model or limit the context budget.",
            "Where the price is wanted, the alert ends within two days.",
        ),
    ),
)

GROUPS = (Group("ragmon-traffic", (_EMPTY, _NONE, _COST)),)
