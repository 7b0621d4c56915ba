"""The texts of one record: equal ones are one object, and ids stand for texts."""

from collections.abc import Iterable, Sequence

from ragmon.interpret.meaning import RawDocument, RawDocuments, SpanMeaning
from ragmon.interpret.tree import Node
from ragmon.model.record import Document
from ragmon.text import Text


class Texts:
    """Turns what spans carry into texts, each tokenised at most once for the whole record.

    A document's text crosses the wire once per request; later spans name it by its id.
    """

    __slots__ = ("_by_id", "_known", "_nodes")

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = nodes
        self._known: dict[str, Text] = {}
        self._by_id: dict[str, str] | None = None

    def text(self, raw: str | None) -> Text | None:
        """The one text object of the record with these characters."""
        if raw is None:
            return None
        known = self._known.get(raw)
        if known is None:
            known = self._known[raw] = Text(raw)
        return known

    def documents(self, documents: RawDocuments | None) -> tuple[Document, ...] | None:
        """Documents with their texts, resolved by id where they crossed earlier."""
        if documents is None:
            return None
        text, raw_text = self.text, self.raw_text
        return tuple(
            [Document(raw.id, text(raw.text or raw_text(raw)), raw.score) for raw in documents]
        )

    def raw_text(self, document: RawDocument) -> str | None:
        """The text of a document, its own or that of the first with its id."""
        if document.text or document.id is None:
            return document.text
        if self._by_id is None:
            self._by_id = _first_texts(self._nodes)
        return self._by_id.get(document.id, document.text)


def _first_texts(nodes: Iterable[Node]) -> dict[str, str]:
    first: dict[str, str] = {}
    # From the last to the first, so that the first to name an id is the one that stays.
    for node in sorted(filter(_has_documents, nodes), key=lambda node: node.finish, reverse=True):
        for documents in reversed(_lists(node.meaning)):
            if documents:
                first.update(
                    [
                        (id_, text)
                        for id_, text, _ in reversed(documents)
                        if text and id_ is not None
                    ]
                )
    return first


def _lists(meaning: SpanMeaning) -> Sequence[RawDocuments | None]:
    return (meaning.input_documents, meaning.documents, meaning.context)


def _has_documents(node: Node) -> bool:
    meaning = node.meaning
    return bool(meaning.documents or meaning.input_documents or meaning.context)
