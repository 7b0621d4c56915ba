"""Chunking: does the split keep what belongs together?"""

from ragmon.metrics.declare import stage

metric = stage("chunking")
