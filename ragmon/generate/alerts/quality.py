"""Scores: below an objective, dropped, no longer measured."""

from ragmon.generate.alert import Alert, Group, Recording, Runbook, Severity
from ragmon.generate.promql import COUNTED, MEASURED, mean_score, pooled_window_mean, rate_share

_BY = "pipeline, stage, metric, k"
_WINDOWS = ("5m", "1h", "1d")
_MEAN = "pipeline_stage_metric_k:ragmon_score:mean_rate"
_COVERAGE = "pipeline_stage_metric_k:ragmon_evaluations:measured_ratio_rate"
_NAMED = "{{ $labels.stage }}.{{ $labels.metric }}"


def _mean(window: str) -> Recording:
    return Recording(f"{_MEAN}{window}", mean_score("", window, _BY))


def _coverage(window: str) -> Recording:
    measured, counted = (f"ragmon_evaluations_total{{{kinds}}}" for kinds in (MEASURED, COUNTED))
    return Recording(f"{_COVERAGE}{window}", rate_share(measured, counted, window, _BY))


def _misses_objective(mean: str) -> str:
    def side(compare: str, direction: str) -> str:
        objective = f'max by ({_BY}) (ragmon_score_objective{{direction="{direction}"}})'
        return f"({mean} {compare} on ({_BY}) {objective})"

    return f"(\n  {side('<', 'higher')}\n  or\n  {side('>', 'lower')}\n)"


def _needs(labels: str) -> str:
    return f'and on (stage, metric) (ragmon_metric_info{{needs="{labels}"}})'


_ENOUGH_SCORES = f"and sum by ({_BY}) (increase(ragmon_score_count[1h])) >= 30"

_BELOW = Alert(
    name="RagmonScoreBelowObjective",
    severity=Severity.TICKET,
    hold="15m",
    expr=f"{_misses_objective(_MEAN + '1h')}\n{_needs('label_free')}\n{_ENOUGH_SCORES}",
    summary=f"{_NAMED} of pipeline {{{{ $labels.pipeline }}}} misses its objective",
    description=f"The mean of {_NAMED} over the last hour is"
    " {{ $value | humanizePercentage }}, on the wrong side of its objective.",
    runbook=Runbook(
        meaning="The mean of a label-free metric over the last hour, of at least 30 requests,"
        " lies on the wrong side of the threshold that `objectives` gives it.",
        impact="Answers are worse than promised, on average; single requests may be fine.",
        first_look="Dashboard **RAG / Overview**, row *Answers*: since when, and whether other"
        " metrics moved too. The heatmap shows whether all answers sank or a part of them.",
        causes=(
            "Retrieval finds less: a new index, a new embedding model, changed chunking.",
            "The generator strays from its context: new model, new prompt, higher temperature.",
            "Other questions are asked than before.",
        ),
        mitigation=(
            "Roll back the change that coincides with the step.",
            "Open the exemplars in the lowest bucket and replay those traces.",
            "Where the threshold never fitted this pipeline, change the objective.",
        ),
    ),
)

_GOLD_WINDOW = 'window="24h"'  # a label of the gauge, not a range: no time scale touches it
_GOLD_BELOW = Alert(
    name="RagmonGoldScoreBelowObjective",
    severity=Severity.TICKET,
    hold="15m",
    expr=f"{_misses_objective('(' + pooled_window_mean(_GOLD_WINDOW, _BY) + ')')}\n"
    f"{_needs('gold')}\n"
    f"and sum by ({_BY}) (ragmon_window_count{{{_GOLD_WINDOW}}}) >= 30",
    summary=f"{_NAMED} of pipeline {{{{ $labels.pipeline }}}} misses its objective on gold labels",
    description=f"The mean of {_NAMED} over the labelled requests of the last 24 hours is"
    ' {{ $value | printf "%.3g" }}, on the wrong side of its objective.',
    runbook=Runbook(
        meaning="Against gold labels the mean of a metric over the last 24 hours of event time,"
        " of at least 30 labelled requests, lies on the wrong side of its objective. Labels"
        " that came late are in it.",
        impact="The service finds or answers less than promised, as people judged it.",
        first_look="Dashboard **RAG / Overview**, row *Against gold labels*: which metric, and"
        " how many requests were labelled (*Label coverage*).",
        causes=(
            "Retrieval or generation got worse (see whether label-free metrics moved too).",
            "Another sample was labelled than before: harder questions, one topic only.",
            "Document ids changed with a new index, so that labels point at old ids.",
        ),
        mitigation=(
            "Compare the labelled requests with those of a good day.",
            "Where ids changed, post the labels again with the new ids.",
            "Roll back the index or model that coincides with the step.",
        ),
    ),
)

