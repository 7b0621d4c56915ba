"""Generation against gold labels: is the answer the right one?"""

from ragmon.metrics import kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.text import Text

metric = stage("generation")


@metric(unit=Unit.RATIO, better=Better.HIGHER, on_hashes=True)
def answer_precision(answer: Text, reference_answers: tuple[Text, ...]) -> float | None:
    """Share of the answer's words that match the reference answer's.

        |shared occurrences| / |t(answer)|, t = SQuAD-normalised tokens

    answer:            the answer; order does not matter, repeats do.
    reference_answers: (n,) acceptable answers; the best match counts.
    Returns:           ratio in [0, 1]; None where n = 0. Where either side is empty it is 1 if
                       both are, else 0.
    Source:            SQuAD 2.0 evaluation, Rajpurkar et al. 2018.

    >>> answer_precision(Text("cat cat"), (Text("the cat"),))
    0.5
    """
    return kernels.best_of(kernels.share_matched, answer, reference_answers)


@metric(unit=Unit.RATIO, better=Better.HIGHER, on_hashes=True)
def answer_recall(answer: Text, reference_answers: tuple[Text, ...]) -> float | None:
    """Share of the reference answer's words that stand in the answer.

        |shared occurrences| / |t(reference)|, t = SQuAD-normalised tokens

    answer:            the answer; order does not matter, repeats do.
    reference_answers: (n,) acceptable answers; the best match counts, which may be another
                       one than that of the precision.
    Returns:           ratio in [0, 1]; None where n = 0. Where either side is empty it is 1 if
                       both are, else 0.
    Source:            SQuAD 2.0 evaluation, Rajpurkar et al. 2018.

    >>> answer_recall(Text("York"), (Text("New York"),))
    0.5
    """
    return kernels.best_of(kernels.share_found, answer, reference_answers)


@metric(unit=Unit.RATIO, better=Better.HIGHER, on_hashes=True)
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
    return kernels.best_of(kernels.overlap_f1, answer, reference_answers)


@metric(unit=Unit.BINARY, better=Better.HIGHER, on_hashes=True)
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
    return kernels.best_of(kernels.equal, answer, reference_answers)


@metric(unit=Unit.RATIO, better=Better.HIGHER, on_hashes=True)
def rouge_l_f1(answer: Text, reference_answers: tuple[Text, ...]) -> float | None:
    """Overlap of the answer with the reference answer in the order of the words.

        2PR / (P + R), P = LCS / |t(answer)|, R = LCS / |t(reference)|, with LCS the length of
        the longest common subsequence and t the SQuAD-normalised tokens

    answer:            the answer; of a text beyond 10,000 tokens the first 10,000 count.
    reference_answers: (n,) acceptable answers, capped likewise; the best match counts.
    Returns:           ratio in [0, 1]; None where n = 0. An empty answer to an empty
                       reference is 1, else 0.
    Source:            Lin 2004, ROUGE. The package rouge-score has other tokens ([a-z0-9]+,
                       articles kept) and gives 0 for two empty texts.

    >>> round(rouge_l_f1(Text("beta alpha gamma"), (Text("alpha beta gamma"),)), 6)
    0.666667
    """
    return kernels.best_of(kernels.subsequence_f1, answer, reference_answers)


