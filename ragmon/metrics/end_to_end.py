"""End to end: what the user experienced, from request to answer."""

from ragmon.metrics import kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.text import Text

metric = stage("end_to_end")


@metric(unit=Unit.BINARY, better=Better.HIGHER, on_hashes=True)
def answer_exact_match(answer: Text, reference_answers: tuple[Text, ...]) -> float | None:
    """Whether the answer that the user got equals a reference answer.

        1 if t(answer) = t(reference) for any reference else 0, t = SQuAD-normalised tokens

    answer:            the answer; case, ASCII punctuation and articles do not matter.
    reference_answers: (n,) acceptable answers.
    Returns:           0 or 1; None where n = 0.
    Source:            SQuAD evaluation, Rajpurkar et al. 2016, as generation.exact_match.

    >>> answer_exact_match(Text("The cat!"), (Text("cat"),))
    1.0
    """
    return kernels.best_of(kernels.equal, answer, reference_answers)


@metric(unit=Unit.RATIO, better=Better.HIGHER, on_hashes=True)
def answer_f1(answer: Text, reference_answers: tuple[Text, ...]) -> float | None:
    """Overlap of the words that the user got with the reference answer's.

        2 * |shared occurrences| / (|t(answer)| + |t(reference)|), t = SQuAD-normalised tokens

    answer:            the answer; order does not matter, repeats do.
    reference_answers: (n,) acceptable answers; the best match counts.
    Returns:           ratio in [0, 1]; None where n = 0. An empty answer to an empty
                       reference is 1, else 0.
    Source:            SQuAD 2.0 evaluation, Rajpurkar et al. 2018, as generation.answer_f1.

    >>> answer_f1(Text("York New"), (Text("New York City"),))
    0.8
    """
    return kernels.best_of(kernels.overlap_f1, answer, reference_answers)


@metric(unit=Unit.BINARY, better=Better.HIGHER)
def task_success(task_success: bool) -> float:
    """Whether the user got what they needed, by your own verdict.

    task_success: the label's verdict on the request.
    Returns:      0 or 1; never None. The mean over labelled requests is the success rate.
    Source:       human labels; feedback of users is kept apart and is no label.

    >>> task_success(False)
    0.0
    """
    return float(task_success)


@metric(unit=Unit.MILLISECONDS, better=Better.LOWER, buckets=())
def latency_ms(latency_s: float) -> float:
    """Duration of the whole request.

    latency_s: seconds of the request span.
    Returns:   milliseconds >= 0; never None. Missing without a request span.
    Source:    span times.

    >>> latency_ms(2.0)
    2000.0
    """
    return latency_s * 1000


@metric(unit=Unit.USD, better=Better.LOWER, buckets=())
def cost_usd(cost_usd: float) -> float:
    """Cost of the request's model calls in US dollars.

    cost_usd: US dollars over all leaf model spans, as they state it.
    Returns:  US dollars >= 0; never None. Missing, not 0, where no span states a cost.
    Source:   span attributes.

    >>> cost_usd(0.002)
    0.002
    """
    return cost_usd


@metric(unit=Unit.TOKENS, better=Better.NONE, buckets=())
def total_tokens(total_tokens: int) -> float:
    """Tokens of the request's model calls, sent and received.

    total_tokens: model tokens over all leaf model spans, sent and received.
    Returns:      tokens >= 0; never None. Missing where a span states only one side.
    Source:       span attributes.

    >>> total_tokens(120)
    120.0
    """
    return float(total_tokens)
