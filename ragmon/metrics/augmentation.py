"""Augmentation: is the context that was packed into the prompt worth its tokens?"""

from typing import Final

from ragmon.metrics import kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.text import Text

metric = stage("augmentation")

_SHINGLE_TOKENS: Final = 8


@metric(unit=Unit.RATIO, better=Better.LOWER, on_hashes=True)
def duplicate_ratio_text(context_texts: tuple[Text, ...]) -> float | None:
    """Share of the context's tokens that repeat an earlier passage of it.

        |tokens in an 8-token shingle that came before in the context| / |tokens|

    context_texts: (n,) chunks of the context, in their order. A shingle stays within one
                   chunk; a chunk equal to an earlier one counts whole, however short.
    Returns:       ratio in [0, 1); None where the context has no word tokens.
    Source:        ragmon's counterpart of duplicate_ratio for requests whose sources are not
                   registered; shingles as in Broder 1997, On the Resemblance of Documents.

    >>> duplicate_ratio_text((Text("Alpha beta."), Text("Gamma."), Text("alpha, beta")))
    0.4
    """
    chunks = [chunk.words for chunk in context_texts]
    tokens = sum(map(len, chunks))
    return kernels.repeated_tokens(chunks, _SHINGLE_TOKENS) / tokens if tokens else None


@metric(unit=Unit.BINARY, better=Better.HIGHER, on_hashes=True)
def budget_compliant(packed_context_texts: tuple[Text, ...], max_context_tokens: int) -> float:
    """Whether the packed context fits its token budget.

        1 if |word tokens of the packed context| <= max_context_tokens else 0

    packed_context_texts: (n,) chunks that the prompt builder packed; a context taken from
                          anywhere else is missing here.
    max_context_tokens:   the budget in word tokens, inclusive.
    Returns:              0 or 1; never None, 1 for an empty context.
    Source:               the budget of the application itself.

    >>> budget_compliant((Text("Alpha beta gamma."), Text("Delta.")), 4)
    1.0
    """
    return float(sum(len(chunk.words) for chunk in packed_context_texts) <= max_context_tokens)


@metric(unit=Unit.COUNT, better=Better.NONE)
def packed_documents(packed_keys: tuple[str, ...]) -> float:
    """Number of different documents that were packed into the prompt.

        |{packed_keys}|, the third step of the evidence funnel

    packed_keys: (n,) the id of each packed document, its text where it has none; a repeat
                 counts once. A context taken from anywhere else is missing here.
    Returns:     count >= 0; never None.
    Source:      ragmon's evidence funnel: retrieved, reranked, packed, used.

    >>> packed_documents(("a", "b", "a"))
    2.0
    """
    return float(len(set(packed_keys)))
