"""Posted labels to gold labels, with every fault of a label named at once."""

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeGuard

from ragmon.errors import MalformedError
from ragmon.labels.fields import FIELDS, FieldError
from ragmon.model.gold import GoldField, GoldLabel, MatchKey, TargetKind
from ragmon.text import Text
from ragmon.text.query import normalise_query

_TARGETS = ("trace_id", "span_id", "request_id", "query")
_ENVELOPE = ("pipeline", "annotator", "labelled_at", "revision", "probability")
_KEYS = (*_TARGETS, *_ENVELOPE, *map(str, GoldField))
_SURROGATE = re.compile("[\ud800-\udfff]")
_SEVENTH_DIGIT = re.compile(r"[.,][0-9]{6}([0-9]{1,3})")
_DEFAULT_ANNOTATOR = "unknown"
_NANOSECONDS = 1_000_000_000
_FAR_S = 1e11
_NEVER_NS = 1 << 63
REVISIONS = 1 << 31
LONGEST_NAME = 256
LONGEST_TEXT = 16_384
_MOST_UNKNOWN = 100


class LabelError(MalformedError):
    """A label that cannot be used; `faults` has a line for each fault."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def parse_label(posted: object, received_ns: int) -> tuple[GoldLabel, ...]:
    """Read one posted object: a target, gold fields, and who says so.

    Returns one gold label per field, so that a second post never erases another field.
    `labelled_at` (ISO 8601 or seconds since the epoch) is `received_ns` where absent.

    Raises:
        LabelError: with every fault of the object.
    """
    if not isinstance(posted, dict):
        raise LabelError(("a label must be a JSON object",))
    faults = unknown_keys(posted, _KEYS)
    key = collect(faults, target_of, posted)
    envelope = collect(faults, _read_envelope, posted, received_ns)
    values = {field: collect(faults, _value, posted, field) for field in _given(posted, faults)}
    if faults or key is None or envelope is None:
        raise LabelError(tuple(faults))
    return tuple(gold_label(key, field, value, **envelope) for field, value in values.items())


def collect(faults: list[str], read: Any, *arguments: Any) -> Any:
    """What `read` gives; a fault is noted and gives None."""
    try:
        return read(*arguments)
    except FieldError as error:
        faults.append(str(error))
        return None


def unknown_keys(posted: Mapping[Any, Any], known: Sequence[str]) -> list[str]:
    """A line for each unknown key, up to a bound: looking for the key that was meant takes time."""
    unknown = [key for key in posted if key not in known]
    faults = [_unknown(key, known) for key in unknown[:_MOST_UNKNOWN]]
    if more := len(unknown) - len(faults):
        faults.append(f"{more} more unknown keys")
    return faults


def _unknown(key: object, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(key), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown key {str(key)[:64]!r}{hint}"


def _given(posted: Mapping[str, Any], faults: list[str]) -> list[GoldField]:
    given = [field for field in GoldField if field in posted]
    if not given:
        faults.append(f"no gold field; give at least one of {', '.join(GoldField)}")
    return given


def _value(posted: Mapping[str, Any], field: GoldField) -> Any:
    try:
        return FIELDS[field](posted[field])
    except FieldError as error:
        raise FieldError(f"{field} {error}") from None


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def target_of(posted: Mapping[str, Any]) -> MatchKey:
    """What a posted object points at.

    Raises:
        FieldError: at nothing, at several things, or at what is no id.
    """
    match [name for name in ("trace_id", "request_id", "query") if name in posted]:
        case ["trace_id"]:
            return _trace_target(posted)
        case [name] if "span_id" not in posted:
            return _text_target(name, posted[name])
        case [_]:
            raise FieldError("span_id goes with trace_id only")
        case []:
            raise FieldError("no target; give one of trace_id, request_id, query")
        case names:
            raise FieldError(f"more than one target: {', '.join(names)}; give one")


def _trace_target(posted: Mapping[str, Any]) -> MatchKey:
    trace_id = _hex_id("trace_id", posted["trace_id"], 32)
    if "span_id" not in posted:
        return MatchKey(TargetKind.TRACE, trace_id)
    return MatchKey(TargetKind.SPAN, f"{trace_id}/{_hex_id('span_id', posted['span_id'], 16)}")


def _hex_id(name: str, value: object, length: int) -> str:
    if isinstance(value, str) and re.fullmatch(rf"[0-9a-fA-F]{{{length}}}", value):
        return value.lower()
    raise FieldError(f"{name} must be {length} hexadecimal digits")


def _text_target(name: str, value: object) -> MatchKey:
    if not _is_text(value, LONGEST_TEXT):
        raise FieldError(f"{name} must be a text of 1 to {LONGEST_TEXT} valid characters")
    if name == "request_id":
        return MatchKey(TargetKind.REQUEST_ID, value)
    query = normalise_query(Text(value))
    if not query:
        raise FieldError("query has no word in it")
    return MatchKey(TargetKind.QUERY, query)


def _read_envelope(posted: Mapping[str, Any], received_ns: int) -> dict[str, Any]:
    return {
        "pipeline": optional_text(posted, "pipeline"),
        "annotator": optional_text(posted, "annotator") or _DEFAULT_ANNOTATOR,
        "labelled_at_ns": moment_ns(posted.get("labelled_at"), received_ns),
        "revision": _revision(posted.get("revision", 0)),
        "probability": _probability(posted.get("probability")),
        "stamped": posted.get("labelled_at") is None,
    }


def optional_text(posted: Mapping[str, Any], name: str) -> str | None:
    """A short text, None where there is none.

    Raises:
        FieldError: it is no such text.
    """
    value = posted.get(name)
    if value is None or _is_text(value, LONGEST_NAME):
        return value
    raise FieldError(f"{name} must be a text of 1 to {LONGEST_NAME} valid characters")


def _is_text(value: object, longest: int) -> TypeGuard[str]:
    """Whether it is a text that can be stored: half a surrogate pair cannot."""
    return isinstance(value, str) and 0 < len(value) <= longest and not _SURROGATE.search(value)


def moment_ns(value: object, received_ns: int, name: str = "labelled_at") -> int:
    """A time as `name` gives it: ISO 8601, or seconds since 1970; None is the receipt.

    Raises:
        FieldError: it is none of these.
    """
    if value is None:
        return received_ns
    given_ns = _iso_ns(value) if isinstance(value, str) else _seconds_ns(value)
    if given_ns is None or not 0 <= given_ns < _NEVER_NS:
        raise FieldError(f"{name} must be ISO 8601 or seconds, from 1970 to 2262")
    return given_ns


def _seconds_ns(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _FAR_S:
        return None
    return int(value * _NANOSECONDS)


def _iso_ns(value: str) -> int | None:
    try:
        moment = datetime.fromisoformat(value)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        elapsed = aware - datetime(1970, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    whole_ns = (elapsed.days * 86400 + elapsed.seconds) * _NANOSECONDS
    return whole_ns + elapsed.microseconds * 1000 + _beyond_microseconds(value)


def _beyond_microseconds(value: str) -> int:
    """The nanoseconds that a `datetime` has no room for."""
    found = _SEVENTH_DIGIT.search(value)
    return int(found[1].ljust(3, "0")) if found else 0


def _revision(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < REVISIONS:
        return value
    raise FieldError("revision must be a whole number from 0")


def _probability(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1:
        return float(value)
    raise FieldError("probability must be a number above 0 and at most 1")


def gold_label(key: MatchKey, field: GoldField, value: object, **envelope: Any) -> GoldLabel:
    """The label that says this canonical value of a field, with every part of its envelope."""
    written = _canonical(value)
    content = f"{written}\0{envelope['probability']}".encode(errors="surrogatepass")
    return GoldLabel(
        key=key, field=field, value=written, content_hash=sha256(content).hexdigest(), **envelope
    )
