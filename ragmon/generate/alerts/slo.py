"""Error budgets: burn rates over two windows, as pages and as tickets."""

from ragmon.generate.alert import Alert, Group, Recording, Runbook, Severity
from ragmon.generate.promql import rate_share

_BURN_WINDOWS = ("5m", "30m", "1h", "2h", "6h", "1d", "3d")
_JUDGED = 'ragmon_slo_requests_total{result=~"good|bad"}'


def _recording(window: str) -> Recording:
    bad = 'ragmon_slo_requests_total{result="bad"}'
    return Recording(
        f"pipeline_slo:ragmon_slo_requests:error_ratio_rate{window}",
        rate_share(bad, _JUDGED, window, "pipeline, slo"),
    )


def _burns(window: str, factor: str) -> str:
    # Above an objective of 93 % a factor of 14.4 asks for more than all requests to be bad;
    # without the cap a loose objective could never page.
    allowed = f"{factor} * (1 - max by (pipeline, slo) (ragmon_slo_objective_ratio))"
    return (
        f"pipeline_slo:ragmon_slo_requests:error_ratio_rate{window}"
        f" > on (pipeline, slo) group_left () clamp_max({allowed}, 0.9)"
    )


def _leg(long: str, short: str, factor: str) -> str:
    return f"(\n    ({_burns(long, factor)})\n    and\n    ({_burns(short, factor)})\n  )"


def _enough(window: str, requests: int) -> str:
    return f"sum by (pipeline, slo) (increase({_JUDGED}[{window}])) >= {requests}"


_FAST = Alert(
    name="RagmonErrorBudgetBurnFast",
    severity=Severity.PAGE,
    hold="2m",
    expr=f"(\n  {_leg('1h', '5m', '14.4')}\n  or\n  {_leg('6h', '30m', '6')}\n)\n"
    f"and {_enough('1h', 20)}",
    summary="Fast burn of the error budget {{ $labels.slo }} of pipeline {{ $labels.pipeline }}",
    description="{{ $value | humanizePercentage }} of the judged requests of pipeline"
    " {{ $labels.pipeline }} miss the objective {{ $labels.slo }}.",
    runbook=Runbook(
        meaning="So many requests miss an objective that its 30-day budget would be gone"
        " within days: 14.4 times the budget over the last hour and the last five minutes, or"
        " 6 times over six hours and half an hour. Where the multiple exceeds it, 90 % bad"
        " is the bound. At least 20 requests were judged within the last hour.",
        impact="Users of this pipeline get slow or badly grounded answers now, by the measure"
        " that you configured in `objectives`.",
        first_look="Dashboard **RAG / Overview**, row *Error budget*: which objective, since"
        " when. Then *Latency by stage* for a latency objective, *Quality* and the heatmap"
        " *Grounding of the answers* for a metric; an exemplar opens one bad trace.",
        causes=(
            "A model, prompt or index was changed (annotation *version* on the dashboard).",
            "A slow or failing dependency: the model endpoint, the vector store, the reranker.",
            "The index is empty or stale, so that answers have nothing to stand on.",
            "The objective is tighter than the service ever was.",
        ),
        mitigation=(
            "Roll back what changed last; compare the row *Answers* before and after.",
            "Where one stage is slow, fall back to a faster model or fewer documents.",
            "Take one bad trace and run `ragmon replay` on it to see every measurement.",
            "Where the objective is wrong, change it in the configuration, not the alert.",
        ),
    ),
)

_SLOW = Alert(
    name="RagmonErrorBudgetBurnSlow",
    severity=Severity.TICKET,
    hold="15m",
    expr=f"(\n  {_leg('1d', '2h', '3')}\n  or\n  {_leg('3d', '6h', '1')}\n)\n"
    f"and {_enough('1d', 100)}",
    summary="Slow burn of the error budget {{ $labels.slo }} of pipeline {{ $labels.pipeline }}",
    description="{{ $value | humanizePercentage }} of the judged requests of pipeline"
    " {{ $labels.pipeline }} miss the objective {{ $labels.slo }}: more than its budget allows.",
    runbook=Runbook(
        meaning="Over days more requests miss an objective than its 30-day budget allows:"
        " 3 times the budget over a day and two hours, or more than the budget over three days"
        " and six hours. At least 100 requests were judged within the last day.",
        impact="Nobody must get up, but at this pace the objective will not be kept.",
        first_look="Dashboard **RAG / Overview**, *Budget left (30 d)*, and the quality and"
        " latency graphs over a week: a step has a cause, a slope a drift.",
        causes=(
            "A change made part of the requests worse: one language, one kind of question.",
            "The corpus or the questions drift away from each other.",
            "Growing load makes the slow tail longer.",
        ),
        mitigation=(
            "Find the day of the step and what was released then.",
            "Look at the worst requests with `ragmon replay` and label some of them.",
            "Agree on a different objective if users are served well all the same.",
        ),
    ),
)

# One group: its rules are evaluated in order, so alerts see what was recorded just before.
GROUPS = (Group("ragmon-slo", (*map(_recording, _BURN_WINDOWS), _FAST, _SLOW)),)
