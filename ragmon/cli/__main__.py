"""`python -m ragmon.cli` is `ragmon`."""

from ragmon.cli.main import run

run()