@metric(unit=Unit.RATIO, better=Better.HIGHER, on_hashes=True)
def required_fact_coverage(
    answer: Text, required_facts: tuple[tuple[str, ...], ...]
) -> float | None:
    """Share of the required facts that the answer states.

        |{facts of which an alternative stands in the answer}| / |{facts}|

    answer:         the answer. A fact stands in it if its word tokens follow one another
                    there; a fact without word tokens, if its characters do, in any case.
    required_facts: (n,) facts, each a tuple of alternative wordings; a repeat counts once.
    Returns:        ratio in [0, 1]; None where n = 0.
    Source:         ragmon; whole words, so that "art" does not stand in "start".

    >>> required_fact_coverage(Text("It takes five days."), (("5 days", "five days"), ("free",)))
    0.5
    """
    facts = frozenset(required_facts)
    if not facts:
        return None
    states = kernels.phrase_test(answer)
    return sum(any(map(states, fact)) for fact in facts) / len(facts)


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def citation_precision(
    cited_ids: tuple[str, ...], expected_citations: frozenset[str]
) -> float | None:
    """Share of the cited documents that should be cited.

        |{cited} & {expected}| / |{cited}|

    cited_ids:          (n,) ids that the answer cites; a repeat counts once.
    expected_citations: (m,) ids that a right answer cites.
    Returns:            ratio in [0, 1]; None where nothing is cited and where m = 0.
    Source:             set precision. scikit-learn gives 0 where ragmon gives None.

    >>> citation_precision(("a", "b"), frozenset({"a", "c"}))
    0.5
    """
    cited = frozenset(cited_ids)
    if not cited or not expected_citations:
        return None
    return len(cited & expected_citations) / len(cited)


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def citation_recall(cited_ids: tuple[str, ...], expected_citations: frozenset[str]) -> float | None:
    """Share of the documents that should be cited that are.

        |{cited} & {expected}| / |{expected}|

    cited_ids:          (n,) ids that the answer cites; a repeat counts once.
    expected_citations: (m,) ids that a right answer cites.
    Returns:            ratio in [0, 1], 0 where nothing is cited; None where m = 0.
    Source:             set recall. scikit-learn gives 0 where ragmon gives None.

    >>> citation_recall(("a",), frozenset({"a", "c"}))
    0.5
    """
    if not expected_citations:
        return None
    return len(expected_citations.intersection(cited_ids)) / len(expected_citations)


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def citation_f1(cited_ids: tuple[str, ...], expected_citations: frozenset[str]) -> float | None:
    """Balance of citation precision and recall.

        2 * |{cited} & {expected}| / (|{cited}| + |{expected}|)

    cited_ids:          (n,) ids that the answer cites; a repeat counts once.
    expected_citations: (m,) ids that a right answer cites.
    Returns:            ratio in [0, 1], 0 where nothing is cited; None where m = 0.
    Source:             Dice 1945; the harmonic mean of set precision and recall.

    >>> citation_f1(("a", "b"), frozenset({"a", "c"}))
    0.5
    """
    if not expected_citations:
        return None
    cited = frozenset(cited_ids)
    return 2 * len(cited & expected_citations) / (len(cited) + len(expected_citations))


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def annotated_claim_support(verified_claims: tuple[bool | None, ...]) -> float | None:
    """Share of the answer's annotated claims that people marked as supported.

        |claims marked supported| / |claims marked at all|

    verified_claims: (n,) True or False per claim, None where nobody judged it.
    Returns:         ratio in [0, 1]; None where no claim was judged.
    Source:          human labels; the hard check of faithfulness.

    >>> annotated_claim_support((True, False, None))
    0.5
    """
    judged = [claim for claim in verified_claims if claim is not None]
    return sum(judged) / len(judged) if judged else None


@metric(unit=Unit.BINARY, better=Better.HIGHER)
def abstention_accuracy(abstained: bool, answerable: bool) -> float:
    """Whether the system was right to answer, or right to abstain.

        1 if answerable != abstained else 0

    abstained:  the outcome of the request: abstained, not answered.
    answerable: the label's verdict whether the question can be answered at all.
    Returns:    0 or 1; never None.
    Source:     SQuAD 2.0, Rajpurkar et al. 2018: to refuse unanswerable questions, and only
                those.

    >>> abstention_accuracy(True, answerable=False)
    1.0
    """
    return float(answerable != abstained)


@metric(unit=Unit.BINARY, better=Better.HIGHER)
def task_success(task_success: bool) -> float:
    """Whether the task was done, by your own verdict.

    task_success: the label's verdict on the request.
    Returns:      0 or 1; never None. The mean over labelled requests is the success rate.
    Source:       human labels; feedback of users is kept apart and is no label.

    >>> task_success(True)
    1.0
    """
    return float(task_success)
