"""Against libraries that others wrote, on random requests."""

import random
from collections.abc import Mapping

import numpy as np
import pytest
import pytrec_eval
from rouge_score import rouge_scorer

from ragmon.metrics import correctness, reranking, retrieval
from ragmon.text import Text
from ragmon.text.squad import squad_normalise

CASES = 150
IDS = [f"d{number}" for number in range(12)]
WORDS = ("alpha", "beta", "the", "a", "cat", "10", "well-known", "rate,", "Rate", "U.S.", "end")


def _request(seed: int) -> tuple[tuple[str, ...], dict[str, float], int]:
    """A ranking, grades of which one at least is above 0, and a cut-off."""
    chance = random.Random(seed)
    ranked = tuple(chance.sample(IDS, k=chance.randrange(1, len(IDS))))
    graded = chance.sample(IDS, k=chance.randrange(1, 7))
    return ranked, {one: float(chance.randrange(1, 4)) for one in graded}, chance.randrange(1, 9)


def _trec(ranked: tuple[str, ...], grades: Mapping[str, int], *measures: str) -> dict[str, float]:
    """What trec_eval says of one query; its order is that of the scores."""
    run = {"q": {found: float(-rank) for rank, found in enumerate(ranked)}}
    scores: dict[str, float] = pytrec_eval.RelevanceEvaluator(
        {"q": grades}, set(measures)
    ).evaluate(run)["q"]
    return scores


@pytest.mark.parametrize("seed", range(CASES))
def test_ranks_agree_with_trec_eval(seed: int) -> None:
    """Precision, recall, hit and reciprocal rank are trec_eval's; MAP but for its denominator."""
    ranked, grades, k = _request(seed)
    gold = frozenset(grades)
    said = _trec(
        ranked, dict.fromkeys(grades, 1), f"P.{k}", f"recall.{k}", f"success.{k}", f"map_cut.{k}"
    )
    first = _trec(ranked[:k], dict.fromkeys(grades, 1), "recip_rank")
    expected = {
        "precision": said[f"P_{k}"],
        "recall": said[f"recall_{k}"],
        "hit": said[f"success_{k}"],
        "map": said[f"map_cut_{k}"] * len(gold) / min(len(gold), k),
        "mrr": first["recip_rank"],
    }
    assert expected == pytest.approx(
        {
            "precision": retrieval.precision_at_k(ranked, gold, k=k),
            "recall": retrieval.recall_at_k(ranked, gold, k=k),
            "hit": retrieval.hit_at_k(ranked, gold, k=k),
            "map": retrieval.average_precision_at_k(ranked, gold, k=k),
            "mrr": retrieval.mrr_at_k(ranked, gold, k=k),
        }
    )


@pytest.mark.parametrize("seed", range(CASES))
def test_ndcg_agrees_with_trec_eval_on_exponential_grades(seed: int) -> None:
    """nDCG is trec_eval's where its grades are replaced by 2**grade - 1."""
    ranked, grades, k = _request(seed)
    gains = {found: round(2**grade - 1) for found, grade in grades.items()}
    said = _trec(ranked, gains, f"ndcg_cut.{k}")
    assert said[f"ndcg_cut_{k}"] == pytest.approx(retrieval.ndcg_at_k(ranked, grades, k=k))


@pytest.mark.parametrize("seed", range(CASES))
def test_rank_biased_overlap_is_its_sum(seed: int) -> None:
    """Two equally long lists: the sum over depths, and the last agreement for ever after."""
    chance = random.Random(seed)
    one, other = (chance.sample(IDS, k=8) for _ in range(2))
    depths = np.arange(1, 9)
    agreement = np.array([len({*one[:d]} & {*other[:d]}) / d for d in depths])
    expected = 0.1 / 0.9 * float(agreement @ 0.9**depths) + agreement[-1] * 0.9**8
    assert expected == pytest.approx(reranking.rank_biased_overlap(tuple(one), tuple(other)))


@pytest.mark.parametrize("seed", range(CASES))
def test_rouge_l_agrees_on_normalised_texts(seed: int) -> None:
    """ROUGE-L F1 is rouge-score's after both texts went through the SQuAD normalisation."""
    chance = random.Random(seed)
    answer, reference = (
        " ".join(chance.choices(WORDS, k=chance.randrange(1, 30))) for _ in range(2)
    )
    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    normal = [squad_normalise(text) for text in (reference, answer)]
    expected = scorer.score(*normal)["rougeL"].fmeasure if all(normal) else float(not any(normal))
    assert expected == pytest.approx(correctness.rouge_l_f1(Text(answer), (Text(reference),)))
