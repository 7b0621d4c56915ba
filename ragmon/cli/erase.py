"""`ragmon erase`: requests or a document, erased in a running processor."""

from typing import Annotated, Any, Final

import typer

from ragmon.cli.asking import (
    ENDPOINT,
    Endpoint,
    TokenFile,
    connect,
    read_object,
    refused,
    until_taken,
)
from ragmon.cli.console import complain, out
from ragmon.errors import ConfigError

EXAMPLES = """
Examples:

    ragmon erase --trace-id 4bf92f3577b34da6a3ce929d0e0e4736

    ragmon erase --request-id m-4711 --yes

    ragmon erase --query "how do I return my order"    # all requests, and labels, of the query

    ragmon erase --document faq-7 --pipeline shop
"""
_COUNTS: Final = {
    "traces": "stored traces",
    "open_traces": "open traces",
    "bodies": "bodies of the inbox rewritten",
    "labels": "labels",
    "feedback": "feedback",
    "documents": "versions of documents",
    "set_aside": "files that were set aside",
}
_OK: Final = 200


def erase(
    *,
    trace_id: Annotated[str | None, typer.Option(help="A trace, with all of its requests.")] = None,
    request_id: Annotated[
        str | None, typer.Option(help="Every request to which the app gave this id.")
    ] = None,
    query: Annotated[
        str | None, typer.Option(help="Every request that asked with the same words.")
    ] = None,
    document: Annotated[str | None, typer.Option(help="A document of the corpus.")] = None,
    pipeline: Annotated[
        str | None, typer.Option(help="Of the document; all pipelines otherwise.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing.")] = False,
    endpoint: Endpoint = ENDPOINT,
    token_file: TokenFile = None,
) -> None:
    """Erase spans, texts, labels and feedback of requests, or a document of the corpus.

    What is erased leaves the files before the command returns, and cannot be brought back.
    Numbers that were measured stay until retention.

    Exits 1 where nothing was found, 2 where the processor cannot be asked.
    """
    named = {"trace_id": trace_id, "request_id": request_id, "query": query}
    given = {name: one for name, one in named.items() if one is not None}
    given |= {} if document is None else {"document_id": document}
    given |= {} if pipeline is None else {"pipeline": pipeline}
    if not yes:
        typer.confirm("Erase for good?", abort=True, err=True)
    told = _asked(endpoint, token_file, given)
    _show(told)
    raise typer.Exit(not told["outcomes"].get("erased"))


def _asked(endpoint: str, token_file: Any, target: dict[str, str]) -> dict[str, Any]:
    """What the processor erased.

    Raises:
        ConfigError: it cannot be asked, or the target is none.
    """
    with connect(endpoint, token_file) as client:
        answer = until_taken(
            client, lambda: client.post("/v1/erase", json=target), "it may rest still; run it again"
        )
        if answer.status_code not in (_OK, 400):
            raise refused(client, answer)
        told = read_object(client, answer, "outcomes")
    if told["faults"]:
        raise ConfigError(tuple(one.partition(": ")[2] for one in told["faults"]))
    return told


def _show(told: dict[str, Any]) -> None:
    found = [f"{told[name]} {what}" for name, what in _COUNTS.items() if told.get(name)]
    out.print(f"erased: {', '.join(found)}" if found else "nothing was found", highlight=False)
    if standing := told.get("standing_labels"):
        complain(f"{standing} labels on the same query stand; --query erases them too")
