"""Facts to results: the one verb. Pure; the only maker of results.

draft   union of spans -> decode -> interpret: what a trace says, before labels
settle  join -> measure: what comes of it with the labels and the corpus that stand now
seal    records reduced to what may be kept of them, from which they are settled again
"""

from ragmon.settle.drafting import TraceLimits, draft
from ragmon.settle.sealing import seal
from ragmon.settle.settling import record_keys, settle, wanted

__all__ = ["TraceLimits", "draft", "record_keys", "seal", "settle", "wanted"]
