"""The row of canaries: ragmon's own queries, apart from those of users."""

from ragmon.generate.board import Row
from ragmon.generate.panels import Kind, Panel, Query
from ragmon.generate.promql import pooled_window_mean, rate_share
from ragmon.generate.scores import GOLD_WINDOW
from ragmon.generate.selectors import OF_JOB

_SENT = f"ragmon_canary_requests_total{{{OF_JOB}}}"
_ANSWERED = f'ragmon_canary_requests_total{{{OF_JOB},result="ok"}}'
_MEANS = (
    f'{OF_JOB},window="{GOLD_WINDOW}",pipeline=~"canary:.*",'
    'metric=~"recall_at_k|ndcg_at_k|answer_f1|exact_match|context_grounding"'
)


def canary_row(level: int) -> Row:
    """Whether canaries are answered, and how well; empty where none is configured."""
    return Row(
        level,
        "Canaries",
        8,
        (
            Panel(
                Kind.TIME_SERIES,
                "Canaries answered",
                "Share of the canary requests that got a good answer.",
                "percentunit",
                (Query(rate_share(_ANSWERED, _SENT, "1h", "canary"), "{{canary}}"),),
                width=12,
                lowest=0,
                highest=1,
            ),
            Panel(
                Kind.TIME_SERIES,
                "Canaries against gold",
                f"Means over {GOLD_WINDOW} of event time; canaries enter no other panel.",
                "percentunit",
                (
                    Query(
                        pooled_window_mean(_MEANS, "pipeline, stage, metric, k"),
                        "{{pipeline}} {{metric}} {{k}}",
                    ),
                ),
                width=12,
                lowest=0,
                highest=1,
            ),
        ),
    )
