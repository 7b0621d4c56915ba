"""Whose request it is: pipeline, version, the application's own id."""

from typing import Final

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.scope import Scope
from ragmon.model.span import Attributes

UNKNOWN: Final = "unknown"


def pipeline(scope: Scope) -> str:
    """`ragmon.pipeline` of any span or its resource, else the service's name, else unknown."""
    return (
        _own(scope, semconv.PIPELINE)
        or _of_resources(scope, semconv.PIPELINE)
        or _of_resources(scope, semconv.SERVICE_NAME)
        or UNKNOWN
    )


def pipeline_version(scope: Scope) -> str | None:
    """`ragmon.pipeline_version` of any span or its resource."""
    return _own(scope, semconv.PIPELINE_VERSION) or _of_resources(scope, semconv.PIPELINE_VERSION)


def request_id(scope: Scope) -> str | None:
    """The application's own id of the request, from any of its spans."""
    return _own(scope, semconv.REQUEST_ID)


def _own(scope: Scope, key: str) -> str | None:
    """The request span's value, else that of the first span in order that has one."""
    for node in (*scope.request, *scope.nodes):
        value = node.span.attributes.get(key)
        if value is not None and (found := scalars.identifier(value)) is not None:
            return found
    return None


def _of_resources(scope: Scope, key: str) -> str | None:
    last: Attributes | None = None
    for node in (*scope.request, *scope.nodes):
        if node.span.resource is not last:
            last = node.span.resource
            found = scalars.name(last.get(key))
            if found is not None:
                return found
    return None
