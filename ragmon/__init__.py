"""Capture for RAG applications: decorators that make OpenTelemetry spans of RAG stages.

    import ragmon

    ragmon.configure(service="helpdesk", endpoint="http://localhost:4318")

    @ragmon.retrieval
    def search(query: str, top_k: int = 10) -> list[Document]: ...

    @ragmon.generation
    def generate(prompt: str) -> str: ...

    @ragmon.request
    def answer(question: str) -> str: ...

Everything public stands in `__all__`; importing it loads OpenTelemetry's API and nothing
heavier. What receives and measures the spans is `ragmon serve`.
"""

from ragmon._version import __version__ as __version__
from ragmon.capture.answering import augmentation, generation, request, reranking, retrieval
from ragmon.capture.blocks import span
from ragmon.capture.configure import configure, flush, shutdown
from ragmon.capture.indexing import chunking, embedding
from ragmon.capture.labelling import label
from ragmon.capture.notes import annotate
from ragmon.capture.propagate import propagate
from ragmon.capture.rating import feedback

__all__ = [
    "annotate",
    "augmentation",
    "chunking",
    "configure",
    "embedding",
    "feedback",
    "flush",
    "generation",
    "label",
    "propagate",
    "request",
    "reranking",
    "retrieval",
    "shutdown",
    "span",
]
