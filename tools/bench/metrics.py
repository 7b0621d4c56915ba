"""What the metrics of one request cost, and the tokeniser, against floors and stock libraries.

Every ratio is of the best of several runs of CPU time, taken side by side in one process.
"""

import random
import re
import string
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import pytrec_eval
from rouge_score.rouge_scorer import RougeScorer

from ragmon.metrics.measure import measure
from ragmon.metrics.registry import Registry, build
from ragmon.metrics.spec import Needs
from ragmon.model.gold import Gold
from ragmon.model.record import ContextSource, Document, Outcome, RequestRecord
from ragmon.text import Text
from ragmon.text.abstention import decide
from ragmon.text.numbers import answer_numbers
from ragmon.text.squad import squad_tokens
from ragmon.text.tokens import word_tokens

_CHUNKS, _CHUNK_TOKENS, _ANSWER_TOKENS, _SHINGLE = 7, 150, 120, 8
_ROUNDS, _CALLS = 15, 40

_ENGLISH = """
    the of and to in a is that for it was on are as with at by from which be this retrieval
    context document system request answer model index query service latency number value
    language statement expression object function module class name scope type sequence first
    one two million percent Python Unicode import assignment evaluated returns raised every
"""
_HINDI = """
    यह एक दस्तावेज़ है जिसमें भाषा के वाक्य और विश्वविद्यालय की जानकारी लिखी गई हैं संख्या
"""


def main() -> None:
    """Print the ratios of performance.md that concern metrics."""
    rng = random.Random(7)
    chunks = [_sentence(rng, _ENGLISH, _CHUNK_TOKENS) for _ in range(_CHUNKS)]
    answer = " ".join(chunks[0].split()[:80] + _sentence(rng, _ENGLISH, 40).split())
    texts = [*chunks, answer]
    registry = _label_free(build())
    floor, ours = _best(lambda: _floor(texts), lambda: _measure(chunks, answer, registry))
    print(f"label-free metrics of one request: {ours:.0f} us, floor {floor:.0f} us", end="")
    print(f", x{ours / floor:.2f} of the floor (target: at most x2)")
    reference = " ".join(_sentence(rng, _ENGLISH, 60).split() + answer.split()[:40])
    stock, ours = _best(partial(_stock, answer, reference), partial(_judge, answer, reference))
    print(f"ROUGE-L, EM/F1, ranking: {ours:.0f} us, stock libraries {stock:.0f} us", end="")
    print(f", x{ours / stock:.3f} of them (target: at most x0.08)")
    english = _sentence(rng, _ENGLISH, 2000)
    quoted = english.replace("answer", "“answer”")
    hindi = _sentence(rng, _HINDI, 2000)
    for name, text, most in (
        ("ASCII", english, 0.35),
        ("quoted", quoted, 1.2),
        ("Devanagari", hindi, 1.2),
    ):
        reference, tokens = _best(partial(_reference, text), partial(word_tokens, text))
        print(
            f"tokeniser, {name}: x{tokens / reference:.2f} of the regex (target: at most x{most})"
        )


def _sentence(rng: random.Random, vocabulary: str, count: int) -> str:
    words = vocabulary.split()
    drawn = [
        rng.choice(words) if rng.random() > 0.03 else str(rng.randrange(3000)) for _ in range(count)
    ]
    return ", ".join(" ".join(drawn[start : start + 12]) for start in range(0, count, 12)) + "."


def _label_free(registry: Registry) -> Registry:
    wanted = [spec for spec in registry.metrics if spec.needs is Needs.LABEL_FREE]
    return Registry(wanted, (5,))


