"""What one body may cost, whatever it holds: tiny messages swell when they are parsed."""

from typing import Final

from ragmon.errors import TooLargeError

SPANS: Final = 200_000
"""Most spans of one body; a part of a span takes about 500 bytes beside its content."""

SPAN_BYTES: Final = 16 << 20
"""Largest span; of nothing but empty attributes it parses to twenty times its size."""

CONTEXT_BYTES: Final = 1 << 20
"""Largest resource with its scope: every trace of a body holds it."""

WHOLE_BYTES: Final = 1 << 20
"""Up to this size a protobuf body is parsed in one go, above it span by span."""

JSON_MEMORY_BYTES: Final = 512 << 20
"""Most memory that the objects of a JSON body may take."""

_OBJECT_BYTES, _LIST_BYTES, _VALUE_BYTES = 184, 64, 60
_MOST_SWELLING: Final = 100  # an object and a value every three characters take less


def check_json(content: bytes) -> None:
    """Refuse JSON whose many small objects would swell beyond the bound.

    Counting the structural characters, also those inside texts, gives an upper estimate.

    Raises:
        TooLargeError: the objects would take more than JSON_MEMORY_BYTES.
    """
    if len(content) * _MOST_SWELLING <= JSON_MEMORY_BYTES:
        return  # small enough whatever it holds
    estimate = (
        _OBJECT_BYTES * content.count(b"{")
        + _LIST_BYTES * content.count(b"[")
        + _VALUE_BYTES * content.count(b",")
    )
    if estimate > JSON_MEMORY_BYTES:
        raise TooLargeError("the JSON body has too many values; send smaller batches")
