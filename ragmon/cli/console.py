"""Where commands write, and options that several of them share."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

out = Console()
err = Console(stderr=True)

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="YAML configuration; without it the defaults hold."),
]
Root = Annotated[Path, typer.Option("--root", help="The folder that files are written below.")]


def complain(message: str) -> None:
    """Print one error line, whole and without colours inside it."""
    err.print(f"ragmon: {message}", highlight=False, soft_wrap=True, markup=False)
