"""Asking a running processor over HTTP, as commands do."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Annotated, Any, Final

import httpx
import typer

from ragmon.errors import ConfigError, RagmonError

Endpoint = Annotated[str, typer.Option(help="The processor's OTLP/HTTP.")]
TokenFile = Annotated[Path | None, typer.Option(help="File with the bearer token.")]
IMPORT_AGAIN: Final = "what was accepted stays, import it again"
ENDPOINT: Final = "http://localhost:4318"
ViewsEndpoint = Annotated[str, typer.Option("--endpoint", help="The processor's views port.")]
VIEWS_ENDPOINT: Final = "http://localhost:9464"
_TIMEOUT_S: Final = 300.0
_OK: Final = 200
_WRONG: Final = 400
_TRIES: Final = 60
_MOST_WAIT_S: Final = 60.0
_LATER: Final = frozenset((429, 503))


def connect(endpoint: str, token_file: Path | None) -> httpx.Client:
    """A client that shows the token.

    Raises:
        ConfigError: the token cannot be read, or the endpoint is no URL.
    """
    headers = {} if token_file is None else {"authorization": f"Bearer {_token(token_file)}"}
    try:
        return httpx.Client(base_url=endpoint, headers=headers, timeout=_TIMEOUT_S)
    except httpx.InvalidURL as error:
        raise ConfigError((f"--endpoint {endpoint}: {error}",)) from None


def _token(token_file: Path) -> str:
    try:
        return token_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "is no UTF-8"
        raise ConfigError((f"--token-file: {token_file}: {why}",)) from None


def until_taken(
    client: httpx.Client, send: Callable[[], httpx.Response], advice: str
) -> httpx.Response:
    """Send until it is answered; 429 and 503 mean again, after as long as they say.

    advice: what to do where it never is.

    Raises:
        ConfigError: nothing answers there.
        RagmonError: it was put off too often.
    """
    for _ in range(_TRIES):
        answer = reached(client, send)
        if answer.status_code not in _LATER:
            return answer
        time.sleep(_wait_s(answer.headers.get("retry-after")))
    raise RagmonError(f"{client.base_url}: put off too often ({reason(answer)}); {advice}")


def reached(client: httpx.Client, send: Callable[[], httpx.Response]) -> httpx.Response:
    """Send once.

    Raises:
        ConfigError: nothing answers there.
    """
    try:
        return send()
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise unreachable(client, str(error) or type(error).__name__) from None


@contextmanager
def streamed(client: httpx.Client, path: str, chosen: dict[str, str]) -> Iterator[httpx.Response]:
    """The answer to a question, to be read as it comes.

    Raises:
        ConfigError: nothing answers there, or it refuses.
    """
    request = client.build_request("GET", path, params=chosen)
    answer = reached(client, lambda: client.send(request, stream=True))
    try:
        if answer.status_code != _OK:
            answer.read()
            raise refused(client, answer)
        yield answer
    finally:
        answer.close()


def read_object(client: httpx.Client, answer: httpx.Response, expected: str) -> dict[str, Any]:
    """The JSON object of an answer, which holds an expected key.

    Raises:
        ConfigError: another service answers there.
    """
    try:
        told = answer.json()
    except ValueError:
        told = None
    if not isinstance(told, dict) or expected not in told:
        raise unreachable(client, refusal(answer))
    return told


def refusal(answer: httpx.Response) -> str:
    """The status and the first line of an answer."""
    return f"{answer.status_code} {answer.text.partition(chr(10))[0][:200]}".strip()


def reason(answer: httpx.Response) -> str:
    """Why an answer refuses, as it says itself."""
    try:
        return str(answer.json()["message"])
    except (ValueError, KeyError, TypeError):
        return refusal(answer)


def refused(client: httpx.Client, answer: httpx.Response) -> ConfigError:
    """The error for an answer that is none; a wrong question is no fault of the endpoint."""
    if answer.status_code == _WRONG:
        return ConfigError((reason(answer),))
    return unreachable(client, reason(answer))


def unreachable(client: httpx.Client, why: str) -> ConfigError:
    """The error for an endpoint that cannot be used."""
    return ConfigError((f"--endpoint {client.base_url}: {why}",))


def _wait_s(retry_after: str | None) -> float:
    """Seconds to wait, from seconds or a date; one where nothing is said."""
    try:
        return min(_MOST_WAIT_S, max(0.0, float(retry_after or 1)))
    except ValueError:
        pass
    try:
        until_s = parsedate_to_datetime(str(retry_after)).timestamp()
    except ValueError:
        return 1.0
    return min(_MOST_WAIT_S, max(0.0, until_s - time.time()))  # noqa: TID251 (a command's clock)
