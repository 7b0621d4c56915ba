from typing import Any

import pytest

import ragmon
from tests.capture.conftest import Spans


def test_decorator_option_names_a_path(spans: Spans) -> None:
    """An option may lead from a parameter to a field in it."""

    @ragmon.request(query="body.turns.last", request_id="body.id")
    def answer(body: dict[str, Any]) -> str:
        return "a"

    answer({"id": 7, "turns": {"last": "why?"}})
    assert spans.only()["ragmon.query"] == "why?"
    assert spans.only()["ragmon.request_id"] == "7"


def test_decorator_option_in_keywords(spans: Spans) -> None:
    """An option may name something that only arrives among `**kwargs`."""

    @ragmon.retrieval(query="wanted")
    def search(**kwargs: str) -> list[str]:
        return []

    search(wanted="w")
    assert spans.only()["gen_ai.retrieval.query.text"] == "w"


def test_decorator_option_fits_nothing() -> None:
    """An option that names no parameter is a fault of the developer's, told in strict mode."""
    with pytest.raises(TypeError, match="query='qery' names no parameter"):
        ragmon.retrieval(query="qery")(lambda query: [query])


def test_decorator_result_option(spans: Spans) -> None:
    """`result` takes what the function returns to what the stage returns."""

    @ragmon.retrieval(result=lambda reply: reply["deep"]["list"])
    def search(query: str) -> dict[str, Any]:
        return {"deep": {"list": [{"id": "a", "text": "t"}]}}

    search("q")
    assert spans.only()["ragmon.documents.id"] == ("a",)


def test_decorator_model_by_parameter_or_name(spans: Spans) -> None:
    """`model` names a parameter if there is one of that name, else the model itself."""
    ragmon.generation(model="llm")(lambda prompt, llm: prompt)("p", "small")
    ragmon.generation(model="large")(lambda prompt: prompt)("p")
    models = [(span.attributes or {})["gen_ai.request.model"] for span in spans.all()]
    assert models == ["small", "large"]
