"""What is to be erased, as it is posted."""

from collections.abc import Mapping
from typing import Any, Final

from ragmon.labels.fields import FieldError
from ragmon.labels.parse import LabelError, collect, optional_text, target_of, unknown_keys
from ragmon.model.erasure import DocumentTarget, ErasureTarget

_KEYS: Final = ("trace_id", "request_id", "query", "document_id", "pipeline")


def parse_erasure(posted: object) -> ErasureTarget:
    """Read one posted object: exactly one of trace_id, request_id, query and document_id.

    Raises:
        LabelError: with every fault of the object.
    """
    if not isinstance(posted, dict):
        raise LabelError(("what to erase must be a JSON object",))
    faults = unknown_keys(posted, _KEYS)
    target = collect(faults, _target, posted)
    if faults:
        raise LabelError(tuple(faults))
    found: ErasureTarget = target
    return found


def _target(posted: Mapping[str, Any]) -> ErasureTarget:
    named = [name for name in _KEYS[:-1] if name in posted]
    if len(named) != 1:
        raise FieldError(f"give exactly one of {', '.join(_KEYS[:-1])}")
    if named == ["document_id"]:
        return _document(posted)
    if "pipeline" in posted:
        raise FieldError("pipeline goes with document_id only")
    return target_of(posted)


def _document(posted: Mapping[str, Any]) -> DocumentTarget:
    document_id = optional_text(posted, "document_id")
    if document_id is None:
        raise FieldError("document_id must be a text")
    return DocumentTarget(document_id, optional_text(posted, "pipeline"))
