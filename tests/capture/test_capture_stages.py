from dataclasses import dataclass, field
from typing import Any

import ragmon
from tests.capture.conftest import Spans

DOCUMENTS = [{"id": "a", "text": "Alpha", "score": 0.9}, {"id": "b", "text": "Beta", "score": 0.5}]


def test_stage_retrieval(spans: Spans) -> None:
    """Retrieval carries query, top_k, data source and the list as parallel arrays."""

    @ragmon.retrieval(data_source="handbook")
    def search(query: str, top_k: int) -> list[dict[str, object]]:
        return DOCUMENTS

    search("q", 2)
    assert spans.only() == {
        "gen_ai.retrieval.query.text": "q",
        "gen_ai.retrieval.top_k": 2,
        "gen_ai.data_source.id": "handbook",
        "ragmon.documents.count": 2,
        "ragmon.documents.id": ("a", "b"),
        "ragmon.documents.score": (0.9, 0.5),
        "ragmon.documents.text": ("Alpha", "Beta"),
        "ragmon.stage": "retrieval",
        "gen_ai.operation.name": "retrieval",
    }


def test_stage_empty_list_is_not_absent(spans: Spans) -> None:
    """An empty list is recorded as empty; None is not recorded at all."""
    ragmon.retrieval(list)()
    ragmon.retrieval(lambda: None)()
    empty, absent = (dict(span.attributes or {}) for span in spans.all())
    assert empty["ragmon.documents.id"] == ()
    assert empty["ragmon.documents.count"] == 0
    assert "ragmon.documents.id" not in absent


def test_stage_reranking(spans: Spans) -> None:
    """Reranking carries what it was given, before the call, and what it returned."""

    @ragmon.reranking
    def rerank(query: str, documents: list[Any]) -> list[Any]:
        documents.reverse()
        return documents[:1]

    rerank("q", list(DOCUMENTS))
    attributes = spans.only()
    assert attributes["ragmon.query"] == "q"
    assert attributes["ragmon.input_documents.id"] == ("a", "b")
    assert attributes["ragmon.input_documents.text"] == ("Alpha", "Beta")
    assert attributes["ragmon.documents.id"] == ("b",)
    assert attributes["ragmon.documents.score"] == (0.5,)


@dataclass
class Packed:
    prompt: str
    documents: list[dict[str, object]] = field(default_factory=lambda: list(DOCUMENTS))


def test_stage_augmentation_forms(spans: Spans) -> None:
    """A prompt builder may return the prompt, its documents, or both, in several forms."""
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
    forms: list[tuple[Any, str | None, tuple[str, ...] | None]] = [
        ("P", "P", None),
        (messages, "S\nU", None),
        (DOCUMENTS, None, ("a", "b")),
        (("P", DOCUMENTS), "P", ("a", "b")),
        ({"prompt": "P", "documents": DOCUMENTS}, "P", ("a", "b")),
        (Packed("P"), "P", ("a", "b")),
        ({"messages": messages}, "S\nU", None),
    ]
    for form, _, _ in forms:
        ragmon.augmentation(lambda form=form: form)()
    read = [
        (
            (span.attributes or {}).get("ragmon.prompt"),
            (span.attributes or {}).get("ragmon.documents.id"),
        )
        for span in spans.all()
    ]
    assert read == [(prompt, ids) for _, prompt, ids in forms]


def test_stage_augmentation_budget(spans: Spans) -> None:
    """The context's budget is a parameter or a number."""

    @ragmon.augmentation
    def build(question: str, documents: list[str], max_context_tokens: int = 100) -> str:
        return question

    build("q", ["x"])
    ragmon.augmentation(max_context_tokens=50)(lambda question: question)("q")
    budgets = [(span.attributes or {})["ragmon.max_context_tokens"] for span in spans.all()]
    assert budgets == [100, 50]


