from dataclasses import replace

import httpx
import pytest

from ragmon.demo.gold import Gold
from ragmon.demo.labels import LabelCounts, LabelPoster, query_label, request_label
from ragmon.demo.questions import Evidence, Question, QuestionKind
from ragmon.labels.parse import parse_label
from ragmon.model.gold import GoldField, TargetKind

ANSWERED = Gold(
    Question("Why?", QuestionKind.HOW, (Evidence("t", "a", "b"),), ("So.",)),
    relevant_ids=("t#0", "t#1"),
    evidence=(("t", "a and b"),),
    not_found=(),
)
UNFOUND = Gold(ANSWERED.question, (), (), ANSWERED.question.evidence)
UNANSWERABLE = Gold(Question("Who?", QuestionKind.UNANSWERABLE, (), ()), (), (), ())


def fields(gold: Gold) -> dict[GoldField, str]:
    posted = request_label(gold, "r-1", "p")
    return {label.field: label.value for label in parse_label(posted, received_ns=0)}


def test_a_request_label_names_the_request() -> None:
    """The processor reads the app's own request id as the target, in the demo's pipeline."""
    label = parse_label(request_label(ANSWERED, "r-1", "p"), received_ns=0)[0]
    assert (TargetKind.REQUEST_ID, "r-1") == label.key
    assert ("p", "demo") == (label.pipeline, label.annotator)


def test_a_query_label_names_the_question() -> None:
    """A standing label is on the words of the question."""
    label = parse_label(query_label(ANSWERED, "p"), received_ns=0)[0]
    assert (TargetKind.QUERY, "why") == label.key


def test_a_label_carries_all_gold_of_the_question() -> None:
    """Relevant passages, evidence, answers, and that there is an answer."""
    assert {
        GoldField.ANSWERABLE: "true",
        GoldField.RELEVANT_IDS: '{"t#0":1.0,"t#1":1.0}',
        GoldField.EXPECTED_EVIDENCE: '[{"document":"t","text":"a and b"}]',
        GoldField.REFERENCE_ANSWERS: '["So."]',
    } == fields(ANSWERED)


def test_evidence_that_was_not_found_is_not_labelled() -> None:
    """Half of the gold would make recall look better or worse than it is."""
    half = replace(ANSWERED, not_found=ANSWERED.question.evidence)
    for gold in (UNFOUND, half):
        assert {GoldField.ANSWERABLE, GoldField.REFERENCE_ANSWERS} == set(fields(gold))


def test_an_unanswerable_question_is_labelled_so() -> None:
    """There is nothing to find and nothing to say, and the label says that."""
    assert {GoldField.ANSWERABLE: "false"} == fields(UNANSWERABLE)


def test_every_label_of_the_demo_is_accepted(golds: tuple[Gold, ...]) -> None:
    """The processor's reader takes all of them."""
    for gold in golds:
        assert parse_label(request_label(gold, "r-1", "p"), received_ns=0)
        assert parse_label(query_label(gold, "p"), received_ns=0)


def poster(*replies: int | Exception, naps: list[float]) -> LabelPoster:
    """A poster whose processor answers with these, in turn."""
    turns = iter(replies)

    def reply(request: httpx.Request) -> httpx.Response:
        turn = next(turns)
        if isinstance(turn, Exception):
            raise turn
        return httpx.Response(turn, request=request)

    transport = httpx.MockTransport(reply)
    return LabelPoster(httpx.Client(transport=transport, base_url="http://here"), naps.append)


@pytest.mark.parametrize(
    ("replies", "counts", "waits"),
    [
        ((200,), LabelCounts(accepted=1), 0),
        ((503, 200), LabelCounts(accepted=1), 1),
        ((httpx.ConnectError("gone"), 429, 200), LabelCounts(accepted=1), 2),
        ((503, 503, 503), LabelCounts(undelivered=1), 2),
        ((400,), LabelCounts(refused=1), 0),
    ],
)
def test_a_label_is_tried_again_where_that_may_help(
    replies: tuple[int | Exception, ...], counts: LabelCounts, waits: int
) -> None:
    """Busy or absent: three tries; refused: once. Each label ends in one count."""
    naps: list[float] = []
    tried = poster(*replies, naps=naps)
    tried.post({"request_id": "r-1"})
    assert (counts, waits) == (tried.counts, len(naps))
