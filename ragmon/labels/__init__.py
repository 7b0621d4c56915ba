"""Gold labels: reading them, the keys by which they are matched, joining them to requests."""

from ragmon.labels.join import join, join_run
from ragmon.labels.keys import match_keys, query_name, run_keys, trace_keys
from ragmon.labels.parse import LabelError, parse_label

__all__ = [
    "LabelError",
    "join",
    "join_run",
    "match_keys",
    "parse_label",
    "query_name",
    "run_keys",
    "trace_keys",
]
