"""`ragmon export`: the requests of live traffic, a row each."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import httpx
import orjson
import typer

from ragmon.cli.asking import VIEWS_ENDPOINT, ViewsEndpoint, connect, streamed, unreachable
from ragmon.cli.console import err
from ragmon.cli.report import End, Pipeline, Since, asked
from ragmon.cli.result_files import check_result_file, write_results

EXAMPLES = """
Examples:

    ragmon export --since 24h out.parquet

    ragmon export --since 7d --pipeline shop out.csv

    ragmon export --since 2026-11-30T00:00Z --end 2026-12-01T00:00Z out.jsonl
"""


def export(
    file: Annotated[Path, typer.Argument(help="File to write: .parquet, .csv or .jsonl.")],
    *,
    since: Since = "24h",
    end: End = None,
    pipeline: Pipeline = None,
    endpoint: ViewsEndpoint = VIEWS_ENDPOINT,
) -> None:
    """Write a row per request of a running processor: times, outcome, every metric, reasons.

    What was not measured is null, with its reason in the last column. There is no text in it.

    Exits 2 where the processor cannot be asked, or the file not be written.
    """
    check_result_file(file)
    with (
        connect(endpoint, None) as client,
        streamed(client, "/v1/results", asked(since, end, pipeline)) as answer,
    ):
        lines = _lines(client, answer)
        columns = next(lines, None)
        if columns is None:
            raise unreachable(client, "gives no results")
        count = write_results(file, columns, lines)
    err.print(f"{count} requests", highlight=False)


def _lines(client: httpx.Client, answer: httpx.Response) -> Iterator[list[Any]]:
    """The arrays of an answer, that of the columns first.

    Raises:
        ConfigError: it breaks off, or is no table.
    """
    try:
        for line in _split(answer.iter_bytes()):
            read = orjson.loads(line)
            if not isinstance(read, list):
                raise unreachable(client, "gives no results")
            yield read
    except httpx.TransportError as error:
        raise unreachable(client, f"broke off ({type(error).__name__})") from None
    except orjson.JSONDecodeError:
        raise unreachable(client, "gives no results") from None


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines as JSON has them: names may hold what text calls the end of one, too."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    if rest:
        yield rest
