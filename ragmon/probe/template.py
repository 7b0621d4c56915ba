"""The request of one query, from the template of a canary."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

_QUERY: Final = "{{query}}"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What is sent; no content where the template has no body."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """A request in which `{{query}}` stands for the query.

    body: a value that JSON can say, or None. The query replaces its mark within texts, so that
    no query can break out of them.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: Any = None

    def fill(self, query: str) -> HttpRequest:
        """The request of a query."""
        url = self.url.replace(_QUERY, quote(query, safe=""))
        if self.body is None:
            return HttpRequest(self.method, url, self.headers, None)
        content = json.dumps(_filled(self.body, query)).encode()
        typed = any(name.lower() == "content-type" for name in self.headers)
        default = {} if typed else {"content-type": "application/json"}
        return HttpRequest(self.method, url, {**default, **self.headers}, content)


def _filled(value: Any, query: str) -> Any:
    match value:
        case str():
            return value.replace(_QUERY, query)
        case list() | tuple():
            return [_filled(one, query) for one in value]
        case dict():
            return {name: _filled(one, query) for name, one in value.items()}
        case _:
            return value