def _measure(chunks: Sequence[str], answer: str, registry: Registry) -> None:
    documents = tuple(
        Document(str(place), Text(chunk), 1 / (place + 1)) for place, chunk in enumerate(chunks)
    )
    said = Text(answer)
    decide(said, [Text(chunk) for chunk in chunks])
    record = RequestRecord(
        trace_id="0" * 32,
        span_id="0" * 16,
        span_ids=(),
        dialect="ragmon",
        pipeline="bench",
        event_ns=0,
        outcome=Outcome.ANSWERED,
        latency_s=1.0,
        query=Text("what is the value of a module in 2024"),
        retrieved=documents,
        reranked=documents,
        context=documents,
        context_source=ContextSource.PACKED,
        max_context_tokens=2000,
        answer=said,
        citations=("0", "3"),
    )
    measure(record, Gold(), registry)


def _floor(texts: Sequence[str]) -> None:
    for text in texts:
        words = word_tokens(text)
        frozenset(words)
        frozenset(squad_tokens(text))
        set(zip(*(words[start:] for start in range(_SHINGLE)), strict=False))
        answer_numbers(text)


_RANKED = ("precision", "recall", "f1", "mrr", "ndcg", "hit", "average_precision")
_JUDGED = {
    *(f"retrieval.{name}_at_k" for name in _RANKED),
    *(f"generation.{name}" for name in ("exact_match", "answer_f1", "rouge_l_f1")),
}
_REGISTRY = Registry([spec for spec in build().metrics if spec.key in _JUDGED], (5,))
_IDS = tuple(f"d{place}" for place in range(10))
_RELEVANT = {"d1": 2, "d4": 1, "d12": 1}


def _judge(answer: str, reference: str) -> None:
    """The metrics that have a stock library, as a request has them measured."""
    record = RequestRecord(
        trace_id="0" * 32,
        span_id="0" * 16,
        span_ids=(),
        dialect="ragmon",
        pipeline="bench",
        event_ns=0,
        outcome=Outcome.ANSWERED,
        retrieved=tuple(Document(found, None) for found in _IDS),
        answer=Text(answer),
    )
    gold = Gold(
        relevant={found: float(grade) for found, grade in _RELEVANT.items()},
        reference_answers=(Text(reference),),
    )
    measure(record, gold, _REGISTRY)


_ROUGE = RougeScorer(["rougeL"], use_stemmer=False)
_MEASURES = {"P.5", "recall.5", "success.5", "map_cut.5", "ndcg_cut.5", "recip_rank"}


def _stock(answer: str, reference: str) -> None:
    """The same by rouge-score, SQuAD's normalisation as published, and pytrec_eval."""
    _ROUGE.score(reference, answer)
    said, wanted = (_published_tokens(text) for text in (answer, reference))
    (Counter(said) & Counter(wanted)).total()
    run = {"q": {found: float(-rank) for rank, found in enumerate(_IDS)}}
    pytrec_eval.RelevanceEvaluator({"q": _RELEVANT}, _MEASURES).evaluate(run)


_PUNCTUATION = frozenset(string.punctuation)


def _published_tokens(text: str) -> list[str]:
    bare = "".join(letter for letter in text.lower() if letter not in _PUNCTUATION)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def _marks() -> str:
    """Every combining mark, neighbours joined to ranges, for a set of a pattern."""
    marks = {
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)).startswith("M")
    }
    starts = sorted(code for code in marks if code - 1 not in marks)
    ends = sorted(code for code in marks if code + 1 not in marks)
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


_REFERENCE = re.compile(rf"[\w{_marks()}]+")


def _reference(text: str) -> list[str]:
    return [unicodedata.normalize("NFC", word.lower()) for word in _REFERENCE.findall(text)]


def _best(*calls: Callable[[], object]) -> tuple[float, ...]:
    """The least CPU microseconds of a call of each, the calls taking turns."""
    least = [float("inf")] * len(calls)
    for _ in range(_ROUNDS):
        for place, call in enumerate(calls):
            start = time.process_time()
            for _ in range(_CALLS):
                call()
            least[place] = min(least[place], (time.process_time() - start) / _CALLS * 1e6)
    return tuple(least)


if __name__ == "__main__":
    main()
