"""When two queries are the same query."""

from ragmon.text.text import Text


def normalise_query(query: Text) -> str:
    """The word tokens of a query, joined by one space.

    >>> normalise_query(Text("  What is   RAG?"))
    'what is rag'
    """
    return " ".join(query.words)
