"""Gold labels: reading them, the keys by which they are matched, joining them to requests."""

from ragmon.labels.join import join
from ragmon.labels.keys import match_keys
from ragmon.labels.parse import LabelError, parse_label, read_jsonl

__all__ = ["LabelError", "join", "match_keys", "parse_label", "read_jsonl"]
