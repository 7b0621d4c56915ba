"""Canaries: gold queries, sent to the user's own endpoint and measured like traffic.

template   the request of one query
schedule   which query is due when
marker     the span that says of a trace that no user sent it
send       one request over HTTP, and how it ended
prober     the threads that do it
"""

from ragmon.probe.prober import Canary, Prober, Sent
from ragmon.probe.template import RequestTemplate

__all__ = ["Canary", "Prober", "RequestTemplate", "Sent"]
