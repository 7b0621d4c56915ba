"""How each JSON value of OTLP fills its protobuf field.

A `Setter` writes one JSON value into one field of a message; a table of setters by key is
what a message type looks like in OTLP/JSON. Unknown keys and nulls are passed over.
"""

import binascii
import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn, TypeAlias

from google.protobuf.message import Message
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
Setter: TypeAlias = Callable[[Any, Any], None]
Fields: TypeAlias = Mapping[str, Setter]

MOST_NESTED: Final = 100
"""Messages inside one another that protobuf's parser takes, the request being the first."""

_NON_FINITE: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class FieldError(ValueError):
    """One value cannot be read; the text is the path to it from here, and what is wrong."""


def fail(wrong: str) -> NoReturn:
    """Raise for the value at hand."""
    raise FieldError(f": {wrong}")


def fill(message: Message, source: object, fields: Fields) -> None:
    """Write a JSON object into a message."""
    if type(source) is not dict:
        fail("expected an object")
    for key, value in source.items():
        setter = fields.get(key)
        if setter is None or value is None:
            continue
        try:
            setter(message, value)
        except FieldError as error:
            raise FieldError(f".{key}{error}") from None
        except (TypeError, ValueError):
            raise FieldError(f".{key}: of the wrong type or out of range") from None


def text(name: str) -> Setter:
    """A string."""
    return lambda message, value: setattr(message, name, value)


def texts(name: str) -> Setter:
    """A list of strings."""
    return lambda message, value: getattr(message, name).extend(_list(value))


def integer(name: str) -> Setter:
    """A number, or its decimal digits in a string as 64-bit fields have it."""
    return lambda message, value: setattr(message, name, _integer(value))


def enum(name: str) -> Setter:
    """An enum's number; names are not OTLP/JSON."""

    def write(message: Message, value: object) -> None:
        if type(value) is not int:
            fail("expected the enum's number")
        setattr(message, name, value)

    return write


def hexadecimal(name: str) -> Setter:
    """An id as hex of either case."""

    def write(message: Message, value: str) -> None:
        try:
            setattr(message, name, binascii.unhexlify(value))
        except (ValueError, TypeError):
            fail("expected hexadecimal")

    return write


def one(name: str, fields: Fields) -> Setter:
    """A message of its own."""

    def write(message: Message, value: object) -> None:
        inner = getattr(message, name)
        inner.SetInParent()
        fill(inner, value, fields)

    return write


def many(name: str, fields: Fields) -> Setter:
    """A list of messages."""

    def write(message: Message, value: object) -> None:
        container = getattr(message, name)
        for index, element in enumerate(_list(value)):
            try:
                fill(container.add(), element, fields)
            except FieldError as error:
                raise FieldError(f"[{index}]{error}") from None

    return write


def attributes(name: str, nested: int) -> Setter:
    """A list of key and value; `nested` counts the messages around each value."""
    return lambda message, value: _key_values(getattr(message, name), value, nested)


def _key_values(container: Any, source: object, nested: int) -> None:
    index = 0
    try:
        for index, pair in enumerate(_list(source)):  # noqa: B007 - names the place below
            if type(pair) is not dict:
                fail("expected an object")
            key_value = container.add()
            key, value = pair.get("key"), pair.get("value")
            if key is not None:
                key_value.key = key
            if value is not None:
                _any_value(key_value.value, value, nested)
    except FieldError as error:
        raise FieldError(f"[{index}]{error}") from None
    except (TypeError, ValueError):
        raise FieldError(f"[{index}]: of the wrong type or out of range") from None


def _any_value(message: AnyValue, source: object, nested: int) -> None:
    """Write one AnyValue, which may be empty; of several kinds the last one stands."""
    if type(source) is not dict:
        fail("a value is no object")
    if nested > MOST_NESTED:
        fail("nested too deeply")
    if len(source) == 1 and type(text_value := source.get("stringValue")) is str:
        message.string_value = text_value  # nearly every value takes this road
        return
    message.SetInParent()
    for key, value in source.items():
        if value is None:
            continue
        if key == "stringValue":
            message.string_value = value
        elif key in _KINDS:
            _KINDS[key](message, value, nested)


def _bool_value(message: AnyValue, value: object, _nested: int) -> None:
    if type(value) is not bool:
        fail("boolValue is no boolean")
    message.bool_value = value


def _int_value(message: AnyValue, value: object, _nested: int) -> None:
    message.int_value = _integer(value)


def _double_value(message: AnyValue, value: Any, _nested: int) -> None:
    if type(value) is str:
        value = _NON_FINITE[value] if value in _NON_FINITE else float(value)
    message.double_value = value


def _bytes_value(message: AnyValue, value: Any, _nested: int) -> None:
    """Base64 of either alphabet, padded or not, as protobuf's JSON takes it."""
    raw = (
        value.translate(_STANDARD_ALPHABET)
        if type(value) is str
        else fail("bytesValue is no string")
    )
    message.bytes_value = binascii.a2b_base64(raw + "=" * (-len(raw) % 4), strict_mode=True)


def _array_value(message: AnyValue, value: object, nested: int) -> None:
    values = message.array_value
    values.SetInParent()
    for element in _values(value):
        _any_value(values.values.add(), {} if element is None else element, nested + 2)


def _kvlist_value(message: AnyValue, value: object, nested: int) -> None:
    pairs = message.kvlist_value
    pairs.SetInParent()
    _key_values(pairs.values, _values(value), nested + 3)


_STANDARD_ALPHABET: Final = str.maketrans("-_", "+/", "=")
_KINDS: Final[Mapping[str, Callable[[AnyValue, Any, int], None]]] = {
    "boolValue": _bool_value,
    "intValue": _int_value,
    "doubleValue": _double_value,
    "bytesValue": _bytes_value,
    "arrayValue": _array_value,
    "kvlistValue": _kvlist_value,
}


def _values(source: object) -> list[Json]:
    """The list under `values`, which may be absent."""
    if type(source) is not dict:
        fail("expected an object")
    values = source.get("values")
    return [] if values is None else _list(values)


def _list(source: object) -> list[Json]:
    return source if type(source) is list else fail("expected a list")


def _integer(value: object) -> int:
    kind = type(value)
    if kind is int or kind is str:
        return int(value)  # type: ignore[call-overload, no-any-return]
    if kind is float and value.is_integer():  # type: ignore[attr-defined]
        return int(value)  # type: ignore[call-overload, no-any-return]
    return fail("expected an integer")
