import pytest

import ragmon
from tests.capture.conftest import Spans

DOCUMENTS = [{"id": "a", "text": "Alpha"}, {"id": "b", "text": "Beta"}]


@ragmon.retrieval
def search(query: str) -> list[dict[str, str]]:
    return DOCUMENTS


@ragmon.reranking
def rerank(query: str, documents: list[dict[str, str]]) -> list[dict[str, str]]:
    return documents[::-1]


@ragmon.augmentation
def build(question: str, documents: list[dict[str, str]]) -> tuple[str, list[dict[str, str]]]:
    return "P", documents[:1]


def test_text_crosses_once(spans: Spans) -> None:
    """Within a request the texts cross with the first list, and later lists send ids only."""

    @ragmon.request
    def answer(question: str) -> str:
        return build(question, rerank(question, search(question)))[0]

    answer("q")
    assert spans.attributes("retrieval")["ragmon.documents.text"] == ("Alpha", "Beta")
    for stage in ("reranking", "augmentation"):
        attributes = spans.attributes(stage)
        assert attributes["ragmon.input_documents.id"]
        assert attributes["ragmon.documents.id"]
        assert not [name for name in attributes if name.endswith("documents.text")]


def test_text_crosses_again_in_another_request(spans: Spans) -> None:
    """Another request sends its texts anew, and so does a stage outside of any."""
    answer = ragmon.request(search)
    answer("q")
    answer("q")
    search("q")
    texts = [
        (span.attributes or {}).get("ragmon.documents.text")
        for span in spans.all()
        if span.name.startswith("retrieval")
    ]
    assert texts == [("Alpha", "Beta")] * 3


def test_text_that_changed_crosses_again(spans: Spans) -> None:
    """A list with a new text, or an id that stands for two, sends its texts."""

    @ragmon.request
    def answer(question: str) -> None:
        rerank(question, [{"id": "a", "text": "two"}, {"id": "a", "text": "one"}])
        build(question, [{"id": "a", "text": "two"}])

    answer("q")
    assert spans.attributes("reranking")["ragmon.input_documents.text"] == ("two", "one")
    assert spans.attributes("augmentation")["ragmon.input_documents.text"] == ("two",)


def test_text_without_id_crosses_each_time(spans: Spans) -> None:
    """Documents without an id cannot be referred to: their texts are always sent."""

    @ragmon.request
    def answer(question: str) -> None:
        ragmon.reranking(lambda documents: documents)(["x"])

    answer("q")
    assert spans.attributes("reranking")["ragmon.input_documents.text"] == ("x",)
    assert spans.attributes("reranking")["ragmon.documents.text"] == ("x",)


def test_text_over_its_bound(spans: Spans) -> None:
    """A text over the bound is cut with a mark, and its length is recorded."""
    ragmon.configure(tracer_provider=spans.provider, max_text_chars=20)
    ragmon.generation(lambda prompt: "short")("p" * 50)
    attributes = spans.only()
    assert attributes["ragmon.prompt"] == "p" * 10 + "…truncated"
    assert attributes["ragmon.truncated"] == ("ragmon.prompt=50",)
    assert attributes["ragmon.answer"] == "short"


def test_text_of_documents_over_their_bound(spans: Spans) -> None:
    """Of a list only the texts that are too long are cut."""
    ragmon.configure(tracer_provider=spans.provider, max_text_chars=20)
    ragmon.retrieval(lambda: ["x" * 20, "y" * 21])()
    attributes = spans.only()
    assert attributes["ragmon.documents.text"] == ("x" * 20, "y" * 10 + "…truncated")
    assert attributes["ragmon.truncated"] == ("ragmon.documents.text=21",)


def test_text_of_a_whole_list_is_bounded(spans: Spans) -> None:
    """A list carries at most 16 texts of full length; the rest is cut away, and says so."""
    ragmon.configure(tracer_provider=spans.provider, max_text_chars=100)
    ragmon.retrieval(lambda: ["x" * 100] * 20)()
    texts = spans.only()["ragmon.documents.text"]
    assert texts == ("x" * 100,) * 16 + ("…truncated",) * 4
    assert len(spans.only()["ragmon.truncated"]) == 4


def test_text_off(spans: Spans) -> None:
    """With content off no text crosses, each is named as masked, ids and scores stay."""
    ragmon.configure(tracer_provider=spans.provider, content="off")

    @ragmon.request
    def answer(question: str, request_id: str) -> str:
        found = search(question)
        ragmon.generation(lambda prompt: "secret answer")("secret prompt")
        with pytest.raises(ValueError, match="secret"):
            ragmon.generation(name="generation failing")(_fail)("secret prompt")
        return build(question, found)[0]

    answer("secret question", "r-1")
    assert spans.attributes("request")["ragmon.masked"] == ("ragmon.query", "ragmon.answer")
    assert spans.attributes("request")["ragmon.request_id"] == "r-1"
    retrieval = spans.attributes("retrieval")
    assert retrieval["ragmon.documents.id"] == ("a", "b")
    assert retrieval["ragmon.documents.count"] == 2
    assert retrieval["ragmon.masked"] == (
        "gen_ai.retrieval.query.text",
        "ragmon.documents.text",
    )
    everything = "".join(span.to_json() for span in spans.all())
    assert not [text for text in ("secret", "Alpha", "Beta") if text in everything]


def _fail(prompt: str) -> str:
    raise ValueError(prompt)


def test_text_unknown_content_setting(spans: Spans, caplog: pytest.LogCaptureFixture) -> None:
    """A content setting that is none withholds texts, and says so."""
    ragmon.configure(tracer_provider=spans.provider, content="offf")  # type: ignore[arg-type]
    search("q")
    assert "ragmon.documents.text" not in spans.only()
    assert ["content='offf' is none of on, off: content is withheld"] == caplog.messages


def test_text_absent_empty_masked(spans: Spans) -> None:
    """An answer may be absent, empty or masked, and the three are told apart."""
    ragmon.generation(lambda: None)()
    ragmon.generation(lambda: "")()
    ragmon.configure(tracer_provider=spans.provider, content="off")
    ragmon.generation(lambda: "x")()
    absent, empty, masked = (dict(span.attributes or {}) for span in spans.all())
    assert (absent.get("ragmon.answer"), absent.get("ragmon.masked")) == (None, None)
    assert (empty.get("ragmon.answer"), empty.get("ragmon.masked")) == ("", None)
    assert (masked.get("ragmon.answer"), masked.get("ragmon.masked")) == (None, ("ragmon.answer",))


def test_text_with_surrogates(spans: Spans) -> None:
    """A text that UTF-8 cannot carry is mended, not sent to fail a whole batch."""
    ragmon.generation(lambda prompt: prompt)("é\ud800")
    assert spans.only()["ragmon.prompt"] == "é?"
