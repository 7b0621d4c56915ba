"""Whose request or run it is: pipeline, version, the application's own id."""

from collections.abc import Sequence
from typing import Final

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.tree import Node
from ragmon.model.canary import of_users
from ragmon.model.span import Attributes

UNKNOWN: Final = "unknown"
LONGEST: Final = 256
"""Characters of a pipeline's name; a longer one is cut, and ends with the truncation mark."""


def pipeline(nodes: Sequence[Node]) -> str:
    """`ragmon.pipeline` of any span or its resource, else the service's name, else unknown.

    nodes: the spans that may say it, in the order in which they are believed.
    """
    return own_pipeline(nodes) or _cut(
        _of_resources(nodes, semconv.PIPELINE)
        or _of_resources(nodes, semconv.SERVICE_NAME)
        or UNKNOWN
    )


def own_pipeline(nodes: Sequence[Node]) -> str | None:
    """`ragmon.pipeline` of the first span that has it."""
    name = attribute_of(nodes, semconv.PIPELINE)
    return None if name is None else _cut(name)


def _cut(name: str) -> str:
    if len(name) > LONGEST:
        mark = semconv.TRUNCATION_MARK
        name = name[: LONGEST - len(mark)] + mark
    return of_users(name)


def pipeline_version(nodes: Sequence[Node]) -> str | None:
    """`ragmon.pipeline_version` of any span or its resource."""
    version = semconv.PIPELINE_VERSION
    return attribute_of(nodes, version) or _of_resources(nodes, version)


def request_id(nodes: Sequence[Node]) -> str | None:
    """The application's own id of the request, from any of its spans."""
    return attribute_of(nodes, semconv.REQUEST_ID)


def attribute_of(nodes: Sequence[Node], key: str) -> str | None:
    """An attribute that names something, of the first span that has it."""
    for node in nodes:
        value = node.span.attributes.get(key)
        if value is not None and (found := scalars.identifier(value)) is not None:
            return found
    return None


def _of_resources(nodes: Sequence[Node], key: str) -> str | None:
    last: Attributes | None = None
    for node in nodes:
        if node.span.resource is not last:
            last = node.span.resource
            found = scalars.name(last.get(key))
            if found is not None:
                return found
    return None
