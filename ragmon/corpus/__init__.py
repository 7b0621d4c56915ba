"""Documents of the corpus from posted JSON."""

from ragmon.corpus.parse import DocumentError, PostedDocument, parse_document

__all__ = ["DocumentError", "PostedDocument", "parse_document"]