def test_stage_generation(spans: Spans) -> None:
    """Generation carries prompt, answer and the model asked for."""

    @ragmon.generation
    def generate(prompt: str, model: str = "small") -> str:
        return "An answer."

    generate("P")
    assert spans.only() == {
        "ragmon.prompt": "P",
        "gen_ai.request.model": "small",
        "ragmon.answer": "An answer.",
        "ragmon.stage": "generation",
        "gen_ai.operation.name": "chat",
    }


@dataclass
class Message:
    content: str


@dataclass
class Choice:
    message: Message
    finish_reason: str = "stop"


@dataclass
class Usage:
    prompt_tokens: int
    completion_tokens: int


@dataclass
class Completion:
    choices: list[Choice]
    usage: Usage
    model: str = "small-2"


def test_stage_generation_completion(spans: Spans) -> None:
    """Answer, tokens, model and finish reason are read from a chat completion."""
    completion = Completion([Choice(Message("Yes."))], Usage(10, 2))
    ragmon.generation(lambda messages: completion)([{"role": "user", "content": "Is it?"}])
    attributes = spans.only()
    assert attributes["ragmon.prompt"] == "Is it?"
    assert attributes["ragmon.answer"] == "Yes."
    assert attributes["gen_ai.usage.input_tokens"] == 10
    assert attributes["gen_ai.usage.output_tokens"] == 2
    assert attributes["gen_ai.response.model"] == "small-2"
    assert attributes["gen_ai.response.finish_reasons"] == ("stop",)


def test_stage_generation_answer_forms(spans: Spans) -> None:
    """Answers are found in mappings, messages, content blocks and pairs; else not captured."""
    forms: list[tuple[Any, str | None]] = [
        ({"answer": "A"}, "A"),
        (Message("B"), "B"),
        ({"content": [{"type": "text", "text": "C"}, {"type": "text", "text": "D"}]}, "CD"),
        (("E", {"cost": 1}), "E"),
        ("", ""),
        (object(), None),
        (None, None),
    ]
    for form, _ in forms:
        ragmon.generation(lambda form=form: form)()
    answers = [(span.attributes or {}).get("ragmon.answer") for span in spans.all()]
    assert answers == [answer for _, answer in forms]


def test_stage_request(spans: Spans) -> None:
    """A request carries query, answer and the application's own ids."""

    @ragmon.request
    def answer(question: str, request_id: str, conversation_id: int) -> dict[str, str]:
        return {"answer": "A", "other": "x"}

    answer("q", "r-1", 5)
    assert spans.only() == {
        "ragmon.query": "q",
        "ragmon.request_id": "r-1",
        "gen_ai.conversation.id": "5",
        "ragmon.answer": "A",
        "ragmon.stage": "request",
    }


def test_stage_chunking(spans: Spans) -> None:
    """Chunking carries its source and its chunks, streamed or not."""

    @ragmon.chunking
    def split(document: dict[str, str]) -> Any:
        yield {"chunk_id": "d-0", "text": "Al"}
        yield {"chunk_id": "d-1", "text": "pha"}

    chunks = list(split({"id": "d", "text": "Alpha"}))
    assert [chunk["text"] for chunk in chunks] == ["Al", "pha"]
    attributes = spans.only()
    assert attributes["ragmon.source.id"] == "d"
    assert attributes["ragmon.source.text"] == "Alpha"
    assert attributes["ragmon.documents.id"] == ("d-0", "d-1")
    assert attributes["ragmon.documents.text"] == ("Al", "pha")


def test_stage_embedding(spans: Spans) -> None:
    """Embedding carries model and dimension, and neither texts nor vectors."""

    class Matrix:
        shape = (3, 8)

    for vectors in ([[0.1, 0.2]], [0.1, 0.2, 0.3], Matrix(), []):
        ragmon.embedding(model="e")(lambda texts, vectors=vectors: vectors)(["t"])
    found = [dict(span.attributes or {}) for span in spans.all()]
    sizes = [attributes.get("gen_ai.embeddings.dimension.count") for attributes in found]
    assert sizes == [2, 3, 8, None]
    assert set(found[0]) == {
        "gen_ai.request.model",
        "gen_ai.embeddings.dimension.count",
        "ragmon.stage",
        "gen_ai.operation.name",
    }
