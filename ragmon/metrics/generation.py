"""Generation: does the answer rest on its context, and does it match the reference?"""

from collections.abc import Iterable

from ragmon.metrics import kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.text import Text

metric = stage("generation")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def context_grounding(answer: Text, context_texts: tuple[Text, ...]) -> float | None:
    """Share of the answer's words that occur in the context.

        |{w in t(answer) : w in t(context)}| / |t(answer)|, t = SQuAD-normalised tokens

    answer:        the answer; every occurrence of a word counts.
    context_texts: (n,) chunks of the context; order and repeats do not matter.
    Returns:       ratio in [0, 1]; None where the answer has no words, 0 where the context
                   is empty. A hint, no proof.
    Source:        ragmon; normalisation of Rajpurkar et al. 2016 on both sides, so that
                   hyphenated words match.

    >>> context_grounding(Text("Paris burns"), (Text("Paris is big."),))
    0.5
    """
    if not answer.squad:
        return None
    invented = answer.squad_set
    for chunk in context_texts:
        invented -= chunk.squad_set
    return sum(word not in invented for word in answer.squad) / len(answer.squad)


@metric(unit=Unit.RATIO, better=Better.LOWER)
def unsupported_number_rate(answer: Text, context_texts: tuple[Text, ...]) -> float | None:
    """Share of the answer's numbers that the context does not hold.

        |numbers of the answer without an equal one in the context| / |numbers of the answer|

    answer:        the answer; every occurrence of a number counts, list markers and
                   citations do not.
    context_texts: (n,) chunks of the context; spelled-out numbers and the parts of dates
                   support as well.
    Returns:       ratio in [0, 1]; None where the answer has no numbers, 1 where it has
                   some and the context is empty. Rounded values count as unsupported.
    Source:        ragmon, the number rule of ragmon.text.numbers.

    >>> unsupported_number_rate(Text("It has 10 rooms and 20 beds."), (Text("Ten rooms."),))
    0.5
    """
    return _unsupported_rate(answer, context_texts)


@metric(unit=Unit.RATIO, better=Better.LOWER)
def unsupported_number_rate_with_question(
    answer: Text, context_texts: tuple[Text, ...], query: Text
) -> float | None:
    """Share of the answer's numbers that neither the context nor the question holds.

        as unsupported_number_rate, with the question as one more chunk of the context

    answer:        the answer; every occurrence of a number counts.
    context_texts: (n,) chunks of the context.
    query:         the question; what it states may be repeated.
    Returns:       ratio in [0, 1]; None where the answer has no numbers. Alerts use this one.
    Source:        ragmon, the number rule of ragmon.text.numbers.

    >>> unsupported_number_rate_with_question(Text("In 2024: 7."), (), Text("What of 2024?"))
    0.5
    """
    return _unsupported_rate(answer, (*context_texts, query))


def _unsupported_rate(answer: Text, texts: Iterable[Text]) -> float | None:
    numbers = answer.answer_numbers
    if not numbers:
        return None
    pending = list(numbers)
    for text in texts:
        if not pending:
            break
        known = text.context_numbers
        pending = [number for number in pending if not number.supported_by(known)]
    return len(pending) / len(numbers)


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def answer_f1(answer: Text, reference_answers: tuple[Text, ...]) -> float | None:
    """Overlap of the answer's words with the reference answer's.

        2 * |shared occurrences| / (|t(answer)| + |t(reference)|), t = SQuAD-normalised tokens

    answer:            the answer; order does not matter, repeats do.
    reference_answers: (n,) acceptable answers; the best match counts.
    Returns:           ratio in [0, 1]; None where n = 0. An empty answer to an empty
                       reference is 1, else 0.
    Source:            SQuAD 2.0 evaluation, Rajpurkar et al. 2018. That of SQuAD 1.1 gives 0
                       for two empty texts.

    >>> answer_f1(Text("York New"), (Text("Boston"), Text("New York City")))
    0.8
    """
    scores = [kernels.overlap_f1(answer.squad, text.squad) for text in reference_answers]
    return max(scores, default=None)


@metric(unit=Unit.BINARY, better=Better.HIGHER)
def exact_match(answer: Text, reference_answers: tuple[Text, ...]) -> float | None:
    """Whether the answer equals a reference answer.

        1 if t(answer) = t(reference) for any reference else 0, t = SQuAD-normalised tokens

    answer:            the answer; case, ASCII punctuation and articles do not matter.
    reference_answers: (n,) acceptable answers.
    Returns:           0 or 1; None where n = 0.
    Source:            SQuAD evaluation, Rajpurkar et al. 2016. It calls 3.14 and 314 equal.

    >>> exact_match(Text("The cat!"), (Text("dog"), Text("cat")))
    1.0
    """
    if not reference_answers:
        return None
    return float(any(answer.squad == text.squad for text in reference_answers))


@metric(unit=Unit.MILLISECONDS, better=Better.LOWER)
def latency_ms(generation_latency_s: float) -> float:
    """Duration of the model call that gave the answer.

    generation_latency_s: seconds of the leaf model span that ended last.
    Returns:              milliseconds >= 0; never None.
    Source:               span times.

    >>> latency_ms(1.5)
    1500.0
    """
    return generation_latency_s * 1000