_DROPPED = Alert(
    name="RagmonScoreDropped",
    severity=Severity.TICKET,
    hold="30m",
    expr=f"({_MEAN}1h < 0.85 * ({_MEAN}1h offset 1w))\n"
    'and on (stage, metric) (ragmon_metric_info{direction="higher"})\n' + _ENOUGH_SCORES,
    summary=f"{_NAMED} of pipeline {{{{ $labels.pipeline }}}} dropped within a week",
    description=f"The mean of {_NAMED} over the last hour is"
    " {{ $value | humanizePercentage }}, over 15 % less than at this hour a week ago.",
    runbook=Runbook(
        meaning="The mean of a metric over the last hour, of at least 30 requests, is more than"
        " 15 % below that of the same hour a week ago. It needs no objective.",
        impact="Something changed for the worse; how much it hurts is not known.",
        first_look="Dashboard **RAG / Overview** over the last eight days: a step or a slope.",
        causes=(
            "A release of the application, the model, the prompt or the index.",
            "Other traffic: a new client, a campaign, a test that runs against production.",
        ),
        mitigation=(
            "Find what was released at the step; roll back if users are hurt.",
            "Give the metric an objective, so that the next ticket says whether it matters.",
        ),
    ),
)

_NO_LONGER_MEASURED = Alert(
    name="RagmonMetricNoLongerMeasured",
    severity=Severity.TICKET,
    hold="30m",
    expr=f"({_COVERAGE}1h < 0.5 * ({_COVERAGE}1d offset 1h))\n{_needs('label_free')}\n"
    f"and sum by ({_BY}) (increase(ragmon_evaluations_total{{{COUNTED}}}[1h])) >= 30",
    summary=f"{_NAMED} of pipeline {{{{ $labels.pipeline }}}} is hardly measured any more",
    description=f"{_NAMED} was measured for {{{{ $value | humanizePercentage }}}} of the requests"
    " of the last hour, less than half of what was usual.",
    runbook=Runbook(
        meaning="The share of requests for which a label-free metric could be measured fell to"
        " less than half of the day before. The inputs no longer arrive, or the metric fails.",
        impact="The monitor is going blind for this metric. Its mean may look unchanged, since"
        " what is not measured is never counted as zero.",
        first_look="`ragmon_not_measured_total` by reason names the missing input."
        " `ragmon replay` on a recent trace prints the reason of every metric.",
        causes=(
            "A release dropped a decorator or an attribute, or renamed a parameter.",
            "Content capture was turned off, or a Collector now redacts attributes.",
            "Attributes are cut: the SDK's limits, or too long a text.",
            "The metric raises (result `failed`).",
        ),
        mitigation=(
            "Bring the attribute back in the application or the Collector.",
            "Where it is gone on purpose, the alert ends within a day.",
        ),
    ),
)

_RECORDINGS = tuple(record(window) for record in (_mean, _coverage) for window in _WINDOWS)

# One group: its rules are evaluated in order, so alerts see what was recorded just before.
GROUPS = (
    Group(
        "ragmon-quality",
        (*_RECORDINGS, _BELOW, _GOLD_BELOW, _DROPPED, _NO_LONGER_MEASURED),
    ),
)
