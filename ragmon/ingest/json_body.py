"""JSON bodies as senders really write them, within bounds."""

import re
from typing import Final

import orjson

from ragmon.errors import MalformedError
from ragmon.ingest.bounds import check_json
from ragmon.ingest.json_fields import Json

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_REPLACEMENT: Final = rb"\ufffd"


def load(content: bytes) -> Json:
    """Read JSON; half a surrogate pair becomes the replacement character.

    JavaScript senders write such halves where they cut a text inside an emoji.

    Raises:
        MalformedError: it is no JSON in UTF-8.
        TooLargeError: its objects would take too much memory.
    """
    check_json(content)
    try:
        return _loads(content)
    except orjson.JSONDecodeError as error:
        fault = error
    if _SURROGATE.search(content):
        try:
            return _loads(_ESCAPE.sub(_whole_character, content))
        except orjson.JSONDecodeError as error:
            fault = error
    raise MalformedError(f"the body is no JSON: {fault}") from fault


def _loads(content: bytes) -> Json:
    loaded: Json = orjson.loads(content)
    return loaded


def _whole_character(escape: re.Match[bytes]) -> bytes:
    found = escape.group()
    return _REPLACEMENT if _SURROGATE.fullmatch(found) else found
