"""Gold labels: reading them, the keys by which they are matched, joining them to requests."""

from ragmon.labels.join import join, join_run
from ragmon.labels.keys import match_keys, run_keys
from ragmon.labels.parse import LabelError, parse_label, read_jsonl

__all__ = [
    "LabelError",
    "join",
    "join_run",
    "match_keys",
    "parse_label",
    "read_jsonl",
    "run_keys",
]
