"""Embedding: are the vectors sound, and do they find what they should?"""

from ragmon.metrics.declare import stage

metric = stage("embedding")
