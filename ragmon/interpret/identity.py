"""Whose request it is: pipeline, version, the application's own id."""

from collections.abc import Iterator
from typing import Final

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.scope import Scope
from ragmon.model.span import Attributes

UNKNOWN: Final = "unknown"


def pipeline(scope: Scope) -> str:
    """`ragmon.pipeline` of any span or its resource, else the service's name, else unknown."""
    return (
        _first(scope, semconv.PIPELINE)
        or next((name for resource in _resources(scope) if (name := _service(resource))), None)
        or UNKNOWN
    )


def pipeline_version(scope: Scope) -> str | None:
    """`ragmon.pipeline_version` of any span or its resource."""
    return _first(scope, semconv.PIPELINE_VERSION)


def request_id(scope: Scope) -> str | None:
    """The application's own id of the request, from any of its spans."""
    ids = (scalars.identifier(node.span.attributes.get(semconv.REQUEST_ID)) for node in scope.nodes)
    return next(filter(None, ids), None)


def _service(resource: Attributes) -> str | None:
    return scalars.name(resource.get(semconv.SERVICE_NAME))


def _first(scope: Scope, key: str) -> str | None:
    """The request span's own value first, then that of the others in order."""
    for node in scope.nodes:
        found = scalars.name(node.span.attributes.get(key))
        if found is not None:
            return found
    return next(filter(None, (scalars.name(fields.get(key)) for fields in _resources(scope))), None)


def _resources(scope: Scope) -> Iterator[Attributes]:
    """The resources of the spans; most share one."""
    last: Attributes | None = None
    for node in scope.nodes:
        if node.span.resource is not last:
            last = node.span.resource
            yield last
