"""Generation: does the answer rest on its context?"""

from collections.abc import Iterable

from ragmon.metrics import kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.text import Text
from ragmon.text.sentences import sentences
from ragmon.text.tokens import word_tokens

metric = stage("generation")


@metric(unit=Unit.RATIO, better=Better.HIGHER, on_hashes=True)
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


@metric(unit=Unit.RATIO, better=Better.LOWER, on_hashes=True)
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


@metric(unit=Unit.RATIO, better=Better.LOWER, on_hashes=True)
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
def citation_validity(cited_ids: tuple[str, ...], context_ids: tuple[str, ...]) -> float | None:
    """Share of the cited documents that stand in the context.

        |{cited} & {context}| / |{cited}|

    cited_ids:   (n,) ids that the answer cites; a repeat counts once.
    context_ids: (m,) ids of the context; order and repeats do not matter.
    Returns:     ratio in [0, 1], 0 where the context is empty; None where nothing is cited.
                 A citation that is not in the context was made up.
    Source:      ragmon.

    >>> citation_validity(("a", "z"), ("a", "b"))
    0.5
    """
    cited = frozenset(cited_ids)
    return len(cited.intersection(context_ids)) / len(cited) if cited else None


@metric(unit=Unit.COUNT, better=Better.NONE)
def used_documents(
    answer: Text,
    context_keys: tuple[str, ...],
    context_texts: tuple[Text, ...],
    stated_citations: tuple[str, ...],
) -> float:
    """Number of different documents of the context that the answer rests on.

        |{documents that are cited, or support a sentence best}|, the last step of the evidence
        funnel; the best support of a sentence holds most of its word tokens, and at least half

    answer:           the answer; every occurrence of a word counts.
    context_keys:     (n,) the id of each chunk of the context, its text where it has none.
    context_texts:    (n,) their texts, in the same order; of equal supports the first counts.
    stated_citations: (m,) ids that the answer cites; empty where none were captured.
    Returns:          count >= 0, 0 for an empty answer or context; never None. A hint: words
                      may agree by chance.
    Source:           ragmon's evidence funnel: retrieved, reranked, packed, used.

    >>> texts = (Text("Paris is big."), Text("Rome burns."))
    >>> used_documents(Text("Rome burns now. It really does."), ("a", "b"), texts, ())
    1.0
    """
    used = set(context_keys).intersection(stated_citations)
    word_sets = [text.word_set for text in context_texts]
    for sentence in sentences(answer.raw):
        best = kernels.best_support(word_tokens(sentence), word_sets)
        if best is not None:
            used.add(context_keys[best])
    return float(len(used))


@metric(unit=Unit.BINARY, better=Better.NONE)
def abstained(abstained: bool) -> float:
    """Whether the system declined to answer.

    abstained: the outcome of the request: abstained, not answered; an answer in part is one.
    Returns:   0 or 1; never None. Missing where the request failed and where the answer is in
               a language without a rule. The mean over requests is the abstention rate.
    Source:    ragmon, the rule of ragmon.text.abstention.

    >>> abstained(True)
    1.0
    """
    return float(abstained)


@metric(unit=Unit.MILLISECONDS, better=Better.LOWER, buckets=())
def latency_ms(generation_latency_s: float) -> float:
    """Duration of the model call that gave the answer.

    generation_latency_s: seconds of the leaf model span that ended last.
    Returns:              milliseconds >= 0; never None.
    Source:               span times.

    >>> latency_ms(1.5)
    1500.0
    """
    return generation_latency_s * 1000
