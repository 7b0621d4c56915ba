"""When two queries are the same query."""

from ragmon.text.tokens import word_tokens


def normalise_query(query: str) -> str:
    """The word tokens of a query, joined by one space.

    >>> normalise_query("  What is   RAG?")
    'what is rag'
    """
    return " ".join(word_tokens(query))
