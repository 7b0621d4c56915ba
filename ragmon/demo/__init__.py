"""A small RAG service over Python's own reference, with traffic, labels and faults to watch.

The files `corpus retrieve rerank prompt generate app` are a service as a user would write
it, instrumented with ragmon's decorators; the others send it questions and look at what
the processor makes of them.
"""
