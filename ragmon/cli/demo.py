"""`ragmon demo`: a real RAG app to watch, with faults to switch on."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from ragmon.cli.console import complain, out
from ragmon.demo.faults import Fault
from ragmon.demo.monitor import answers
from ragmon.demo.run import run
from ragmon.demo.settings import DemoSettings

EXAMPLES = """
Examples:

    ragmon demo --serve                           # processor and demo together

    ragmon demo --fault wrong-documents --rate 5  # beside a running `ragmon serve`

    ragmon demo --serve --count 50                # stops by itself
"""
_OWN = DemoSettings()
_POLL_S = 0.2


def demo(
    *,
    serve: Annotated[
        bool, typer.Option("--serve", help="Start a processor too, and stop it at the end.")
    ] = False,
    fault: Annotated[Fault, typer.Option(help="What is wrong with the app.")] = Fault.NONE,
    rate: Annotated[float, typer.Option(help="Requests a second.")] = _OWN.rate,
    count: Annotated[int | None, typer.Option(help="Stop after so many requests.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so long.")] = None,
    seed: Annotated[int, typer.Option(help="Order and waiting times follow from it.")] = _OWN.seed,
    label_delay_s: Annotated[
        float, typer.Option(help="How late the late labels are posted.")
    ] = _OWN.label_delay_s,
    endpoint: Annotated[str, typer.Option(help="The processor's OTLP/HTTP.")] = _OWN.endpoint,
    views: Annotated[str, typer.Option(help="Where its /metrics is.")] = _OWN.views,
    llm_endpoint: Annotated[
        str | None, typer.Option(help="OpenAI-compatible endpoint, with its /v1.")
    ] = None,
    llm_model: Annotated[str | None, typer.Option(help="The model to ask there.")] = None,
) -> None:
    """Run a small RAG app over Python's language reference, and send its traffic to ragmon.

    With an LLM endpoint its key is read from OPENAI_API_KEY; without one, answers are
    sentences of the documents.
    """
    settings = DemoSettings(
        endpoint=endpoint,
        views=views,
        rate=rate,
        count=count,
        seconds=seconds,
        seed=seed,
        fault=fault,
        label_delay_s=label_delay_s,
        llm_endpoint=llm_endpoint,
        llm_model=llm_model,
        llm_api_key=os.environ.get("OPENAI_API_KEY"),
    )
    if not serve or settings.problems():
        raise typer.Exit(run(settings, sys.stdout, sys.stderr))
    _refuse_if_taken(settings)
    with _processor(settings):
        raise typer.Exit(run(settings, sys.stdout, sys.stderr))


@contextmanager
def _processor(settings: DemoSettings) -> Iterator[None]:
    """A processor of its own, with its state and log in a folder that goes with it."""
    with (
        tempfile.TemporaryDirectory(prefix="ragmon-demo-") as folder,
        as_file(files("ragmon.demo") / "processor.yaml") as config,
        Path(folder, "serve.log").open("w+b") as log,
    ):
        command = [*_serve_command(settings, config), "--store", f"{folder}/state"]
        process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 (our own command)
        try:
            _await(process, settings, log.name)
            out.print(_where_to_look(settings), highlight=False, soft_wrap=True)
            yield
        finally:
            process.terminate()
            process.wait()


def _refuse_if_taken(settings: DemoSettings) -> None:
    """A second processor would not start, and the first one's numbers are not the demo's."""
    for url in (settings.endpoint, settings.views):
        if answers(url):
            complain(
                f"something answers at {url} already; stop it, or leave out --serve to send"
                " the demo's traffic there, or choose other --endpoint and --views"
            )
            raise typer.Exit(1)


def _serve_command(settings: DemoSettings, config: Path) -> list[str]:
    otlp, views = urlsplit(settings.endpoint), urlsplit(settings.views)
    return [
        *(sys.executable, "-m", "ragmon", "serve", "--config", str(config)),
        *("--host", str(otlp.hostname), "--otlp-http-port", str(otlp.port)),
        *("--views-port", str(views.port), "--otlp-grpc-port", str(_grpc_port(settings))),
    ]


def _grpc_port(settings: DemoSettings) -> int:
    """The port below OTLP/HTTP's, as 4317 lies below 4318."""
    return (urlsplit(settings.endpoint).port or 1) - 1


def _await(process: subprocess.Popen[bytes], settings: DemoSettings, log: str) -> None:
    """Wait until the processor answers; if it ended, say what it said."""
    while process.poll() is None:
        if answers(settings.views):
            return
        time.sleep(_POLL_S)
    complain(Path(log).read_text(encoding="utf-8").strip().removeprefix("ragmon: "))
    raise typer.Exit(process.returncode or 1)


def _where_to_look(settings: DemoSettings) -> str:
    return (
        "[bold]ragmon is up.[/bold] Ctrl-C stops it.\n"
        f"  numbers          {settings.views}/metrics\n"
        f"  health           {settings.views}/healthz\n"
        f"  OTLP and labels  {settings.endpoint}, OTLP/gRPC on port {_grpc_port(settings)}"
    )
