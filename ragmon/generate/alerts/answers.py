"""What the answers and their order show: many refusals, a reranker that hurts."""

from ragmon.generate.alert import Alert, Group, Runbook, Severity
from ragmon.generate.promql import aggregate, rate_share, share

_DECIDED = 'ragmon_requests_total{outcome=~"answered|abstained"}'

_ABSTENTIONS = Alert(
    name="RagmonAbstentionsUp",
    severity=Severity.TICKET,
    hold="15m",
    expr=rate_share('ragmon_requests_total{outcome="abstained"}', _DECIDED, "30m", "pipeline")
    + f" > 0.15\nand sum by (pipeline) (increase({_DECIDED}[30m])) >= 30",
    summary="Pipeline {{ $labels.pipeline }} often declines to answer",
    description="{{ $value | humanizePercentage }} of the answers of pipeline"
    " {{ $labels.pipeline }} in the last half hour say that there is no answer.",
    runbook=Runbook(
        meaning="More than 15 % of the answers of the last half hour, at 30 requests or more,"
        " decline to answer and say nothing else. A partial answer does not count, nor does a"
        " language without a rule.",
        impact="Users get no answer. That is right where the documents hold none, and a fault"
        " where they do.",
        first_look="Dashboard **RAG / Overview**, *Requests by outcome*: a step or a slope; then"
        " tile *No chunk found*. `retrieval.query_term_coverage` in `ragmon_score` says whether"
        " what was found speaks of the question at all.",
        causes=(
            "Retrieval finds nothing, or the wrong documents: index, filter, embedding model.",
            "The context is cut too short, so that the evidence no longer reaches the model.",
            "A new model or prompt that refuses sooner.",
            "Other questions than before, which the documents do not cover.",
        ),
        mitigation=(
            "Read some of the refused questions, and look for their documents by hand.",
            "Roll back the index, prompt or model that coincides with the step.",
            "Where the questions are new, add the documents that they ask for.",
        ),
    ),
)

_BY = "pipeline, stage, metric, k"
_GAINS = '{stage="reranking",metric=~"ndcg_gain|mrr_gain"}'


def _rate(part: str) -> str:
    return aggregate("sum", _BY, f"rate(ragmon_score_delta_{part}_total{_GAINS}[1h])")


_RERANKER = Alert(
    name="RagmonRerankerHurts",
    severity=Severity.TICKET,
    hold="30m",
    expr=share(f"({_rate('positive')} - {_rate('negative')})", _rate("observations"))
    + f" < 0\nand sum by ({_BY}) (increase(ragmon_score_delta_observations_total{_GAINS}[1h]))"
    " >= 30",
    summary="The reranker of pipeline {{ $labels.pipeline }} hurts:"
    " {{ $labels.metric }} is below zero",
    description="Over the last hour the reranker changed {{ $labels.metric }} by"
    ' {{ $value | printf "%.3f" }} per labelled request of pipeline {{ $labels.pipeline }}.',
    runbook=Runbook(
        meaning="Against gold labels, over at least 30 requests measured within the last hour,"
        " the reranked order is worse than the retrieved one, on average.",
        impact="Answers would be as good or better without the reranker, which costs time and"
        " money besides.",
        first_look="`ragmon_window_mean` of `reranking.ndcg_gain` and `reranking.mrr_gain`: since"
        " when. `reranking.rank_biased_overlap` says whether the reranker began to order"
        " otherwise, `reranking.candidate_set_preservation_rate` whether it drops documents.",
        causes=(
            "A new reranking model, or one for another language or length of text.",
            "It gets other texts than before: cut, without titles, in another format.",
            "Its scores are sorted the wrong way round.",
            "The first stage became so good that there is nothing left to gain.",
        ),
        mitigation=(
            "Turn the reranker off, or roll it back.",
            "Compare both orders on some labelled requests by `ragmon replay`.",
        ),
    ),
)

GROUPS = (Group("ragmon-answers", (_ABSTENTIONS, _RERANKER)),)
