"""Cut-offs of ranked metrics, as the command line gives them."""

from collections.abc import Iterable
from typing import Annotated, Final

import typer

from ragmon.errors import ConfigError

CutOffs = Annotated[
    list[str] | None, typer.Option("--k", help="Cut-offs of ranked metrics, such as `5,10` [5].")
]
_LARGEST: Final = 10_000


def read_cut_offs(texts: Iterable[str]) -> tuple[int, ...]:
    """The cut-offs of `--k 5 --k 10` or `--k 5,10`, in the order given.

    Raises:
        ConfigError: with a line for each that is no whole number from 1 to 10000.
    """
    parts = [part.strip() for text in texts for part in text.split(",")]
    wrong = [part for part in parts if not _is_cut_off(part)]
    if wrong:
        known = f"must be a whole number from 1 to {_LARGEST}, or several: --k 5,10"
        raise ConfigError(tuple(f"--k {part}: {known}" for part in wrong))
    return tuple(map(int, parts))


def _is_cut_off(part: str) -> bool:
    short = len(part) <= len(str(_LARGEST))
    return short and part.isascii() and part.isdigit() and 1 <= int(part) <= _LARGEST
