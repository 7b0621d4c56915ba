"""BM25 over the passages of CLAP-NQ, and what the metrics say of it and of the gold answers.

    RAGMON_SHARED=/path/to/shared python -m tools.clapnq

reads `data/clapnq/*.jsonl` below the folder and prints the tables of docs/clapnq.md. Every
number is the same on each run.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from ragmon.evaluate import evaluate
from ragmon.metrics.generation import context_grounding, unsupported_number_rate
from ragmon.summary.report import Report
from ragmon.text import Text
from ragmon.text.abstention import Decision, decide
from ragmon.text.content_words import content_words

K: Final = 5
Metric: TypeAlias = Callable[[Text, tuple[Text, ...]], float | None]


@dataclass(frozen=True)
class Question:
    """One question with the one passage that belongs to it.

    evidence: sentences of the passage that hold the answer. answers: none where the passage
    does not answer it.
    """

    id: str
    text: str
    passage_id: str
    evidence: tuple[str, ...]
    answers: tuple[str, ...]


def main() -> None:
    """Print every table."""
    folder = os.environ.get("RAGMON_SHARED")
    if not folder:
        sys.exit("RAGMON_SHARED must name the folder that holds data/clapnq")
    passages: dict[str, str] = {}
    questions = list(_questions(Path(folder) / "data" / "clapnq", passages))
    answered = [question for question in questions if question.answers]
    found = _search(passages, answered)
    print(f"{len(passages)} passages, {len(answered)} answered questions, BM25, K = {K}\n")
    _print_report(_evaluate(passages, answered, found))
    _print_grounding(passages, answered, found)
    _print_abstention(answered)


def _questions(folder: Path, passages: dict[str, str]) -> Iterator[Question]:
    """Every question; fills the passages, equal texts once."""
    ids: dict[str, str] = {}
    for name in ("answerable", "unanswerable"):
        path = folder / f"clapnq_dev_{name}.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            text = row["passages"][0]["text"]
            passage_id = ids.setdefault(text, row["id"])
            passages[passage_id] = text
            yield _question(row, passage_id)


def _question(row: Mapping[str, Any], passage_id: str) -> Question:
    outputs = [output for output in row["output"] if output["answer"]]
    evidence = dict.fromkeys(
        sentence for output in outputs for sentence in output["selected_sentences"]
    )
    answers = tuple(output["answer"] for output in outputs)
    return Question(row["id"], row["input"], passage_id, tuple(evidence), answers)


def _terms(text: str) -> list[str]:
    return sorted(content_words(Text(text).word_set))


def _search(passages: Mapping[str, str], questions: Sequence[Question]) -> list[list[str]]:
    """Per question the ids of the K best passages."""
    ids = list(passages)
    index = BM25Okapi([_words(text) for text in passages.values()])
    found = []
    for question in questions:
        scores = index.get_scores(_terms(question.text))
        found.append([ids[place] for place in np.argsort(-scores, kind="stable")[:K]])
    return found


def _words(text: str) -> list[str]:
    return list(Text(text).words)


def _evaluate(
    passages: Mapping[str, str], questions: Sequence[Question], found: Sequence[list[str]]
) -> Report:
    """Retrieval, context and the gold answers over what was found."""
    corpus = [
        {"document_id": id_, "text": text, "chunks": [{"id": id_, "start": 0, "end": len(text)}]}
        for id_, text in passages.items()
    ]
    rows = [_row(passages, *pair) for pair in zip(questions, found, strict=True)]
    return evaluate(rows, k=K, corpus=corpus, title="CLAP-NQ")


def _row(passages: Mapping[str, str], question: Question, ids: list[str]) -> dict[str, Any]:
    return {
        "query_id": question.id,
        "query": question.text,
        "retrieved_ids": ids,
        "relevant_ids": [question.passage_id],
        "context_ids": ids,
        "context": [passages[id_] for id_ in ids],
        "expected_evidence": [
            {"text": sentence, "document": question.passage_id} for sentence in question.evidence
        ],
        "answer": question.answers[0],
    }


def _print_report(report: Report) -> None:
    print("| metric | value | queries |\n|---|--:|--:|")
    for stage in report.stages:
        for metric in stage.metrics:
            if metric.value is not None:
                print(f"| {metric.key} | {metric.value:.3f} | {metric.count} |")
    print()


def _print_grounding(
    passages: Mapping[str, str], questions: Sequence[Question], found: Sequence[list[str]]
) -> None:
    """How well grounding tells the answer to a question from the answer to another one."""
    contexts = {
        "the gold passage": [[passages[question.passage_id]] for question in questions],
        f"BM25's first {K}": [[passages[id_] for id_ in ids] for ids in found],
    }
    answers = [question.answers[0] for question in questions]
    others = [*answers[1:], answers[0]]
    print("| context | metric | own answer | another's answer | AUROC |\n|---|---|--:|--:|--:|")
    for name, texts in contexts.items():
        own, other = (_measured(context_grounding, one, texts) for one in (answers, others))
        print(_compared(name, "context_grounding", own, other, auroc(own, other)))
        own, other = (_measured(unsupported_number_rate, one, texts) for one in (answers, others))
        print(_compared(name, "unsupported_number_rate", own, other, auroc(other, own)))
    print()


def _measured(metric: Metric, answers: Sequence[str], contexts: Sequence[list[str]]) -> list[float]:
    values = (
        metric(Text(answer), tuple(map(Text, context)))
        for answer, context in zip(answers, contexts, strict=True)
    )
    return [value for value in values if value is not None]


def auroc(high: Sequence[float], low: Sequence[float]) -> float:
    """Chance that a value of the first exceeds one of the second, ties half."""
    first: NDArray[np.float64] = np.array(high)[:, None]
    second: NDArray[np.float64] = np.array(low)[None, :]
    return float(np.mean((first > second) + 0.5 * (first == second)))


def _compared(
    context: str, metric: str, own: Sequence[float], other: Sequence[float], area: float
) -> str:
    return f"| {context} | {metric} | {fmean(own):.3f} | {fmean(other):.3f} | {area:.3f} |"


def _print_abstention(questions: Sequence[Question]) -> None:
    decisions = [decide(Text(question.answers[0])) for question in questions]
    kept = sum(decision in (Decision.ANSWER, Decision.PARTIAL) for decision in decisions)
    print(f"{kept} of {len(decisions)} gold answers are taken for answers.")


if __name__ == "__main__":
    main()
