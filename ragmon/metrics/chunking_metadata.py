"""Chunking: can every chunk be traced to its source?"""

from collections.abc import Mapping
from statistics import fmean

from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit

metric = stage("chunking")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def metadata_completeness(
    chunk_metadata: tuple[Mapping[str, object], ...], required_keys: tuple[str, ...]
) -> float | None:
    """Share of the chunks that have a value for every required key.

        |{C : every key has a value}| / n

    chunk_metadata: (n,) of every chunk, once any of the run has metadata; without it none has.
    required_keys:  keys that each must have; None and "" are no values, 0 and False are.
    Returns:        ratio in [0, 1]; None where n = 0.
    Source:         ragmon.

    >>> metadata_completeness(({"page": 0}, {"page": ""}), ("page",))
    0.5
    """
    if not chunk_metadata:
        return None
    return fmean(
        all(_is_value(metadata.get(key)) for key in required_keys) for metadata in chunk_metadata
    )


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def metadata_accuracy(
    metadata_by_id: Mapping[str, Mapping[str, object]],
    expected_metadata: Mapping[str, Mapping[str, object]],
) -> float | None:
    """Share of the expected metadata values that the chunks have.

        |{(C, key) : value = expected}| / |expected|

    metadata_by_id:    chunk id -> key -> value; of a repeated id the first chunk counts.
    expected_metadata: the same, of gold. A chunk or key that is not there is wrong, and so is
                       3 for "3" and True for 1.
    Returns:           ratio in [0, 1]; None where nothing is expected.
    Source:            ragmon.

    >>> metadata_accuracy({"a": {"page": 3}}, {"a": {"page": 3, "file": "x"}})
    0.5
    """
    right = [
        key in found and _equal(found[key], value)
        for chunk_id, values in expected_metadata.items()
        for found in (metadata_by_id.get(chunk_id, {}),)
        for key, value in values.items()
    ]
    return fmean(right) if right else None


def _equal(found: object, expected: object) -> bool:
    """Whether two values are the same as JSON has them, where no truth value is a number."""
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(_equal, found, expected))
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        alike = found.keys() == expected.keys()
        return alike and all(_equal(one, expected[key]) for key, one in found.items())
    return found == expected


def _is_value(value: object) -> bool:
    return value is not None and not (isinstance(value, str) and value == "")
